#if !canImport(Darwin)
import Dispatch
import Foundation
import Synchronization

extension NSNotification.Name {
  /// Posted after the cookies of an ``HTTPCookieStorage`` have changed. The object is the storage.
  ///
  /// One notification may stand for several changes in quick succession. It is posted on a background queue.
  public static let NSHTTPCookieManagerCookiesChanged = NSNotification.Name(
    "NSHTTPCookieManagerCookiesChangedNotification")

  /// Posted after ``HTTPCookieStorage/cookieAcceptPolicy`` has changed. The object is the storage.
  ///
  /// It is posted on a background queue.
  public static let NSHTTPCookieManagerAcceptPolicyChanged = NSNotification.Name(
    "NSHTTPCookieManagerAcceptPolicyChangedNotification")
}

/// Posts the notifications of one storage, never on the thread that changed it. An observer is the program's code,
/// and that thread may be the one that drives every transfer.
final class CookieChangeAnnouncer: Sendable {
  private static let queue = DispatchQueue(label: "retriever.cookie-changes")
  /// The delay in which further changes are combined, so that a busy session does not wake a thread for each one.
  private static let delay = DispatchTimeInterval.milliseconds(10)
  /// The notifications that are scheduled and need no second one.
  private let scheduled = Mutex<Set<NSNotification.Name>>([])

  func announce(_ name: NSNotification.Name, from storage: HTTPCookieStorage) {
    guard scheduled.withLock({ $0.insert(name).inserted }) else { return }
    Self.queue.asyncAfter(deadline: .now() + Self.delay) {
      _ = self.scheduled.withLock { $0.remove(name) }
      NotificationCenter.default.post(name: name, object: storage)
    }
  }
}
#endif
