import Foundation

/// The Swift examples in the documentation, and the code of tests and example programs that must contain each of them.
public struct DocumentationText {
  /// One Swift code block of the documentation.
  public struct Example: Sendable {
    /// The name of the file that contains the example, without its folder.
    public let place: String
    /// The code between the fences, without a final newline.
    public let code: String
  }

  /// The examples in the README, docs, the catalogs, and the comments of public symbols.
  public let examples: [Example]
  private let compiled: String

  /// Collects the examples, except those of docs/adopt.md, which adopt's own tests run.
  ///
  /// - Parameter root: The root folder of the repository.
  public init(root: URL) throws {
    let sources = try ["Sources", "Kennel/Sources"].flatMap {
      try Self.files(below: root.appendingPathComponent($0))
    }
    let documents =
      [root.appendingPathComponent("README.md")]
      + (try Self.files(below: root.appendingPathComponent("docs"))) + sources
    var examples: [Example] = []
    for document in documents where ["md", "swift"].contains(document.pathExtension) {
      if document.lastPathComponent == "adopt.md" { continue }
      let text = try String(contentsOf: document, encoding: .utf8)
      let prose = document.pathExtension == "swift" ? Self.comments(of: text) : text
      examples += Self.swiftBlocks(in: prose).map { Example(place: document.lastPathComponent, code: $0) }
    }
    self.examples = examples
    let programs = try Self.files(below: root.appendingPathComponent("Examples/Sources"))
      .filter { $0.pathExtension == "swift" }
    let tested = try ["Tests", "Kennel/Tests"]
      .flatMap { try Self.files(below: root.appendingPathComponent($0)) }
      .filter { $0.lastPathComponent == "DocumentationExamples.swift" }
    compiled = try (programs + tested)
      .map { Self.normalized(try String(contentsOf: $0, encoding: .utf8)) }.joined(separator: "\n")
  }

  /// Whether a compiled file of examples contains the example.
  public func isCompiled(_ example: Example) -> Bool { compiled.contains(Self.normalized(example.code)) }

  private static func files(below folder: URL) throws -> [URL] {
    guard let paths = FileManager.default.enumerator(atPath: folder.path) else { return [] }
    return paths.compactMap { $0 as? String }.filter { !$0.contains("/.build/") }
      .map { folder.appendingPathComponent($0) }
  }

  /// Returns the text of the documentation comments.
  private static func comments(of code: String) -> String {
    code.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let line = line.drop { $0 == " " }
      guard line.hasPrefix("///") else { return "" }
      return String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3))
    }.joined(separator: "\n")
  }

  private static func swiftBlocks(in text: String) -> [String] {
    var blocks: [String] = []
    var block: [Substring]?
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("```") {
        if let lines = block { blocks.append(lines.joined(separator: "\n")) }
        block = block == nil && line == "```swift" ? [] : nil
      } else {
        block?.append(line)
      }
    }
    // Only the package manager can compile a package manifest, or a part of one.
    return blocks.filter { !$0.hasPrefix("// swift-tools-version") && !$0.hasPrefix("// Package.swift") }
  }

  /// Removes indentation and blank lines, which may differ.
  private static func normalized(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      .joined(separator: "\n")
  }
}
