import Glibc
import Synchronization

/// A one-shot event that tasks and threads can wait for. It is closed at first, and stays open after `open()`.
///
/// Tests use it instead of sleeping: one side opens the gate, and the other side waits for it.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var nextToken = 0
    var waiters: [Int: @Sendable (Bool) -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Creates a closed gate.
  public init() {}

  /// Whether `open()` was called.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens the gate and resumes all waiters. Opening it again has no effect.
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
  /// - Returns: Whether the gate is open.
  @discardableResult
  public func wait() async -> Bool {
    let token = makeToken()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        register(token: token) { continuation.resume(returning: $0) }
        // If the task was cancelled before the registration, the handler found nothing to remove.
        if Task.isCancelled { abandon(token: token) }
      }
    } onCancel: {
      abandon(token: token)
    }
  }

  /// Waits for at most `limit`.
  ///
  /// - Returns: Whether the gate is open.
  public func wait(within limit: Duration) async -> Bool {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.wait() }
      group.addTask { try? await Task.sleep(for: limit) }
      await group.next()
      group.cancelAll()
    }
    return isOpen
  }

  /// Blocks the calling thread for at most `limit`. Do not call it on a thread of the cooperative pool.
  ///
  /// - Returns: Whether the gate is open.
  @discardableResult
  public func waitBlocking(_ limit: Duration = .seconds(30)) -> Bool {
    guard let signal = try? Signal() else { return isOpen }
    let token = onOpen { signal.raise() }
    defer { abandon(token: token) }
    _ = signal.wait(limit)
    return isOpen
  }

  /// Calls `action` when the gate opens, or immediately if it is open. Pass the token to `abandon(token:)` to remove
  /// it.
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
