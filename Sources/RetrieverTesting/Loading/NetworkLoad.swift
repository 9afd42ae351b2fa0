import Foundation
import Retriever
import Synchronization

/// Loads a request over the network, and passes everything to the session that asked for it.
final class NetworkLoad: NSObject, URLSessionTaskDelegate, Sendable {
  private let request: URLRequest
  private let received: ReceivedRequest
  private let session: URLSession
  private let output: StubOutput
  private let demand: Demand
  private let record: (@Sendable (NetworkExchange) -> Void)?

  init(
    request: URLRequest, received: ReceivedRequest, session: URLSession, output: StubOutput, demand: Demand,
    record: (@Sendable (NetworkExchange) -> Void)?
  ) {
    self.request = request
    self.received = received
    self.session = session
    self.output = output
    self.demand = demand
    self.record = record
  }

  /// Loads the response.
  ///
  /// - Parameter next: Returns the request that follows a redirect; nil if the response is not one.
  func run(next: (HTTPURLResponse) throws -> URLRequest?) async throws {
    var exchange = NetworkExchange(request: received, start: Date())
    do {
      #if canImport(Darwin)
      let (data, response) = try await session.data(for: request, delegate: self)
      let pieces = AsyncStream<Data> { stream in
        stream.yield(data)
        stream.finish()
      }
      #else
      let (bytes, response) = try await session.bytes(for: request, delegate: self)
      let pieces = bytes.chunks
      #endif
      exchange.response = response as? HTTPURLResponse
      if let head = exchange.response, let next = try next(head) {
        // The session may stop this load when it knows the redirect, so that comes last. Its body is short.
        for try await piece in pieces where exchange.body.count < Self.maximumRedirectBody {
          keep(piece, &exchange)
        }
        record?(exchange)
        output.redirect(to: next, head)
        return output.deliver(exchange.body)
      }
      output.respond(response)
      for try await piece in pieces {
        if record != nil { keep(piece, &exchange) }
        try await demand.wait()
        output.deliver(piece)
      }
      record?(exchange)
    } catch {
      exchange.error = error as? URLError
      if !Task.isCancelled { record?(exchange) }
      throw error
    }
  }

  private static let maximumRedirectBody = 1 << 20

  private func keep(_ piece: Data, _ exchange: inout NetworkExchange) {
    exchange.bodyLength += Int64(piece.count)
    exchange.body.append(piece.prefix(max(0, NetworkExchange.maximumBodyBytes - exchange.body.count)))
  }

  /// Leaves redirects to the session that asked for the load.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest
  ) async -> URLRequest? {
    nil
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    let reply = ChallengeReply()
    output.ask(URLAuthenticationChallenge(authenticationChallenge: challenge, sender: reply))
    switch try? await reply.value() {
    case .credential(let credential): return (.useCredential, credential)
    case .noCredential: return (.rejectProtectionSpace, nil)
    case .defaultHandling: return (.performDefaultHandling, nil)
    case .cancel, nil: return (.cancelAuthenticationChallenge, nil)
    }
  }
}
