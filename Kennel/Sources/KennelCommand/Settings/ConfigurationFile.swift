import Foundation
import TerminalProgram

/// A file of `key = value` lines. Lines that begin with `#` are comments. A value can be in single or double quotes.
struct ConfigurationFile: Sendable {
  struct Entry: Sendable, Equatable {
    var value: String
    var line: Int
  }

  /// The path for messages.
  let path: String
  private(set) var entries: [String: [Entry]] = [:]

  static let empty = ConfigurationFile(path: "")

  private init(path: String) { self.path = path }

  /// - Throws: an error that names the file, the line and the problem.
  init(_ text: String, path: String) throws(UsageError) {
    self.path = path
    for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = raw.trimmingCharacters(in: .whitespaces.union(["\r", "\u{FEFF}"]))
      if line.isEmpty || line.hasPrefix("#") { continue }
      func refuse(_ problem: String) -> UsageError { UsageError("\(path), line \(index + 1): \(problem)") }
      guard let equals = line.firstIndex(of: "=") else {
        throw refuse("“\(line)” is not a setting. Write name = value.")
      }
      let name = line[..<equals].trimmingCharacters(in: .whitespaces)
      let written = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
      guard let setting = Setting.named(name) else {
        let nearest = Spelling.nearest(to: name, among: Setting.all.map(\.name))
        throw refuse("There is no setting “\(name)”." + (nearest.map { " Did you mean \($0)?" } ?? ""))
      }
      guard let value = Self.unquoted(written) else {
        throw refuse("Put the complete value of \(name) in quotes, without the same quotes inside.")
      }
      guard !value.isEmpty else { throw refuse("The setting \(name) has no value.") }
      if !setting.isRepeatable, entries[name] != nil { throw refuse("The setting \(name) is set twice.") }
      entries[name, default: []].append(Entry(value: value, line: index + 1))
    }
  }

  /// Returns the value without its quotes, or nil if an opening quote is not closed exactly at the end. Quotes
  /// elsewhere are part of the text.
  private static func unquoted(_ written: String) -> String? {
    guard let quote = written.first, "\"'".contains(quote) else { return written }
    let content = written.dropFirst().dropLast()
    guard written.count > 1, written.last == quote, !content.contains(quote) else { return nil }
    return String(content)
  }

  /// Reads a file; returns nil if it does not exist.
  static func read(_ path: String) throws -> ConfigurationFile? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    guard !isFolder.boolValue else {
      let file = path.hasSuffix("/") ? path + "kennel.conf" : path + "/kennel.conf"
      throw Failure(
        .fileSystem, "The path \(path) is a folder, not a configuration file. Give a file such as \(file).")
    }
    let maximumSize = 1 << 20
    let data: Data
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      defer { try? file.close() }
      data = try file.read(upToCount: maximumSize + 1) ?? Data()
    } catch {
      throw Failure.file("Could not read \(path)", error)
    }
    guard data.count <= maximumSize, let text = String(data: data, encoding: .utf8) else {
      throw UsageError("The file \(path) is not a valid configuration file. It is too large or not UTF-8.")
    }
    return try ConfigurationFile(text, path: path)
  }
}
