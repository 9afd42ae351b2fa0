import Foundation
import Retriever
import Synchronization

/// Is told what a link receives, on a thread of the link's.
package protocol PeerLinkDelegate: AnyObject, Sendable {
  /// There is news.
  func peerLink(_ link: PeerLink, didReceive news: PeerNews)
  /// The link is over: closed by the other kennel, broken, or not what it ought to be. Called once, and last; not after
  /// ``PeerLink/close()``.
  func peerLink(_ link: PeerLink, didCloseWith failure: PeerFailure)
}

/// An open line to the events of another kennel, with a delegate, as code from before async/await has it.
///
/// ``PeerListener`` is the bridge to async/await.
package final class PeerLink: Sendable {
  private enum State {
    case idle
    case open(URLSessionTask)
    case closed
  }

  private let peer: PeerAddress
  private let session: URLSession
  private let state = Mutex(State.idle)
  private struct Owner: Sendable { weak var delegate: (any PeerLinkDelegate)? }
  private let owner: Mutex<Owner>

  /// - Parameter delegate: is not kept.
  package init(to peer: PeerAddress, session: URLSession, delegate: any PeerLinkDelegate) {
    self.peer = peer
    self.session = session
    owner = Mutex(Owner(delegate: delegate))
  }

  deinit { close() }

  /// Connects; a link is opened once.
  package func open() {
    var request = PeerTransport.request(peer.events)
    request.setValue("application/x-ndjson", forHTTPHeaderField: "Accept")
    let task = session.dataTask(with: request)
    let isFirst = state.withLock { state in
      guard case .idle = state else { return false }
      state = .open(task)
      return true
    }
    // One that was never begun tells nobody of its end.
    guard isFirst else { return task.cancel() }
    task.delegate = LinkFeed(self)
    task.resume()
  }

  /// Ends the link; the delegate hears nothing more.
  package func close() {
    if let task = end() { task.cancel() }
  }

  fileprivate func received(_ news: [PeerNews]) {
    guard let delegate = openDelegate else { return }
    for one in news { delegate.peerLink(self, didReceive: one) }
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

  /// The task that was open; nil when there was none.
  private func end() -> URLSessionTask? {
    state.withLock { state in
      defer { state = .closed }
      guard case .open(let task) = state else { return nil }
      return task
    }
  }
}

/// What the session tells of the link's transfer. The transfer keeps it; it does not keep the link.
private final class LinkFeed: URLSessionDataDelegate {
  private struct Target: Sendable { weak var link: PeerLink? }

  private let target: Mutex<Target>
  private let parser = Mutex(PeerNewsParser())

  init(_ link: PeerLink) { target = Mutex(Target(link: link)) }

  private var link: PeerLink? { target.withLock { $0.link } }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let failure = PeerFailure(response, hopingFor: [200]) else { return completionHandler(.allow) }
    link?.failed(failure)
    completionHandler(.cancel)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    let parsed = parser.withLock { parser in
      Result { () throws(KennelError) in try parser.append(data) }
    }
    switch parsed {
    case .success(let news): link?.received(news)
    case .failure(let error): link?.failed(.lasting(error))
    }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    completionHandler(nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let closed = KennelError(.unreachable, "The other kennel has ended the link.")
    link?.failed(error.map { PeerFailure($0) } ?? .passing(closed))
  }
}
