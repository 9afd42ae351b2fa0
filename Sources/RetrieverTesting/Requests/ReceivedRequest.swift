import Foundation
import Retriever

/// A request that ``HTTPStubs`` received, with its body.
public struct ReceivedRequest: Sendable {
  /// The position of the request among all that the stubs received; the first one is 1.
  public let number: Int

  /// The request as the session gave it to the stubs. The body is in ``body``.
  public let request: URLRequest

  /// The URL.
  public let url: URL

  /// The header fields: those of the request, and those that the session would add, which are its
  /// `httpAdditionalHeaders` and the cookies of its storage.
  public let headers: [String: String]

  /// The body, from data, a file or a stream. It is cut at ``HTTPStubs/Limits/bodyBytes``.
  public let body: Data

  /// The complete length of the body in bytes.
  public let bodyLength: Int

  /// The parts of the path that a pattern names, such as `id` for `/dogs/:id`: the pattern that found this request, or else
  /// that of the stub that answered it.
  public internal(set) var parameters: [String: String] = [:]

  /// The method, in upper case as it was set.
  public var method: String { request.httpMethod ?? "GET" }

  /// The path of the URL, without percent encoding; `/` for an empty one.
  public var path: String {
    let path = url.path(percentEncoded: false)
    return path.isEmpty ? "/" : path
  }

  /// The items of the URL's query, in their order.
  public var query: [URLQueryItem] {
    URLComponents(url: url, resolvingAgainstBaseURL: true)?.queryItems ?? []
  }

  /// The body as text. Invalid UTF-8 is replaced.
  public var text: String { String(decoding: body, as: UTF8.self) }

  /// Returns the value of a header field, ignoring the case of its name; nil if there is none.
  public func value(forHTTPHeaderField name: String) -> String? {
    if let value = headers[name] { return value }
    let folded = name.lowercased()
    return headers.first { $0.key.lowercased() == folded }?.value
  }

  /// Returns the value of the first query item with a name; nil if there is none.
  public func queryValue(_ name: String) -> String? { query.first { $0.name == name }?.value }

  /// Decodes the body from JSON.
  ///
  /// - Throws: `DecodingError`.
  public func decode<Value: Decodable>(
    _ type: Value.Type = Value.self, using decoder: JSONDecoder = JSONDecoder()
  ) throws -> Value {
    try decoder.decode(type, from: body)
  }

  /// Whether ``body`` is only the beginning of the body.
  var isCut: Bool { body.count < bodyLength }
}

extension ReceivedRequest: CustomStringConvertible {
  /// The method and the URL, without passwords and tokens.
  public var description: String { "\(method) \(RequestText.url(url))" }
}
