import Glibc
import Synchronization

/// A one-shot event that tasks and threads can wait for: closed at first, open for ever after `open()`.
///
/// Tests use it in place of sleeping: the side that knows opens the gate, the other side waits for it.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var nextToken = 0
    var waiters: [Int: @Sendable (Bool) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// A closed gate.
  public init() {}

  /// Whether `open()` was called.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens the gate and lets everybody through; opening it again does nothing.
  public func open() {
    let waiters = state.withLock { state in
      state.isOpen = true
      defer { state.waiters = [:] }
      return state.waiters
    }
    for waiter in waiters.values { waiter(true) }
  }

  /// Waits until the gate is open or the task is cancelled.
  ///
  /// - Returns: whether the gate is open.
  @discardableResult
  public func wait() async -> Bool {
    let token = makeToken()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        register(token: token) { continuation.resume(returning: $0) }
        // Cancelled before the registration: the handler found nothing to remove.
        if Task.isCancelled { abandon(token: token) }
      }
    } onCancel: {
      abandon(token: token)
    }
  }

  /// Waits at most `limit`.
  ///
  /// - Returns: whether the gate is open.
  public func wait(within limit: Duration) async -> Bool {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait() }
      group.addTask { try? await Task.sleep(for: limit) }
      await group.next()
      group.cancelAll()
    }
    return isOpen
  }

  /// Blocks the calling thread, which must not be one of the cooperative pool, for at most `limit`.
  ///
  /// - Returns: whether the gate is open.
  @discardableResult
  public func waitBlocking(_ limit: Duration = .seconds(30)) -> Bool {
    guard let signal = try? Signal() else { return isOpen }
    let token = onOpen { signal.raise() }
    defer { abandon(token: token) }
    _ = signal.wait(limit)
    return isOpen
  }

  /// Has `action` called once the gate opens (at once when it is open); the token undoes that.
  func onOpen(_ action: @escaping @Sendable () -> Void) -> Int {
    let token = makeToken()
    register(token: token) { if $0 { action() } }
    return token
  }

  func abandon(token: Int) {
    state.withLock { $0.waiters.removeValue(forKey: token) }?(false)
  }

  private func makeToken() -> Int {
    state.withLock { state in
      state.nextToken += 1
      return state.nextToken
    }
  }

  private func register(token: Int, _ waiter: @escaping @Sendable (Bool) -> Void) {
    let isOpen = state.withLock { state in
      if !state.isOpen { state.waiters[token] = waiter }
      return state.isOpen
    }
    if isOpen { waiter(true) }
  }
}
