import Foundation
import Retriever

/// Loads all replies with Retriever. Each reply has a separate session, and so a separate connection.
struct RetrieverClient {
  private static let concurrency = 8

  let transport: URLSessionConfiguration.Transport

  func load(_ replies: [RawReply], from server: ReplyServer) async -> [Outcome] {
    await withTaskGroup(of: (Int, Outcome).self) { group in
      var outcomes = [Outcome?](repeating: nil, count: replies.count)
      for number in replies.indices {
        if number >= Self.concurrency, let (done, outcome) = await group.next() { outcomes[done] = outcome }
        group.addTask { (number, await outcome(of: replies[number], at: server.address(number))) }
      }
      for await (done, outcome) in group { outcomes[done] = outcome }
      return outcomes.compactMap { $0 }
    }
  }

  private func outcome(of reply: RawReply, at address: String) async -> Outcome {
    guard let url = URL(string: address) else { return .failure(.other, "no URL") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.transport = transport
    configuration.timeoutIntervalForResource = TimeInterval(CurlClient.timeLimit)
    let session = URLSession(configuration: configuration)
    defer { session.finishTasksAndInvalidate() }
    var request = URLRequest(url: url)
    request.httpMethod = reply.method
    do {
      let (body, response) = try await session.data(for: request, delegate: StayingDelegate())
      guard let response = response as? HTTPURLResponse else { return .failure(.other, "no HTTP response") }
      var fields: [String: String] = [:]
      for (name, value) in response.allHeaderFields { fields["\(name)".lowercased()] = "\(value)" }
      return .response(Outcome.Response(status: response.statusCode, fields: fields, body: body))
    } catch let error as URLError {
      return .failure(Self.failure(error), "\(error.errorCode)")
    } catch {
      return .failure(.other, "\(error)")
    }
  }

  private static func failure(_ error: URLError) -> Outcome.Failure {
    // Apple has one code for both errors. The message distinguishes them.
    if error.code == .badServerResponse, error.localizedDescription.contains("too long") { return .tooLarge }
    return switch error.code {
    case .badServerResponse, .cannotParseResponse, .unsupportedURL: .notHTTP
    case .networkConnectionLost: .cut
    case .cannotDecodeContentData, .cannotDecodeRawData: .undecodable
    case .dataLengthExceedsMaximum: .tooLarge
    case .timedOut: .timedOut
    default: .other
    }
  }
}

/// Does not follow redirects, like `curl`.
private final class StayingDelegate: NSObject, URLSessionTaskDelegate {
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }
}
