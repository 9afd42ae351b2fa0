import CHTTP2Tap
import Glibc

/// The right to work on a loop's clients: held by the loop's thread whenever it is awake, and by another thread for
/// the moment in which it starts a transfer while the loop sleeps.
///
/// A plain POSIX mutex, because `try` must answer “taken” even to the thread that holds it: an observer may start a
/// transfer from within the loop's own turn.
///
/// `@unchecked Sendable`: the mutex is made before and destroyed after all use, and is itself made for many threads.
final class Turn: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)

  init() {
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func take() {
    pthread_mutex_lock(mutex)
    retriever_http2_tap_in()
  }

  func takeIfFree() -> Bool {
    guard pthread_mutex_trylock(mutex) == 0 else { return false }
    retriever_http2_tap_in()
    return true
  }

  func giveBack() {
    retriever_http2_tap_out()
    pthread_mutex_unlock(mutex)
  }
}
