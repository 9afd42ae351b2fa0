import Foundation
import Retriever
import TerminalProgram

/// Reads the header fields and the body given on the command line.
enum RequestFields {
  struct Field: Sendable, Equatable {
    var name: String
    var value: String
  }

  /// Returns the fields of `--header 'Name: value'` and `--header @FILE`, with one field per line in the file.
  static func fields(_ arguments: ParsedArguments, warn: (String) -> Void) throws -> [Field] {
    var fields: [Field] = []
    for text in arguments.all("header") {
      if text.hasPrefix("@") {
        let path = String(text.dropFirst())
        let data: Data
        do {
          data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
          throw Failure.file("Could not read \(path)", error)
        }
        for line in String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline) {
          fields.append(try field(String(line)))
        }
      } else {
        let field = try field(text)
        if SensitiveNames.containsHeader(field.name) {
          warn(
            "Warning: \(field.name) on the command line is visible to all users of this machine "
              + "in the process list. Use --header @FILE to read it from a file.")
        }
        fields.append(field)
      }
    }
    return fields
  }

  private static func field(_ text: String) throws(UsageError) -> Field {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = parts[0].trimmingCharacters(in: .whitespaces)
    guard parts.count == 2, !name.isEmpty else {
      throw UsageError("A header field must have the form “Name: value”.")
    }
    return Field(name: name, value: parts[1].trimmingCharacters(in: .whitespaces))
  }

  /// The maximum size of a body from a file, which is held in memory. `upload` has no such limit.
  private static let mostBytes = 256 << 20

  static func body(_ arguments: ParsedArguments) async throws -> Data? {
    if let text = arguments.value("data") {
      if arguments.has("data-file") { throw UsageError("--data and --data-file cannot be used together.") }
      return Data(text.utf8)
    }
    guard let path = arguments.value("data-file") else { return nil }
    return try await InputFile.contents(path, atMost: mostBytes)
  }
}

extension URLRequest {
  /// Adds the header fields of the command line. They replace the fields that the command itself has set. A name that
  /// is used several times is sent several times.
  mutating func add(_ fields: [RequestFields.Field]) {
    var names: Set<String> = []
    for field in fields {
      if names.insert(field.name.lowercased()).inserted {
        setValue(field.value, forHTTPHeaderField: field.name)
      } else {
        headerFields.add(field.value, for: field.name)
      }
    }
  }
}
