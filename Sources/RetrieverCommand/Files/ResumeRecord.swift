import Foundation
import Retriever
import TerminalProgram

/// The information needed to resume a download, stored in NAME.part.resume. It contains no secrets.
package struct ResumeRecord: Codable, Sendable, Equatable {
  package var version = 1
  /// The URL without user name, password and fragment.
  package var url: String
  /// A strong entity tag or a date. With it, the server sends the rest only if the file has not changed.
  package var validator: String
  package var total: Int64?

  /// Returns nil if the response has no validator, or if its body is not the file as it is stored.
  package init?(url: URL, response: HTTPURLResponse, total: Int64?) {
    guard response.statusCode == 200, response.value(forHTTPHeaderField: "Content-Encoding") == nil,
      response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() != "none"
    else { return nil }
    let tag = response.value(forHTTPHeaderField: "ETag").flatMap { $0.hasPrefix("W/") ? nil : $0 }
    guard let validator = tag ?? response.value(forHTTPHeaderField: "Last-Modified") else { return nil }
    self.url = Self.name(of: url)
    self.validator = validator
    self.total = total
  }

  /// Returns the URL in the form in which records store it.
  static func name(of url: URL) -> String {
    guard var components = URLComponents(url: url, resolvingAgainstBaseURL: true) else { return "" }
    components.user = nil
    components.password = nil
    components.fragment = nil
    return components.string ?? ""
  }

  static func read(_ path: String) -> ResumeRecord? {
    guard let size = FileSystem.size(path), size < 65_536,
      let data = FileManager.default.contents(atPath: path),
      let record = try? JSONDecoder().decode(ResumeRecord.self, from: data), record.version == 1
    else { return nil }
    return record
  }

  func write(_ path: String) throws(Failure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
    } catch {
      throw .file("Could not write \(path)", error)
    }
  }

  /// Returns whether a response continues after the bytes that exist.
  package static func continues(_ response: HTTPURLResponse, at offset: Int64) -> Bool {
    response.statusCode == 206
      && response.value(forHTTPHeaderField: "Content-Range")?.hasPrefix("bytes \(offset)-") == true
  }
}
