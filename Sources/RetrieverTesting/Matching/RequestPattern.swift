import Foundation

/// A description of requests: the method, the URL, header fields and the body.
///
/// A text contains a method, if only that one matches, and a URL or a path:
///
/// ```swift
/// let dogs: RequestPattern = "GET /dogs"
/// let dog: RequestPattern = "https://api.example.com/dogs/:id"
/// let page: RequestPattern = "GET https://*.example.com/**?page=2"
/// ```
///
/// - A URL without scheme and host matches on all hosts. The host may contain `*`, and the port may be `*`.
/// - In a path, `*` stands for any characters of a segment, `:name` for a segment that
///   ``ReceivedRequest/parameters`` then contains, and `**` for any number of segments.
/// - The items of the query must be in the URL, in any order. The URL may have other ones. A value may contain `*`, and
///   a name without a value matches any value.
public struct RequestPattern: Sendable {
  private struct Condition: Sendable {
    let description: String
    /// Returns what differs; nil if nothing does.
    let difference: @Sendable (ReceivedRequest) -> String?
  }

  private var method: String?
  private var url: URLPattern?
  private var conditions: [Condition] = []

  /// Creates a pattern from a text such as `GET /dogs/:id?page=2`.
  public init(_ text: String) {
    let words = text.split(separator: " ", maxSplits: 1)
    if words.count == 2, words[0].allSatisfy({ $0.isASCII && $0.isLetter }) {
      method = words[0] == "ANY" ? nil : String(words[0])
      url = URLPattern(String(words[1]))
    } else {
      url = URLPattern(text)
    }
  }

  private init(method: String?, url: String?) {
    self.method = method
    self.url = url.map { URLPattern($0) }
  }

  // MARK: Methods

  /// All requests.
  public static let any = RequestPattern(method: nil, url: nil)

  /// GET requests for a URL.
  public static func get(_ url: String) -> RequestPattern { RequestPattern(method: "GET", url: url) }

  /// HEAD requests for a URL.
  public static func head(_ url: String) -> RequestPattern { RequestPattern(method: "HEAD", url: url) }

  /// POST requests for a URL.
  public static func post(_ url: String) -> RequestPattern { RequestPattern(method: "POST", url: url) }

  /// PUT requests for a URL.
  public static func put(_ url: String) -> RequestPattern { RequestPattern(method: "PUT", url: url) }

  /// PATCH requests for a URL.
  public static func patch(_ url: String) -> RequestPattern { RequestPattern(method: "PATCH", url: url) }

  /// DELETE requests for a URL.
  public static func delete(_ url: String) -> RequestPattern { RequestPattern(method: "DELETE", url: url) }

  /// Requests with any method for a URL.
  public static func url(_ url: String) -> RequestPattern { RequestPattern(method: nil, url: url) }

  // MARK: Conditions

  /// Adds a condition: a header field is present.
  public func header(_ name: String) -> RequestPattern {
    adding("with the header field \(name)") { request in
      request.value(forHTTPHeaderField: name) == nil ? "there is no header field \(name)" : nil
    }
  }

  /// Adds a condition: a header field has a value, in which `*` stands for any characters.
  public func header(_ name: String, _ value: String) -> RequestPattern {
    let glob = Glob(value)
    let expected = RequestText.value(value, ofHeader: name)
    return adding("with \(name): \(expected)") { request in
      guard let actual = request.value(forHTTPHeaderField: name) else {
        return "there is no header field \(name)"
      }
      if glob.matches(actual) { return nil }
      return "the header field \(name) is \(RequestText.value(actual, ofHeader: name)), not \(expected)"
    }
  }

  /// Adds a condition: the query has an item with a value, in which `*` stands for any characters.
  public func query(_ name: String, _ value: String) -> RequestPattern {
    let glob = Glob(value)
    return adding("with the query item \(name)=\(RequestText.queryValue(value, of: name))") { request in
      let values = request.query.filter { $0.name == name }.map { $0.value ?? "" }
      guard let first = values.first else { return "the query has no \(name)" }
      if values.contains(where: glob.matches) { return nil }
      return "the query item \(name) is \(RequestText.queryValue(first, of: name))"
    }
  }

  /// Adds a condition: the body consists of these bytes.
  public func body(_ body: Data) -> RequestPattern {
    adding("with a body of \(body.count) bytes") { request in
      if request.body == body, !request.isCut { return nil }
      return "the body has \(request.bodyLength) bytes"
        + (request.bodyLength == body.count ? ", but other ones" : ", not \(body.count)")
    }
  }

  /// Adds a condition: the body is this text.
  public func body(_ text: String) -> RequestPattern {
    adding("with the body \"\(RequestText.excerpt(text))\"") { request in
      if request.body == Data(text.utf8), !request.isCut { return nil }
      return "the body is \"\(RequestText.excerpt(request.text))\""
    }
  }

  /// Adds a condition: the body is JSON that is equal to a text. The order of members and white space do not count.
  public func jsonBody(text: String) -> RequestPattern { equalJSON(Data(text.utf8)) }

  /// Adds a condition: the body is JSON that is equal to an encoded value.
  ///
  /// - Throws: `EncodingError`.
  public func jsonBody(
    _ value: some Encodable, using encoder: JSONEncoder = JSONEncoder()
  ) throws -> RequestPattern {
    equalJSON(try encoder.encode(value))
  }

  private func equalJSON(_ data: Data) -> RequestPattern {
    let expected = try? JSONValue(data)
    let text = RequestText.excerpt(String(decoding: data, as: UTF8.self))
    return adding("with the JSON body \(text)") { request in
      guard let expected else { return "the pattern's own body is not valid JSON" }
      if request.isCut { return "the body has \(request.bodyLength) bytes, which is more than the limit" }
      guard let actual = try? JSONValue(request.body) else { return "the body is not JSON" }
      return actual.difference(to: expected).map { "in the JSON body, \($0)" }
    }
  }

  /// Adds a condition: the body is a form (`application/x-www-form-urlencoded`) with these fields, in any order, and no
  /// others.
  public func formBody(_ fields: [String: String]) -> RequestPattern {
    let names = fields.keys.sorted().joined(separator: ", ")
    return adding("with the form fields \(names)") { request in
      guard let actual = RequestText.formFields(request.text) else { return "the body is not a form" }
      for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
        guard let found = actual.first(where: { $0.0 == name }) else { return "the form has no \(name)" }
        if found.1 != value {
          let text = RequestText.queryValue(RequestText.excerpt(found.1), of: name)
          return "the form field \(name) is \"\(text)\""
        }
      }
      return actual.first { fields[$0.0] == nil }.map { "the form field \($0.0) is not expected" }
    }
  }

  /// Adds a condition of the test.
  ///
  /// - Parameters:
  ///   - description: The condition as it is shown in messages, such as `an odd number`.
  ///   - condition: Returns whether a request matches. It may be called several times, from any thread.
  public func matching(
    _ description: String, _ condition: @escaping @Sendable (ReceivedRequest) -> Bool
  ) -> RequestPattern {
    adding("that matches \(description)") { condition($0) ? nil : "it does not match \(description)" }
  }

  private func adding(
    _ description: String, _ difference: @escaping @Sendable (ReceivedRequest) -> String?
  ) -> RequestPattern {
    var pattern = self
    pattern.conditions.append(Condition(description: description, difference: difference))
    return pattern
  }

  // MARK: Comparing

  /// Whether a request matches.
  public func matches(_ request: ReceivedRequest) -> Bool { match(request).differences.isEmpty }

  /// Compares a request. Returns the named segments of its path, or what differs.
  func match(_ request: ReceivedRequest) -> (parameters: [String: String], differences: [String]) {
    var differences: [String] = []
    if let method, method != request.method {
      differences.append("the method is \(request.method), not \(method)")
    }
    let (parameters, urlDifferences) = url?.match(request.url) ?? ([:], [])
    differences += urlDifferences
    var named = request
    named.parameters = parameters
    differences += conditions.compactMap { $0.difference(named) }
    return (parameters, differences)
  }

  /// Returns the request with the named segments of its path, or nil if it does not match.
  func matched(_ request: ReceivedRequest) -> ReceivedRequest? {
    let match = match(request)
    guard match.differences.isEmpty else { return nil }
    var named = request
    named.parameters = match.parameters
    return named
  }
}

extension RequestPattern: ExpressibleByStringLiteral {
  /// Creates a pattern from a text such as `GET /dogs/:id?page=2`.
  public init(stringLiteral text: String) { self.init(text) }
}

extension RequestPattern: CustomStringConvertible {
  /// The pattern in one line.
  public var description: String {
    let head = [method ?? (url == nil ? "any request" : "ANY"), url?.text].compactMap { $0 }
    return (head + conditions.map(\.description)).joined(separator: " ")
  }
}
