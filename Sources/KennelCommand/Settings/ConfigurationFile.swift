import Foundation
import TerminalProgram

/// A file of `key = value` lines; `#` begins a comment line. A value may stand in quotes, single or double.
struct ConfigurationFile: Sendable {
  struct Entry: Sendable, Equatable {
    var value: String
    var line: Int
  }

  /// As messages name it.
  let path: String
  private(set) var entries: [String: [Entry]] = [:]

  static let empty = ConfigurationFile(path: "")

  private init(path: String) { self.path = path }

  /// - Throws: what is wrong, with the file and its line.
  init(_ text: String, path: String) throws(UsageError) {
    self.path = path
    for (index, raw) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = raw.trimmingCharacters(in: .whitespaces.union(["\r", "\u{FEFF}"]))
      if line.isEmpty || line.hasPrefix("#") { continue }
      func refuse(_ problem: String) -> UsageError { UsageError("\(path), line \(index + 1): \(problem)") }
      guard let equals = line.firstIndex(of: "=") else {
        throw refuse("“\(line)” is no setting: write name = value")
      }
      let name = line[..<equals].trimmingCharacters(in: .whitespaces)
      let written = line[line.index(after: equals)...].trimmingCharacters(in: .whitespaces)
      guard let setting = Setting.named(name) else {
        let nearest = Spelling.nearest(to: name, among: Setting.all.map(\.name))
        throw refuse("there is no setting “\(name)”" + (nearest.map { "; did you mean \($0)?" } ?? ""))
      }
      guard let value = Self.unquoted(written) else {
        throw refuse("quotes have to stand around all of \(name), with none of their kind inside")
      }
      guard !value.isEmpty else { throw refuse("\(name) has no value") }
      if !setting.isRepeatable, entries[name] != nil { throw refuse("\(name) is set twice") }
      entries[name, default: []].append(Entry(value: value, line: index + 1))
    }
  }

  /// Nil when a quote at the beginning is not closed at the end, or is closed before; quotes elsewhere are text.
  private static func unquoted(_ written: String) -> String? {
    guard let quote = written.first, "\"'".contains(quote) else { return written }
    let inner = written.dropFirst().dropLast()
    guard written.count > 1, written.last == quote, !inner.contains(quote) else { return nil }
    return String(inner)
  }

  /// Nil when there is no such file.
  static func read(_ path: String) throws -> ConfigurationFile? {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    guard !isFolder.boolValue else {
      let file = path.hasSuffix("/") ? path + "kennel.conf" : path + "/kennel.conf"
      throw Failure(
        .fileSystem, "\(path) is a folder, no configuration file: give a file, such as \(file)")
    }
    let limit = 1 << 20
    guard let file = FileHandle(forReadingAtPath: path) else {
      throw Failure(.fileSystem, "\(path) cannot be read: let Kennel's user read it")
    }
    defer { try? file.close() }
    let data = try file.read(upToCount: limit + 1) ?? Data()
    guard data.count <= limit, let text = String(data: data, encoding: .utf8) else {
      throw UsageError("\(path) is no configuration file: it is too long, or no UTF-8")
    }
    return try ConfigurationFile(text, path: path)
  }
}
