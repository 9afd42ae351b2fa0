import Foundation

/// A request as received by a scripted server.
public struct ScriptedRequest: Sendable, Equatable {
  /// One header field, as sent.
  public struct Field: Sendable, Equatable {
    /// The name in its original capitalization.
    public var name: String
    /// The value without surrounding whitespace.
    public var value: String
  }

  /// The method of the request line.
  public var method: String
  /// The target of the request line, usually a path and query.
  public var target: String
  /// The version in the request line: `HTTP/1.1`.
  public var version: String
  /// The header fields in order of arrival.
  public var fields: [Field]
  /// The body, with chunked encoding removed.
  public var body: Data
  /// The index of its connection, starting from 0.
  public var connection: Int

  /// The value of the first field with this name, ignoring case.
  public subscript(name: String) -> String? {
    fields.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
  }

  /// The target without its query.
  public var path: String {
    target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
      ?? target
  }

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }

  init?(head: Data, connection: Int) {
    var lines = String(decoding: head, as: UTF8.self).components(separatedBy: "\r\n")
    let start = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard start.count == 3 else { return nil }
    method = String(start[0])
    target = String(start[1])
    version = String(start[2])
    fields = lines.compactMap { line in
      guard let colon = line.firstIndex(of: ":") else { return nil }
      return Field(
        name: String(line[..<colon]),
        value: line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces))
    }
    body = Data()
    self.connection = connection
  }
}
