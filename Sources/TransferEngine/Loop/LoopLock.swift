import CHTTP2Tap
import Glibc

/// The lock of a loop and its clients. The loop's thread holds it while awake. Another thread holds it for a moment
/// when it starts a transfer while the loop sleeps.
///
/// It uses a plain POSIX mutex because ``tryLock()`` must fail even on the thread that holds the lock: an observer may
/// start a transfer during a callback.
///
/// `@unchecked Sendable`: the mutex is created before and destroyed after all use, and is itself thread-safe.
final class LoopLock: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func lock() {
    pthread_mutex_lock(mutex)
    retriever_http2_tap_in()
  }

  func tryLock() -> Bool {
    guard pthread_mutex_trylock(mutex) == 0 else { return false }
    retriever_http2_tap_in()
    return true
  }

  func unlock() {
    retriever_http2_tap_out()
    pthread_mutex_unlock(mutex)
  }
}
