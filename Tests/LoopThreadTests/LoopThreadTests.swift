import Foundation
import Glibc
import LoopThread
import Testing

struct LoopThreadTests {
  private struct Observation: Sendable {
    var name = ""
    var blocked: [Int32] = []
  }

  private func observe(_ name: String) async -> Observation {
    await withCheckedContinuation { continuation in
      let code = LoopThread.start(name) {
        var mask = sigset_t()
        pthread_sigmask(SIG_BLOCK, nil, &mask)
        let text = (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
        continuation.resume(
          returning: Observation(
            name: text.trimmingCharacters(in: .newlines),
            blocked: (1...31).filter { sigismember(&mask, $0) == 1 }))
      }
      if code != 0 { continuation.resume(returning: Observation(name: "no thread: \(code)")) }
    }
  }

  @Test func `a thread has its name`() async {
    let observation = await observe("loop-of-a-test")
    #expect(observation.name == "loop-of-a-test")
  }

  @Test func `a longer name is cut after 15 bytes`() async {
    #expect(await observe("a name that is too long").name == "a name that is ")
  }

  @Test func `a thread blocks all signals that can be blocked`() async {
    #expect(await observe("signals").blocked == (1...31).filter { $0 != SIGKILL && $0 != SIGSTOP })
  }

  @Test func `the thread that starts another one keeps its signal mask`() async {
    let (before, after) = await withCheckedContinuation { continuation in
      Thread.detachNewThread {
        let before = Self.mask()
        _ = LoopThread.start("other") {}
        continuation.resume(returning: (before, Self.mask()))
      }
    }
    #expect(before == after)
  }

  private static func mask() -> [Int32] {
    var mask = sigset_t()
    pthread_sigmask(SIG_BLOCK, nil, &mask)
    return (1...64).filter { sigismember(&mask, $0) == 1 }
  }

  @Test func `a signal to the thread stays pending and does not end the process`() async throws {
    await #expect(processExitsWith: .exitCode(7)) {
      _ = LoopThread.start("signals") {
        pthread_kill(pthread_self(), SIGPIPE)
        pthread_kill(pthread_self(), SIGTERM)
        var pending = sigset_t()
        sigpending(&pending)
        exit(sigismember(&pending, SIGPIPE) == 1 && sigismember(&pending, SIGTERM) == 1 ? 7 : 8)
      }
      while true { sleep(1) }
    }
  }

  private final class Canary: Sendable {
    let onRelease: @Sendable () -> Void
    init(_ onRelease: @escaping @Sendable () -> Void) { self.onRelease = onRelease }
    deinit { onRelease() }
  }

  @Test func `the body is released when the thread ends`() async {
    await withCheckedContinuation { continuation in
      let canary = Canary { continuation.resume() }
      #expect(LoopThread.start("release") { withExtendedLifetime(canary) {} } == 0)
    }
  }
}
