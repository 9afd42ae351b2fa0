#if !canImport(Darwin)
  import Synchronization

  /// Finds out whether a delegate implements a method, as Objective-C's `respondsToSelector:` would.
  ///
  /// Every delegate method has a default implementation, and each default calls ``reachedDefault()``. Whoever calls a
  /// delegate does so with a probe in place; when the default was reached, the delegate has no such method, and the
  /// next delegate in line is asked instead.
  final class DelegateProbe: Sendable {
    /// The probe of the delegate call that is under way. A task-local value: it follows the default completion-handler
    /// form into the task in which that form awaits the async one.
    @TaskLocal static var current: DelegateProbe?

    private let flag = Atomic<Bool>(false)

    var foundDefault: Bool { flag.load(ordering: .acquiring) }

    /// Called by each default implementation.
    static func reachedDefault() {
      current?.flag.store(true, ordering: .releasing)
    }

    /// Makes a call and tells whether the delegate had an implementation of its own.
    static func isImplemented(_ call: () -> Void) -> Bool {
      let probe = DelegateProbe()
      $current.withValue(probe) { call() }
      return !probe.foundDefault
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
  }
#endif
