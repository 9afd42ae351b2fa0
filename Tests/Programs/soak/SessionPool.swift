import Foundation
import Retriever
import Synchronization
import TestSupport

/// The sessions of a run. A few exist at a time. Each runs several loads and is then invalidated in one of two ways.
final class SessionPool: Sendable {
  /// A session and the loads that are running on it.
  final class Member: Sendable {
    let session: URLSession
    let cancelsAtEnd: Bool
    let delegate: SoakDelegate?

    fileprivate struct State {
      var usesLeft: Int
      var users = 0
      var isRetired = false
    }

    fileprivate let state: Mutex<State>

    /// Whether the session may have been invalidated while its loads were running, which cancels them.
    var mayHaveCancelled: Bool { cancelsAtEnd && state.withLock { $0.isRetired } }

    fileprivate init(_ random: inout SeededRandom, authority: URL) {
      let configuration = URLSessionConfiguration.ephemeral
      configuration.trustedCertificates = .file(authority)
      configuration.httpMaximumConnectionsPerHost = Int.random(in: 1...8, using: &random)
      configuration.transport = Bool.random(using: &random) ? .own : .libcurl
      delegate = Bool.random(using: &random) ? SoakDelegate() : nil
      session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
      cancelsAtEnd = Int.random(in: 0..<10, using: &random) < 3
      state = Mutex(State(usesLeft: Int.random(in: 10..<150, using: &random)))
    }

    /// Invalidates the session. `finishTasksAndInvalidate()` is called only when no caller is about to start a task.
    fileprivate func retire() {
      let isFirst = state.withLock { state in
        defer { state.isRetired = true }
        return !state.isRetired
      }
      guard isFirst else { return }
      if cancelsAtEnd { session.invalidateAndCancel() } else { session.finishTasksAndInvalidate() }
    }
  }

  private static let size = 5

  private struct State {
    var random: SeededRandom
    var members: [Member] = []
    var made = 0
    var awaitingInvalidation: [SoakDelegate] = []
  }

  private let state: Mutex<State>
  private let authority: URL

  init(seed: UInt64) throws {
    authority = try TestAuthority.shared().authorityFile
    state = Mutex(State(random: SeededRandom(seed)))
  }

  /// The number of sessions created.
  var count: Int { state.withLock { $0.made } }

  /// Returns a session for a load. Call `release(_:)` afterwards.
  func take() -> Member {
    let (member, retired) = state.withLock { state -> (Member, Member?) in
      if state.members.count < Self.size {
        state.members.append(Member(&state.random, authority: authority))
        state.made += 1
      }
      let index = Int.random(in: 0..<state.members.count, using: &state.random)
      let member = state.members[index]
      let isUsedUp = member.state.withLock { member in
        member.users += 1
        member.usesLeft -= 1
        return member.usesLeft <= 0
      }
      if isUsedUp {
        state.members.remove(at: index)
        if let delegate = member.delegate { state.awaitingInvalidation.append(delegate) }
      }
      return (member, isUsedUp && member.cancelsAtEnd ? member : nil)
    }
    retired?.retire()
    return member
  }

  func release(_ member: Member) {
    let isLast = member.state.withLock { state in
      state.users -= 1
      return state.users == 0 && state.usesLeft <= 0
    }
    if isLast { member.retire() }
  }

  /// Invalidates the remaining sessions. No caller may be using them.
  func retireAll() {
    let members = state.withLock { state in
      defer { state.members = [] }
      state.awaitingInvalidation += state.members.compactMap(\.delegate)
      return state.members
    }
    for member in members { member.retire() }
  }

  /// Returns how many delegates were not notified of their session's end, and how many were notified more than once.
  func wronglyInvalidated() -> (missing: Int, repeated: Int) {
    state.withLock { state in
      let counts = state.awaitingInvalidation.map(\.invalidations)
      return (counts.count { $0 == 0 }, counts.count { $0 > 1 })
    }
  }

  /// Forgets the delegates that were notified exactly once.
  func forgetInvalidated() {
    state.withLock { state in state.awaitingInvalidation.removeAll { $0.invalidations == 1 } }
  }
}

/// Counts the notifications that its session has become invalid.
final class SoakDelegate: NSObject, URLSessionTaskDelegate {
  private let count = Mutex(0)

  var invalidations: Int { count.withLock { $0 } }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) {
    count.withLock { $0 += 1 }
  }
}
