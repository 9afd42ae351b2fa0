import Foundation
import HTTPSyntax
import Retriever
import TerminalProgram

/// The information needed to resume a download, stored in NAME.part.resume. It contains no secrets.
package struct ResumeRecord: Codable, Sendable, Equatable {
  package var version = 2
  /// The URL without secrets, for people who read the file.
  package var url: String
  /// The hash that identifies the complete URL.
  package var digest: String
  /// A strong entity tag or a date. With it, the server sends the rest only if the file has not changed.
  package var validator: String
  /// The entity tag, which may be weak.
  package var entityTag: String?
  package var total: Int64?

  /// Returns nil if the response has no validator, or if its body is not the file as it is stored.
  package init?(url: URL, response: HTTPURLResponse, total: Int64?) {
    guard response.statusCode == 200, response.value(forHTTPHeaderField: "Content-Encoding") == nil,
      response.value(forHTTPHeaderField: "Accept-Ranges")?.lowercased() != "none"
    else { return nil }
    guard let version = FileVersion(response) else { return nil }
    self.url = Redaction.text(of: url)
    digest = Self.digest(of: url)
    validator = version.validator
    entityTag = version.entityTag
    self.total = total
  }

  /// Returns the hash of a URL without user name, password and fragment.
  static func digest(of url: URL) -> String {
    var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    components?.user = nil
    components?.password = nil
    components?.fragment = nil
    let text = components?.string ?? url.absoluteString
    return Data(SHA1.digest(Array(text.utf8))).base64EncodedString()
  }

  static func read(_ path: String) -> ResumeRecord? {
    guard let size = FileSystem.size(path), size < 65_536,
      let data = FileManager.default.contents(atPath: path),
      let record = try? JSONDecoder().decode(ResumeRecord.self, from: data), record.version == 2
    else { return nil }
    return record
  }

  /// Writes the record to a file that only its owner can read: someone else could guess a short secret from the hash.
  func write(_ path: String) throws(Failure) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let data: Data
    do {
      data = try encoder.encode(self)
    } catch {
      throw .file("Could not write \(path)", error)
    }
    try FileSystem.writePrivately(data, to: path)
  }
}

extension ResumeRecord {
  /// Returns the length that the complete file has if a response continues it after the first `offset` bytes.
  ///
  /// The response may contain only a part of the rest. Without a stated length, the file ends with the response.
  ///
  /// - Returns: The length; nil if the response does not continue this version of the file there.
  package func length(continuedBy response: HTTPURLResponse, at offset: Int64) -> Int64? {
    guard response.statusCode == 206,
      FileVersion(validator: validator, entityTag: entityTag).isThat(of: response),
      let part = response.value(forHTTPHeaderField: "Content-Range").flatMap({ ContentRange($0) }),
      part.range.lowerBound == offset
    else { return nil }
    let end = part.range.upperBound
    let bodyLength = response.expectedContentLength
    guard bodyLength < 0 || bodyLength == end - offset else { return nil }
    let length = part.length ?? total ?? end
    guard end <= length, total == nil || total == length else { return nil }
    return length
  }
}
