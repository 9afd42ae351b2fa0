#if !canImport(Darwin)
import Synchronization

/// Detects whether a delegate implements a method, like Objective-C's `respondsToSelector:`.
///
/// Every delegate method has a default implementation, which reports its object and method. The session calls a
/// delegate with a probe in place. If the default of that same object and method is reached, the delegate does not
/// implement the method, and the next delegate is asked. A delegate may call methods of other objects, and its own
/// other methods: their defaults do not affect the result.
final class DelegateProbe: Sendable {
  /// The probe of the current delegate call. It is a task-local value, so the default completion-handler method
  /// passes it to the task in which it awaits the async method.
  @TaskLocal private static var current: DelegateProbe?

  private let asked: ObjectIdentifier
  private let method: DelegateMethod
  private let wasForwarded = Atomic<Bool>(false)
  private let found = Atomic<Bool>(false)

  private init(_ method: DelegateMethod, of delegate: AnyObject) {
    self.asked = ObjectIdentifier(delegate)
    self.method = method
  }

  /// Whether the delegate does not implement the method.
  var foundDefault: Bool { found.load(ordering: .acquiring) }

  private static func current(_ method: DelegateMethod, of delegate: AnyObject) -> DelegateProbe? {
    guard let current, current.method == method, current.asked == ObjectIdentifier(delegate) else {
      return nil
    }
    return current
  }

  /// Called by the default implementation of a completion-handler method, which awaits the async method.
  static func forwarded(_ method: DelegateMethod, by delegate: AnyObject) {
    current(method, of: delegate)?.wasForwarded.store(true, ordering: .releasing)
  }

  /// Called by each default implementation that does not call another method.
  static func reachedDefault(_ method: DelegateMethod, of delegate: AnyObject) {
    guard let probe = current(method, of: delegate) else { return }
    // The delegate's own completion-handler method may await the async method that it does not implement.
    guard !method.hasAsyncForm || probe.wasForwarded.load(ordering: .acquiring) else { return }
    probe.found.store(true, ordering: .releasing)
  }

  /// Makes a call with a probe in place and passes the probe to it.
  static func watch(_ method: DelegateMethod, of delegate: AnyObject, _ call: (DelegateProbe) -> Void) {
    let probe = DelegateProbe(method, of: delegate)
    $current.withValue(probe) { call(probe) }
  }

  /// Makes a call and returns whether the delegate implements the method.
  static func isImplemented(_ method: DelegateMethod, by delegate: AnyObject, _ call: () -> Void) -> Bool {
    var foundDefault = false
    watch(method, of: delegate) { probe in
      call()
      foundDefault = probe.foundDefault
    }
    return !foundDefault
  }
}

/// The methods that each delegate type is known not to implement, so that they are not called again.
enum DelegateMethods {
  private struct Key: Hashable {
    let type: ObjectIdentifier
    let method: DelegateMethod
  }

  private static let missing = Mutex<Set<Key>>([])
  private static let present = Mutex<Set<Key>>([])

  /// Whether a delegate of this type has been found to implement the method.
  static func isPresent(_ method: DelegateMethod, in delegate: AnyObject) -> Bool {
    let key = Key(type: ObjectIdentifier(type(of: delegate)), method: method)
    return present.withLock { $0.contains(key) }
  }

  /// Only for methods whose presence matters before they are called.
  static func notePresent(_ method: DelegateMethod, in delegate: AnyObject) {
    let key = Key(type: ObjectIdentifier(type(of: delegate)), method: method)
    present.withLock { _ = $0.insert(key) }
  }

  static func isMissing(_ method: DelegateMethod, in delegate: AnyObject) -> Bool {
    let key = Key(type: ObjectIdentifier(type(of: delegate)), method: method)
    return missing.withLock { $0.contains(key) }
  }

  /// The size is limited by the program: one entry for each delegate type and method.
  static func noteMissing(_ method: DelegateMethod, in delegate: AnyObject) {
    let key = Key(type: ObjectIdentifier(type(of: delegate)), method: method)
    missing.withLock { _ = $0.insert(key) }
  }
}

enum DelegateMethod: Hashable {
  case didCreateTask, didReceiveSessionChallenge, didReceiveChallenge, willRedirect, needNewBodyStream
  case needNewBodyStreamFrom, willBeginDelayedRequest, isWaitingForConnectivity
  case didSendBodyData, didReceiveInformational, didFinishCollecting, didComplete
  case didReceiveResponse, didReceiveData, willCacheResponse, didBecomeDownload, didBecomeStream
  case didFinishDownloading, didWriteData, didResumeAtOffset
  case didOpenWithProtocol, didCloseWith
  case readClosed, writeClosed, didBecomeStreams

  /// Whether it matters before a call if a delegate has the method.
  var decidesAboutConnections: Bool { self == .didReceiveSessionChallenge || self == .didReceiveChallenge }

  /// Whether the method has a completion-handler form, which is called, and an async form, which that calls by
  /// default.
  var hasAsyncForm: Bool {
    switch self {
    case .didReceiveSessionChallenge, .didReceiveChallenge, .willRedirect, .needNewBodyStream,
      .needNewBodyStreamFrom, .willBeginDelayedRequest,
      .didReceiveResponse, .willCacheResponse:
      true
    default: false
    }
  }
}
#endif
