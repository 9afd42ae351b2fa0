import Foundation

/// The Swift code in documentation, for tests that hold it against code that is known to compile.
public enum SwiftExamples {
  /// One block of code.
  public struct Example: Sendable {
    /// The name of its file.
    public var file: String
    /// The code, normalized.
    public var code: String
  }

  /// Every block in the articles and the documentation comments under a folder, but for packages' manifests,
  /// which only the package manager compiles.
  public static func inFiles(under folder: URL) throws -> [Example] {
    let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
    let documents = (files?.compactMap { $0 as? URL } ?? []).filter {
      ["md", "swift"].contains($0.pathExtension)
    }
    return try documents.sorted { $0.path < $1.path }.flatMap { file in
      var text = try String(contentsOf: file, encoding: .utf8)
      if file.pathExtension == "swift" { text = comments(in: text) }
      return blocks(in: text).map { Example(file: file.lastPathComponent, code: normalized($0)) }
    }
  }

  /// Without indentation and blank lines, in which code and its copy may differ.
  public static func normalized(_ text: String) -> String {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
      .joined(separator: "\n")
  }

  private static func comments(in source: String) -> String {
    source.split(separator: "\n", omittingEmptySubsequences: false).compactMap { line in
      let line = line.trimmingCharacters(in: .whitespaces)
      return line.hasPrefix("///") ? String(line.dropFirst(line.hasPrefix("/// ") ? 4 : 3)) : nil
    }.joined(separator: "\n")
  }

  private static func blocks(in text: String) -> [String] {
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
    return blocks.filter { !$0.hasPrefix("// Package.swift") }
  }
}
