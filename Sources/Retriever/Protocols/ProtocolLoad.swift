#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// Receives the events of one load by a `URLProtocol`, in order and one at a time.
protocol ProtocolLoadReceiver: AnyObject, Sendable {
  func loadDidReceive(response: URLResponse, storagePolicy: URLCache.StoragePolicy) -> TransferDisposition
  func loadDidReceive(data: Data) -> TransferDisposition
  func loadWasRedirected(to request: URLRequest, response: URLResponse) -> TransferDisposition
  func loadDidReceive(challenge: URLAuthenticationChallenge)
  func loadDidBecomeIdle()
  /// Whether the load ends because another request follows a redirect.
  var discardsLoad: Bool { get }
  func loadDidFinish(_ error: (any Error)?, isFinal: Bool)
}

/// A protocol object that reads in pieces, when the receiver of the previous ones has room.
package protocol PullingProtocol: URLProtocol {
  /// Reports the next piece, or the end.
  func loadMore()
}

/// One load by a `URLProtocol`: creates the object, and passes its reports to the task.
///
/// Methods of the object are called on a queue of their own, because they may block. The receiver is called on another
/// one, so that it gets reports while the object is busy.
final class ProtocolLoad: NSObject, URLProtocolClient, @unchecked Sendable {
  // Unchecked because NSObject is. Everything that changes is inside the lock; `object` is used on `workQueue` only.

  private enum Report {
    case response(URLResponse, URLCache.StoragePolicy)
    case data(Data)
    case redirect(URLRequest, URLResponse)
    case challenge(URLAuthenticationChallenge)
    case end((any Error)?)
  }

  // Unchecked because a challenge's sender need not be Sendable. Reports are passed on, not shared.
  private struct State: @unchecked Sendable {
    var machine = ProtocolLoadStateMachine<Report>()
    var lastReport = ContinuousClock.now
    /// Ends a load whose time is over. It is cancelled with the load, because a pending timer uses memory.
    var timer: (any DispatchSourceTimer)?
  }

  /// The request for the object. Its body is a stream.
  let request: URLRequest

  private let task: URLSessionTask
  private let receiver: any ProtocolLoadReceiver
  private let protocolClass: URLProtocol.Type
  private let cache: URLCache?
  private let idleTimeout: Duration?
  private let deadline: TransferDeadline?
  private let workQueue = DispatchQueue(label: "retriever.protocol")
  private let deliveryQueue = DispatchQueue(label: "retriever.protocol-reports")
  private let state = Mutex(State())
  private var object: URLProtocol?

  /// - Parameter cache: The cache that the object's `cachedResponse` comes from; nil if it gets none.
  init(
    _ protocolClass: URLProtocol.Type, request: URLRequest, task: URLSessionTask,
    receiver: any ProtocolLoadReceiver, cache: URLCache? = nil, idleTimeout: Duration?,
    deadline: TransferDeadline?
  ) {
    self.protocolClass = protocolClass
    self.request = request
    self.task = task
    self.receiver = receiver
    self.cache = cache
    self.idleTimeout = idleTimeout
    self.deadline = deadline
  }

  // MARK: Commands of the task

  /// Keeps the load from starting, or from being idle.
  func hold() { state.withLock { $0.machine.hold() } }

  func start() { perform(state.withLock { $0.machine.start() }) }

  /// Starts a held load, or lets a paused one continue.
  func resumeReceiving() {
    perform(
      state.withLock { state in
        if !state.machine.countsIdleTime { state.lastReport = .now }
        return state.machine.resume()
      })
  }

  func cancel() {
    let action = state.withLock { $0.machine.end() }
    guard action == .stop else { return }
    perform(action)
    deliveryQueue.async { self.finish(URLError.cancelled(self.request.url), isFinal: false) }
  }

  private func perform(_ action: ProtocolLoadStateMachine<Report>.Action) {
    switch action {
    case .none: break
    case .start:
      watchTime()
      workQueue.async { self.startObject() }
    case .deliver: deliveryQueue.async { self.deliver() }
    case .stop:
      state.withLock { $0.timer.take() }?.cancel()
      workQueue.async { self.stopObject() }
    }
  }

  private func startObject() {
    if state.withLock({ $0.machine.hasEnded }) { return }
    // The look-up may read a file.
    let object = protocolClass.init(
      task: task, cachedResponse: cache?.cachedResponse(for: request), client: self)
    self.object = object
    object.startLoading()
  }

  private func stopObject() {
    object?.stopLoading()
    object = nil
  }

  // MARK: Delivering

  private func deliver() {
    while true {
      if receiver.discardsLoad { return end(nil) }
      guard let report = state.withLock({ $0.machine.next() }) else { break }
      switch report {
      case .response(let response, let policy):
        apply(receiver.loadDidReceive(response: response, storagePolicy: policy))
      case .data(let data): apply(receiver.loadDidReceive(data: data))
      case .redirect(let request, let response):
        apply(receiver.loadWasRedirected(to: request, response: response))
      case .challenge(let challenge): receiver.loadDidReceive(challenge: challenge)
      case .end(let error): return end(error)
      }
    }
    receiver.loadDidBecomeIdle()
    if protocolClass is any PullingProtocol.Type, !state.withLock({ $0.machine.isPaused }) {
      workQueue.async { (self.object as? any PullingProtocol)?.loadMore() }
    }
  }

  private func apply(_ disposition: TransferDisposition) {
    switch disposition {
    case .proceed, .gather: break
    case .pause: state.withLock { $0.machine.pause() }
    case .stop: cancel()
    }
  }

  private func end(_ error: (any Error)?, isFinal: Bool = false) {
    let action = state.withLock { $0.machine.end() }
    guard action == .stop else { return }
    perform(action)
    finish(error, isFinal: isFinal)
  }

  private func finish(_ error: (any Error)?, isFinal: Bool) {
    // The reader of a stream gets the last bytes before the end.
    receiver.loadDidBecomeIdle()
    receiver.loadDidFinish(error, isFinal: isFinal)
  }

  // MARK: Time

  private func watchTime() {
    guard let delay = timeToNextCheck(idle: idleTimeout) else { return }
    let timer = DispatchSource.makeTimerSource(queue: deliveryQueue)
    timer.setEventHandler { [weak self] in self?.checkTime() }
    timer.schedule(deadline: .now() + delay.seconds)
    timer.resume()
    let isOver = state.withLock { state in
      if !state.machine.hasEnded { state.timer = timer }
      return state.machine.hasEnded
    }
    if isOver { timer.cancel() }
  }

  private func timeToNextCheck(idle: Duration?) -> Duration? {
    [idle, deadline?.remaining].compactMap { $0 }.min()
  }

  private func checkTime() {
    if let deadline, deadline.remaining == .zero {
      return end(URLError(.deadlinePassed, url: request.url), isFinal: true)
    }
    let (countsIdleTime, last, timer) = state.withLock {
      ($0.machine.countsIdleTime, $0.lastReport, $0.timer)
    }
    let rest = idleTimeout.map { countsIdleTime ? $0 - (ContinuousClock.now - last) : $0 }
    if let rest, let idleTimeout, rest <= .zero {
      return end(
        URLError(
          .timedOut, message: "\(protocolClass) reported nothing for \(idleTimeout.seconds) seconds.",
          url: request.url))
    }
    if let delay = timeToNextCheck(idle: rest) { timer?.schedule(deadline: .now() + delay.seconds) }
  }

  // MARK: Reports of the object

  private func report(_ report: Report, isLast: Bool = false) {
    perform(
      state.withLock { state in
        state.lastReport = .now
        return state.machine.report(report, isLast: isLast)
      })
  }

  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse
  ) {
    report(.redirect(request, redirectResponse))
  }

  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse) {
    report(.response(cachedResponse.response, .notAllowed))
    if !cachedResponse.data.isEmpty { report(.data(cachedResponse.data)) }
  }

  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse,
    cacheStoragePolicy policy: URLCache.StoragePolicy
  ) {
    report(.response(response, policy))
  }

  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data) {
    if !data.isEmpty { report(.data(data)) }
  }

  func urlProtocolDidFinishLoading(_ protocol: URLProtocol) { report(.end(nil), isLast: true) }

  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error) {
    report(.end(error), isLast: true)
  }

  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge) {
    report(.challenge(challenge))
  }

  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge) {}
}

extension Duration {
  fileprivate var seconds: Double { self / .seconds(1) }
}
#endif
