import Foundation
import KennelLoad
import Retriever
import TerminalProgram

/// Sends the requests of one person to one address.
struct KennelClient: Sendable {
  let address: LoadAddress
  let session: URLSession
  /// The session's cookie; nil for a visitor without an account.
  var cookie: String?

  struct Answer: Sendable {
    var status: Int
    var fields: [String: String]
    var body: Data

    func value<Value: Decodable>(_ type: Value.Type) throws -> Value {
      try JSONDecoder().decode(type, from: body)
    }
  }

  /// - Parameter connections: the maximum number of concurrent requests.
  static func session(connections: Int) -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.urlCache = nil
    configuration.httpCookieStorage = nil
    configuration.httpShouldSetCookies = false
    configuration.connectionProxyDictionary = [:]
    configuration.timeoutIntervalForRequest = 30
    return URLSession(configuration: configuration)
  }

  func request(_ method: String, _ path: String, _ fields: [String: String] = [:]) throws -> URLRequest {
    guard let url = address.url(path) else {
      throw Failure(.failure, "\(address.text)\(path) is not a valid URL.")
    }
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let cookie { request.setValue(cookie, forHTTPHeaderField: "Cookie") }
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }

  func send(
    _ method: String, _ path: String, _ fields: [String: String] = [:], body: Data? = nil
  ) async throws -> Answer {
    var request = try request(method, path, fields)
    request.httpBody = body
    let (data, response) = try await session.data(for: request)
    guard let response = response as? HTTPURLResponse else {
      throw Failure(.failure, "\(address.text) sent no HTTP response.")
    }
    var found: [String: String] = [:]
    for name in ["ETag", "Set-Cookie"] { found[name] = response.value(forHTTPHeaderField: name) }
    return Answer(status: response.statusCode, fields: found, body: data)
  }

  func send(_ method: String, _ path: String, json: [String: String]) async throws -> Answer {
    try await send(
      method, path, ["Content-Type": "application/json", "Accept": "application/json"],
      body: JSONEncoder().encode(json))
  }

  /// Sends a request whose failure ends the load before it starts.
  func prepare(
    _ purpose: String, _ method: String, _ path: String, json: [String: String]? = nil
  ) async throws -> Answer {
    let answer: Answer
    do {
      answer = if let json { try await send(method, path, json: json) } else { try await send(method, path) }
    } catch let error as URLError {
      throw Failure(.failure, "Could not \(purpose) at \(address.text): \(error.localizedDescription)")
    }
    guard (200..<300).contains(answer.status) else {
      throw Failure(
        .failure,
        "Could not \(purpose) at \(address.text): status \(answer.status). \(Self.explanation(answer.body))")
    }
    return answer
  }

  /// Returns the sentence of a problem document, which contains no secrets.
  private static func explanation(_ body: Data) -> String {
    struct Document: Decodable { var detail: String? }
    return (try? JSONDecoder().decode(Document.self, from: body))?.detail ?? ""
  }
}
