import Foundation
import Retriever

// A REST client as people write it: endpoints, a generic request, async calls and completion handlers.

enum APIError: Error, Equatable {
  case invalidResponse
  case status(Int, message: String?)
  case decoding
}

struct Endpoint<Response: Decodable> {
  var method = "GET"
  var path: String
  var query: [URLQueryItem] = []
  var body: Data?
}

struct User: Codable, Equatable {
  let id: Int
  var name: String
  var createdAt: Date?
}

protocol APIClientProtocol {
  func send<T: Decodable>(_ endpoint: Endpoint<T>) async throws -> T
}

final class APIClient: APIClientProtocol {
  private let baseURL: URL
  private let session: URLSession
  private let decoder: JSONDecoder = {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    decoder.dateDecodingStrategy = .iso8601
    return decoder
  }()

  init(baseURL: URL, session: URLSession = .shared) {
    self.baseURL = baseURL
    self.session = session
  }

  convenience init(baseURL: URL, token: String, protocolClasses: [AnyClass]? = nil) {
    let configuration = URLSessionConfiguration.default
    configuration.httpAdditionalHeaders = [
      "Authorization": "Bearer \(token)", "Accept": "application/json",
    ]
    configuration.timeoutIntervalForRequest = 10
    configuration.waitsForConnectivity = false
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.urlCache = nil
    configuration.httpShouldSetCookies = false
    if let protocolClasses = protocolClasses { configuration.protocolClasses = protocolClasses }
    self.init(baseURL: baseURL, session: URLSession(configuration: configuration))
  }

  private func makeRequest<T>(_ endpoint: Endpoint<T>) throws -> URLRequest {
    guard
      var components = URLComponents(
        url: baseURL.appendingPathComponent(endpoint.path), resolvingAgainstBaseURL: false)
    else { throw URLError(.badURL) }
    if !endpoint.query.isEmpty { components.queryItems = endpoint.query }
    guard let url = components.url else { throw URLError(.badURL) }
    var request = URLRequest(url: url, cachePolicy: .useProtocolCachePolicy, timeoutInterval: 30)
    request.httpMethod = endpoint.method
    if let body = endpoint.body {
      request.httpBody = body
      request.addValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    return request
  }

  private func decode<T: Decodable>(_ data: Data, _ response: URLResponse) throws -> T {
    guard let http = response as? HTTPURLResponse else { throw APIError.invalidResponse }
    switch http.statusCode {
    case 200..<300:
      do {
        return try decoder.decode(T.self, from: data)
      } catch {
        throw APIError.decoding
      }
    default: throw APIError.status(http.statusCode, message: String(data: data, encoding: .utf8))
    }
  }

  func send<T: Decodable>(_ endpoint: Endpoint<T>) async throws -> T {
    let (data, response) = try await session.data(for: try makeRequest(endpoint))
    return try decode(data, response)
  }

  @discardableResult
  func send<T: Decodable>(
    _ endpoint: Endpoint<T>, completion: @escaping (Result<T, Error>) -> Void
  ) -> URLSessionDataTask? {
    do {
      let task = session.dataTask(with: try makeRequest(endpoint)) { data, response, error in
        if let error = error { return completion(.failure(error)) }
        guard let data = data, let response = response else {
          return completion(.failure(APIError.invalidResponse))
        }
        completion(Result { try self.decode(data, response) })
      }
      task.priority = URLSessionTask.highPriority
      task.resume()
      return task
    } catch {
      completion(.failure(error))
      return nil
    }
  }

  func upload(_ data: Data, to path: String) async throws -> Int {
    var request = URLRequest(url: baseURL.appendingPathComponent(path))
    request.httpMethod = "PUT"
    let (_, response) = try await session.upload(for: request, from: data)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }
}
