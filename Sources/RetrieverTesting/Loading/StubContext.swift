import Foundation
import Retriever
import Synchronization

/// What answers the requests of ``StubProtocol``.
protocol StubSource: AnyObject, Sendable {
  var timer: StubTimer { get }
  var maximumBodyBytes: Int { get }
  /// Decides about a request. It is called once for each.
  func receive(_ arrival: StubArrival) -> StubAssignment
}

/// A request before it has a number.
struct StubArrival: Sendable {
  let request: URLRequest
  let url: URL
  let headers: [String: String]
  let body: BodyReader.Body
}

/// The decision about a request.
struct StubAssignment: Sendable {
  let request: ReceivedRequest
  /// When the request arrived, on the timer of the stubs.
  let arrival: Duration
  let answer: AnswerSequence.Handler
  /// Takes what the network responded, if that is recorded.
  var record: (@Sendable (NetworkExchange) -> Void)?
}

/// The stubs of one configuration, and the session for requests that go to the network.
final class StubContext: Sendable {
  let source: any StubSource
  private let networkSession = Mutex<URLSession?>(nil)

  init(source: any StubSource) { self.source = source }

  deinit { networkSession.withLock { $0.take() }?.finishTasksAndInvalidate() }

  /// Returns the session for requests that go to the network. It is created when it is first used.
  func session(_ configuration: URLSessionConfiguration) -> URLSession {
    if let session = networkSession.withLock({ $0 }) { return session }
    let created = URLSession(configuration: Self.withoutStubs(configuration))
    return networkSession.withLock { session in
      let used = session ?? created
      session = used
      return used
    }
  }

  /// Returns a copy of a configuration that loads over the network.
  static func withoutStubs(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
    guard let copy = configuration.copy() as? URLSessionConfiguration else { return .ephemeral }
    copy.protocolClasses = copy.protocolClasses?.filter { !($0 is StubProtocol.Type) }
    #if !canImport(Darwin)
    copy.protocolContext = nil
    #endif
    return copy
  }
}
