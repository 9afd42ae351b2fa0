import Foundation
import KennelModel
import KennelStorage
import Retriever
import RetrieverBridges
import Synchronization

/// A delegate that receives the events of a link, on a thread of the link.
package protocol PeerLinkDelegate: AnyObject, Sendable {
  /// Called for each event.
  func peerLink(_ link: PeerLink, didReceive event: PeerEvent)
  /// Called when the link ends: the other kennel closed it, the connection failed, or the response was not valid. This
  /// is the last call. It is not called after ``PeerLink/close()``.
  func peerLink(_ link: PeerLink, didCloseWith failure: PeerFailure)
}

/// A connection to the events of another kennel, with a delegate, as in code written before async/await.
///
/// ``PeerLinkContinuation`` is the bridge to async/await.
package final class PeerLink: Sendable {
  private enum State {
    case idle
    case open(URLSessionTask)
    case closed
  }

  private let peer: PeerAddress
  private let session: URLSession
  private let token: PeerToken?
  private let state = Mutex(State.idle)
  private struct Owner: Sendable { weak var delegate: (any PeerLinkDelegate)? }
  private let owner: Mutex<Owner>

  /// - Parameters:
  ///   - token: the token for the other kennel, if it needs one.
  ///   - delegate: held weakly.
  package init(
    to peer: PeerAddress, session: URLSession, token: PeerToken? = nil, delegate: any PeerLinkDelegate
  ) {
    self.peer = peer
    self.session = session
    self.token = token
    owner = Mutex(Owner(delegate: delegate))
  }

  deinit { close() }

  /// Connects. A link can be opened only once.
  package func open() {
    var request = PeerTransport.request(peer.events, token: token)
    request.setValue("application/x-ndjson", forHTTPHeaderField: "Accept")
    let task = session.dataTask(with: request)
    let isFirst = state.withLock { state in
      guard case .idle = state else { return false }
      state = .open(task)
      return true
    }
    // A task that was never resumed does not report its end.
    guard isFirst else { return task.cancel() }
    task.delegate = LinkFeed(self)
    task.resume()
  }

  /// Ends the link. The delegate is not called again.
  package func close() {
    if let task = end() { task.cancel() }
  }

  fileprivate func received(_ events: [PeerEvent]) {
    guard let delegate = openDelegate else { return }
    for event in events { delegate.peerLink(self, didReceive: event) }
  }

  fileprivate func failed(_ failure: PeerFailure) {
    guard let delegate = openDelegate, let task = end() else { return }
    task.cancel()
    delegate.peerLink(self, didCloseWith: failure)
  }

  private var openDelegate: (any PeerLinkDelegate)? {
    guard state.withLock({ if case .open = $0 { true } else { false } }) else { return nil }
    return owner.withLock { $0.delegate }
  }

  /// Ends the link. Returns the open task, or nil if there was none.
  private func end() -> URLSessionTask? {
    state.withLock { state in
      defer { state = .closed }
      guard case .open(let task) = state else { return nil }
      return task
    }
  }
}

/// The delegate of the link's task. The task retains it; it does not retain the link.
private final class LinkFeed: NSObject, URLSessionDataDelegate {
  private struct Target: Sendable { weak var link: PeerLink? }

  private let target: Mutex<Target>
  private let parser = Mutex(PeerEventParser())

  init(_ link: PeerLink) { target = Mutex(Target(link: link)) }

  private var link: PeerLink? { target.withLock { $0.link } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let failure = PeerFailure(response, expecting: [200]) else { return completionHandler(.allow) }
    link?.failed(failure)
    completionHandler(.cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let parsed = parser.withLock { parser in
      Result { () throws(KennelError) in try parser.append(data) }
    }
    switch parsed {
    case .success(let events): link?.received(events)
    case .failure(let error): link?.failed(.permanent(error))
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let closed = KennelError(.unreachable, "The other kennel has closed the connection.")
    link?.failed(error.map { PeerFailure($0) } ?? .temporary(closed))
  }
}

/// The delegate of a link and the bridge to async/await. A waiting caller is resumed once: with an event, with the end
/// of the link (a ``PeerFailure``), or by cancellation.
final class PeerLinkContinuation: PeerLinkDelegate {
  let slot = ContinuationSlot<PeerEvent>()

  /// The events from now on. Only the latest one is kept for a busy consumer, because every event means the same: ask
  /// the peer for its posts.
  var events: SlotEvents<PeerEvent> { slot.events(buffering: .droppingOldest(limit: 1)) }

  /// Returns the next event. `start` is called when no event can be missed any more.
  func next(after start: () -> Void = {}) async throws -> PeerEvent { try await slot.next(after: start) }

  func peerLink(_ link: PeerLink, didReceive event: PeerEvent) { slot.send(event) }

  func peerLink(_ link: PeerLink, didCloseWith failure: PeerFailure) { slot.finish(throwing: failure) }
}
