import Foundation
import Retriever

// A client over protocols, so that tests replace the session.

protocol URLSessionDataTaskProtocol {
  func resume()
  func cancel()
}

protocol URLSessionProtocol {
  typealias DataTaskResult = (Data?, URLResponse?, Error?) -> Void
  func dataTask(with request: URLRequest, completionHandler: @escaping DataTaskResult)
    -> URLSessionDataTaskProtocol
  func data(for request: URLRequest) async throws -> (Data, URLResponse)
}

extension URLSessionDataTask: URLSessionDataTaskProtocol {}

extension URLSession: URLSessionProtocol {
  func dataTask(
    with request: URLRequest, completionHandler: @escaping DataTaskResult
  ) -> URLSessionDataTaskProtocol {
    return dataTask(with: request, completionHandler: completionHandler) as URLSessionDataTask
  }

  func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    return try await data(for: request, delegate: nil)
  }
}

final class WeatherService {
  enum Failure: Error, Equatable {
    case noData
    case server(Int)
  }

  private let session: URLSessionProtocol
  private var current: URLSessionDataTaskProtocol?

  init(session: URLSessionProtocol = URLSession.shared) {
    self.session = session
  }

  func forecast(for city: String, completion: @escaping (Result<String, Error>) -> Void) {
    current?.cancel()
    let request = URLRequest(url: URL(string: "https://weather.example.com/\(city)")!)
    current = session.dataTask(with: request) { data, response, error in
      if let error = error { return completion(.failure(error)) }
      if let http = response as? HTTPURLResponse, http.statusCode != 200 {
        return completion(.failure(Failure.server(http.statusCode)))
      }
      guard let data = data else { return completion(.failure(Failure.noData)) }
      completion(.success(String(decoding: data, as: UTF8.self)))
    }
    current?.resume()
  }

  func forecast(for city: String) async throws -> String {
    let request = URLRequest(url: URL(string: "https://weather.example.com/\(city)")!)
    let (data, _) = try await session.data(for: request)
    return String(decoding: data, as: UTF8.self)
  }
}

/// A client that knows only `URLSession`.
final class PlainLoader {
  let session: URLSession
  init(session: URLSession) { self.session = session }

  func load(_ url: URL, completion: @escaping (Data?, Error?) -> Void) -> URLSessionDataTask {
    let task = session.dataTask(with: url) { data, _, error in completion(data, error) }
    task.resume()
    return task
  }
}
