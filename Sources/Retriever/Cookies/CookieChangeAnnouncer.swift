#if !canImport(Darwin)
  import Dispatch
  import Foundation
  import Synchronization

  extension NSNotification.Name {
    /// Posted, with the storage as its object, after the cookies of an ``HTTPCookieStorage`` have changed.
    ///
    /// Several changes that follow each other may be told once. It is posted on a background queue.
    public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name(
      "NSHTTPCookieManagerCookiesChangedNotification")

    /// Posted, with the storage as its object, after ``HTTPCookieStorage/cookieAcceptPolicy`` has changed.
    ///
    /// It is posted on a background queue.
    public static let NSHTTPCookieManagerAcceptPolicyChanged = NSNotification.Name(
      "NSHTTPCookieManagerAcceptPolicyChangedNotification")
  }

  /// Posts the notifications of one storage, never on the thread that changed it: an observer is a program's code, and
  /// that thread may be the one that drives every transfer.
  final class CookieChangeAnnouncer: Sendable {
    private static let queue = DispatchQueue(label: "retriever.cookie-changes")
    /// How long a notification waits for further changes, so that a busy session does not wake a thread for each.
    private static let patience = DispatchTimeInterval.milliseconds(10)
    /// The notifications that are on their way and need no second one.
    private let underway = Mutex<Set<NSNotification.Name>>([])

    func announce(_ name: NSNotification.Name, from storage: HTTPCookieStorage) {
      guard underway.withLock({ $0.insert(name).inserted }) else { return }
      Self.queue.asyncAfter(deadline: .now() + Self.patience) {
        _ = self.underway.withLock { $0.remove(name) }
        NotificationCenter.default.post(name: name, object: storage)
      }
    }
  }
#endif
