import HTTPSyntax

/// A request in the form that is signed (Signature Version 4 of Amazon). A pure value.
struct CanonicalRequest: Sendable {
  var method: String
  /// The path, percent-encoded.
  var path: String
  /// The query, percent-encoded and sorted, as it is sent.
  var query: String
  /// The header fields with lowercase names and trimmed values, sorted, one for each name.
  var headers: [(name: String, value: String)]
  /// The hash of the body in hexadecimal digits, or a text in place of it.
  var payload: String

  /// The payload of a request whose body is not signed.
  static let unsignedPayload = "UNSIGNED-PAYLOAD"

  init(
    method: String, path: String, query: [(String, String)], headers: [(String, String)], payload: String
  ) {
    self.method = method
    self.path = PercentEncoding.encode(path, keeping: "/")
    self.query = Self.encode(query)
    self.payload = payload
    var values: [String: [String]] = [:]
    for (name, value) in headers { values[ASCII.lowercased(name), default: []].append(Self.trim(value)) }
    self.headers = values.keys.sorted().map { ($0, values[$0, default: []].joined(separator: ",")) }
  }

  /// The names of the signed header fields.
  var signedHeaders: String { headers.map(\.name).joined(separator: ";") }

  /// The text that is hashed.
  var text: String {
    let fields = headers.map { "\($0.name):\($0.value)\n" }.joined()
    return [method, path, query, fields, signedHeaders, payload].joined(separator: "\n")
  }

  /// Returns a query with its items sorted by their percent-encoded names and values.
  static func encode(_ query: [(String, String)]) -> String {
    let items = query.map { (PercentEncoding.encode($0.0), PercentEncoding.encode($0.1)) }
    return items.sorted { $0 < $1 }.map { "\($0)=\($1)" }.joined(separator: "&")
  }

  /// Removes blanks at both ends, and makes one space of several.
  private static func trim(_ value: String) -> String {
    value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
  }
}
