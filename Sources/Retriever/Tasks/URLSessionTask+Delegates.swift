#if !canImport(Darwin)
import Foundation
import Synchronization

// Calls delegates. For each method, the task's delegate comes first, then the session's.
extension URLSessionTask {
  var hasDelegates: Bool { lockedState.withLock { $0.delegate != nil } || sessionDelegate != nil }

  /// The session's delegate, unless it knows nothing of the task.
  var sessionDelegate: (any URLSessionDelegate)? { isInternal ? nil : session.currentDelegate }

  var delegatesInOrder: [any URLSessionDelegate] {
    let own = lockedState.withLock { $0.delegate }
    let ofSession = sessionDelegate
    if let own, let ofSession, own === ofSession { return [ofSession] }
    return [own as (any URLSessionDelegate)?, ofSession].compactMap { $0 }
  }

  /// Calls the first delegate that implements the method, on the delegate queue. Calls `otherwise` if none does.
  func notifyDelegate<Delegate>(
    _ method: DelegateMethod, _ type: Delegate.Type, _ call: @escaping @Sendable (Delegate) -> Void,
    otherwise: @escaping @Sendable () -> Void = {}
  ) {
    let delegates = delegatesInOrder
    session.callQueue.post { Self.notifyDelegate(method, delegates, call, otherwise: otherwise) }
  }

  /// Does the same on the caller's thread.
  func notifyDelegateNow<Delegate>(
    _ method: DelegateMethod, _ type: Delegate.Type, _ call: (Delegate) -> Void
  ) {
    Self.notifyDelegate(method, delegatesInOrder, call)
  }

  private static func notifyDelegate<Delegate>(
    _ method: DelegateMethod, _ delegates: [any URLSessionDelegate], _ call: (Delegate) -> Void,
    otherwise: () -> Void = {}
  ) {
    for delegate in delegates {
      guard !DelegateMethods.isMissing(method, in: delegate), let typed = delegate as? Delegate else {
        continue
      }
      if DelegateProbe.isImplemented(method, by: delegate, { call(typed) }) { return }
      DelegateMethods.noteMissing(method, in: delegate)
    }
    otherwise()
  }

  /// Asks the first delegate that implements the method. `then` gets its answer, once, or nil if none implements it.
  func ask<Delegate, Answer: Sendable>(
    _ method: DelegateMethod, of type: Delegate.Type,
    _ call: @escaping @Sendable (Delegate, @escaping @Sendable (Answer) -> Void) -> Void,
    then: @escaping @Sendable (Answer?) -> Void
  ) {
    let delegates = delegatesInOrder.filter { !DelegateMethods.isMissing(method, in: $0) && $0 is Delegate }
    guard !delegates.isEmpty else { return then(nil) }
    ask(method, delegates[...], call, then: then)
  }

  private func ask<Delegate, Answer: Sendable>(
    _ method: DelegateMethod, _ delegates: ArraySlice<any URLSessionDelegate>,
    _ call: @escaping @Sendable (Delegate, @escaping @Sendable (Answer) -> Void) -> Void,
    then: @escaping @Sendable (Answer?) -> Void
  ) {
    guard let delegate = delegates.first else { return then(nil) }
    let others = delegates.dropFirst()
    session.callQueue.post {
      guard let typed = delegate as? Delegate else { return self.ask(method, others, call, then: then) }
      let isAnswered = Flag()
      DelegateProbe.watch(method, of: delegate) { probe in
        call(typed) { answer in
          // If a handler is called twice, only the first answer counts.
          guard isAnswered.setOnce() else { return }
          guard probe.foundDefault else {
            if method.decidesAboutConnections { DelegateMethods.notePresent(method, in: delegate) }
            return then(answer)
          }
          DelegateMethods.noteMissing(method, in: delegate)
          self.ask(method, others, call, then: then)
        }
      }
    }
  }
}

/// A flag that can be set once.
final class Flag: Sendable {
  private let isSet = Atomic<Bool>(false)

  /// Sets the flag. Returns true for the first caller only.
  func setOnce() -> Bool {
    isSet.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged
  }
}
#endif
