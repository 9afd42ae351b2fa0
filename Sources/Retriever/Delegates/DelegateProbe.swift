#if !canImport(Darwin)
  import Synchronization

  /// Finds out whether a delegate implements a method, as Objective-C's `respondsToSelector:` would.
  ///
  /// Every delegate method has a default implementation, and each default reports that it was reached, for which object
  /// and which method. A delegate is called with a probe in place; when the default was reached for the very object and
  /// method that were asked, the delegate has no such method, and the next delegate in line is asked instead. A delegate
  /// may call other objects' methods, and other methods of its own: their defaults say nothing about the one asked.
  final class DelegateProbe: Sendable {
    /// The probe of the delegate call that is under way. A task-local value: it follows the default completion-handler
    /// form into the task in which that form awaits the async one.
    @TaskLocal private static var current: DelegateProbe?

    private let asked: ObjectIdentifier
    private let method: DelegateMethod
    private let passedOn = Atomic<Bool>(false)
    private let found = Atomic<Bool>(false)

    private init(_ method: DelegateMethod, of delegate: AnyObject) {
      self.asked = ObjectIdentifier(delegate)
      self.method = method
    }

    /// Whether the delegate that was asked lacks the method.
    var foundDefault: Bool { found.load(ordering: .acquiring) }

    private static func current(_ method: DelegateMethod, of delegate: AnyObject) -> DelegateProbe? {
      guard let current, current.method == method, current.asked == ObjectIdentifier(delegate) else {
        return nil
      }
      return current
    }

    /// Called by the default of a completion-handler form, which awaits the async form.
    static func passedOn(_ method: DelegateMethod, by delegate: AnyObject) {
      current(method, of: delegate)?.passedOn.store(true, ordering: .releasing)
    }

    /// Called by each default that passes nothing on.
    static func reachedDefault(_ method: DelegateMethod, of delegate: AnyObject) {
      guard let probe = current(method, of: delegate) else { return }
      // A completion-handler form of the delegate's own may await the async form that it lacks.
      guard !method.hasAsyncForm || probe.passedOn.load(ordering: .acquiring) else { return }
      probe.found.store(true, ordering: .releasing)
    }

    /// Makes a call with a probe in place, and passes the probe to it.
    static func watch(_ method: DelegateMethod, of delegate: AnyObject, _ call: (DelegateProbe) -> Void) {
      let probe = DelegateProbe(method, of: delegate)
      $current.withValue(probe) { call(probe) }
    }

    /// Makes a call and returns whether the delegate had an implementation of its own.
    static func isImplemented(_ method: DelegateMethod, by delegate: AnyObject, _ call: () -> Void) -> Bool {
      var foundDefault = false
      watch(method, of: delegate) { probe in
        call()
        foundDefault = probe.foundDefault
      }
      return !foundDefault
    }
  }

  /// Which methods each delegate type was found not to implement, so that it is not asked for them again.
  enum DelegateMethods {
    private struct Key: Hashable {
      let type: ObjectIdentifier
      let method: DelegateMethod
    }

    private static let missing = Mutex<Set<Key>>([])

    static func isMissing(_ method: DelegateMethod, in delegate: AnyObject) -> Bool {
      let key = Key(type: ObjectIdentifier(type(of: delegate)), method: method)
      return missing.withLock { $0.contains(key) }
    }

    /// Bounded by the program: one entry for each delegate type and method.
    static func noteMissing(_ method: DelegateMethod, in delegate: AnyObject) {
      let key = Key(type: ObjectIdentifier(type(of: delegate)), method: method)
      missing.withLock { _ = $0.insert(key) }
    }
  }

  enum DelegateMethod: Hashable {
    case didCreateTask, didReceiveChallenge, willRedirect, needNewBodyStream
    case didSendBodyData, didReceiveInformational, didFinishCollecting, didComplete
    case didReceiveResponse, didReceiveData
    case didFinishDownloading, didWriteData, didResumeAtOffset

    /// Whether there is a completion-handler form, which is asked, and an async one behind it.
    var hasAsyncForm: Bool {
      switch self {
      case .didReceiveChallenge, .willRedirect, .needNewBodyStream, .didReceiveResponse: true
      default: false
      }
    }
  }
#endif
