#if !canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

/// The loads of a session that lead others or follow them, with their timers.
final class SharedLoads: Sendable {
  /// How long a load waits for another one.
  struct Limits: Sendable {
    /// The maximum time until the head of the response arrives. A server that takes longer may hold its response back.
    var head = Duration.seconds(2)
    /// The maximum time in total.
    var total = Duration.seconds(5)
  }

  private struct Follower: Sendable {
    let since: ContinuousClock.Instant
    let resume: @Sendable (LoadSharing.Release) -> Void
    var timer: QuestionTimer?
  }

  private struct State: Sendable {
    var sharing = LoadSharing()
    var followers: [LoadSharing.Load: Follower] = [:]
    var limits = Limits()
  }

  private let state = Mutex(State())

  /// How long loads wait. For tests.
  var limits: Limits {
    get { state.withLock { $0.limits } }
    set { state.withLock { $0.limits = newValue } }
  }

  /// For tests.
  var followerCount: Int { state.withLock { $0.followers.count } }

  enum Joined: Sendable {
    case alone
    case leads(LeadingLoad)
    /// The load was registered. The value ends the wait when it is released.
    case follows(FollowingLoad)
  }

  /// Registers a load that is about to ask the server.
  ///
  /// - Parameters:
  ///   - since: When the load began to wait for others; nil if it has not.
  ///   - timeout: The maximum time that the request allows without data; a load waits for a quarter of it at most.
  ///   - resume: Called once on a background queue if the load follows, unless it leaves before.
  func join(
    _ request: LoadSharing.Request, mayLead: Bool, since: ContinuousClock.Instant?, timeout: Duration?,
    resume: @escaping @Sendable (LoadSharing.Release) -> Void
  ) -> Joined {
    let start = since ?? .now
    let (role, limit) = state.withLock { state -> (LoadSharing.Role, Duration) in
      let limit = min(state.limits.head, (timeout ?? .seconds(60)) / 4)
      var request = request
      // A load that has waited long enough may lead, but not follow.
      if let since, since.duration(to: .now) >= limit { request.priority = .infinity }
      let role = state.sharing.join(request, mayLead: mayLead)
      if case .follows(let load) = role { state.followers[load] = Follower(since: start, resume: resume) }
      return (role, limit)
    }
    switch role {
    case .alone: return .alone
    case .leads(let load): return .leads(LeadingLoad(load, self))
    case .follows(let load):
      setTimer(load, at: start + limit, isFinal: false)
      return .follows(FollowingLoad(load, self))
    }
  }

  private func setTimer(_ load: LoadSharing.Load, at end: ContinuousClock.Instant, isFinal: Bool) {
    let timer = QuestionTimer(after: max(.zero, ContinuousClock.now.duration(to: end))) { [weak self] in
      self?.expired(load, isFinal: isFinal)
    }
    // The timer of a load that was released in the meantime is dropped, outside the lock.
    let previous = state.withLock { state -> QuestionTimer? in
      guard let previous = state.followers[load] else { return timer }
      state.followers[load]?.timer = timer
      return previous.timer
    }
    withExtendedLifetime(previous) {}
  }

  private func expired(_ load: LoadSharing.Load, isFinal: Bool) {
    let (expiry, follower, total) = state.withLock { state in
      let expiry = state.sharing.expired(load, isFinal: isFinal)
      let follower = expiry == .alone ? state.followers.removeValue(forKey: load) : state.followers[load]
      return (expiry, follower, state.limits.total)
    }
    guard let follower else { return }
    switch expiry {
    case .alone: follower.resume(.alone)
    case .waitsForEnd: setTimer(load, at: follower.since + total, isFinal: true)
    case .released: break
    }
  }

  /// A request has changed what its URL returns. Loads that wait for an older response ask the server themselves.
  func invalidate(_ key: CacheKey) {
    release { $0.invalidate(key).map { ($0, .alone) } }
  }

  fileprivate func receivedHead(_ leader: LoadSharing.Load, _ selection: VarySelection?) {
    release { $0.receivedHead(leader, selection: selection).map { ($0, .alone) } }
  }

  fileprivate func stalled(_ leader: LoadSharing.Load) {
    release { $0.stalled(leader).map { ($0, .alone) } }
  }

  fileprivate func ended(_ leader: LoadSharing.Load, _ end: LoadSharing.End) {
    release { $0.ended(leader, end) }
  }

  fileprivate func leave(_ load: LoadSharing.Load) {
    let follower = state.withLock { state in
      state.sharing.leave(load)
      return state.followers.removeValue(forKey: load)
    }
    withExtendedLifetime(follower) {}
  }

  private func release(
    _ event: (inout LoadSharing) -> [(load: LoadSharing.Load, release: LoadSharing.Release)]
  ) {
    let released = state.withLock { state in
      event(&state.sharing).compactMap { load, release in
        state.followers.removeValue(forKey: load).map { ($0, release) }
      }
    }
    // This may be the thread of all transfers, and a follower may deliver a stored body.
    for (follower, release) in released { DispatchQueue.global().async { follower.resume(release) } }
  }
}

/// A load that others may follow. They are released when it ends, at the latest when this value is released.
final class LeadingLoad: Sendable {
  private let load: LoadSharing.Load
  private let loads: SharedLoads
  private let isOver = Flag()

  init(_ load: LoadSharing.Load, _ loads: SharedLoads) {
    self.load = load
    self.loads = loads
  }

  deinit { end(.failed) }

  /// - Parameter selection: What selects the response; nil if it cannot answer other requests.
  func receivedHead(_ selection: VarySelection?) { loads.receivedHead(load, selection) }

  /// The reader of the response does not keep up.
  func stalled() { loads.stalled(load) }

  /// The first call counts.
  func end(_ end: LoadSharing.End) {
    if isOver.setOnce() { loads.ended(load, end) }
  }
}

/// A load that waits for another one. Releasing it ends the wait.
final class FollowingLoad: PendingWait {
  private let load: LoadSharing.Load
  private let loads: SharedLoads

  init(_ load: LoadSharing.Load, _ loads: SharedLoads) {
    self.load = load
    self.loads = loads
  }

  deinit { loads.leave(load) }
}
#endif
