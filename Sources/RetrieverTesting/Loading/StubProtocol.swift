import Foundation
import Retriever
import Synchronization

/// Loads the requests of a session with stubs.
///
/// The configuration of the session refers to the stubs, so that sessions with different stubs do not affect each other.
class StubProtocol: URLProtocol, @unchecked Sendable {
  // Unchecked because its superclass is not Sendable. The invariant: the session calls one method at a time, and this
  // class adds only a property under a lock.
  private let load = Mutex<StubLoad?>(nil)

  /// The stubs of a task's session; nil if it has none.
  class func context(of task: URLSessionTask) -> StubContext? {
    #if canImport(Darwin)
    nil
    #else
    task.sessionConfiguration.protocolContext as? StubContext
    #endif
  }

  /// The configuration of a task's session.
  class func configuration(of task: URLSessionTask) -> URLSessionConfiguration {
    #if canImport(Darwin)
    .ephemeral
    #else
    task.sessionConfiguration
    #endif
  }

  override class func canInit(with request: URLRequest) -> Bool { false }

  override class func canInit(with task: URLSessionTask) -> Bool {
    guard let scheme = task.currentRequest?.url?.scheme?.lowercased() else { return false }
    // These have their content with them, and need no network.
    return scheme != "data" && scheme != "file" && context(of: task) != nil
  }

  override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  override func startLoading() {
    guard let task, let client, let context = Self.context(of: task), let url = request.url else {
      let error = URLError.stub(.unsupportedURL, "The request has no URL.", nil)
      client?.urlProtocol(self, didFailWithError: error)
      return
    }
    let settings = StubSettings(configuration: Self.configuration(of: task))
    let started = StubLoad(
      request: request, url: url, context: context, settings: settings, output: StubOutput(self, client))
    load.withLock { $0 = started }
    started.start()
  }

  override func stopLoading() { load.withLock { $0.take() }?.cancel() }

  /// The session has room for more of the body.
  func bodyIsWanted() { load.withLock { $0 }?.demand.signal() }
}

#if !canImport(Darwin)
extension StubProtocol: PullingProtocol {
  package func loadMore() { bodyIsWanted() }
}
#endif
