import Dispatch
import Glibc
import Synchronization

/// Handles Ctrl-C and similar signals. The first one cancels the work, which then cleans up. The second one ends the
/// program immediately.
public enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]
  private static let hangUp = Mutex<(@Sendable () -> Void)?>(nil)

  /// Calls a closure at each SIGHUP while the body runs, which then does not end the work. Services do this to read their
  /// settings again.
  ///
  /// A process with a controlling terminal still ends: there, SIGHUP means that the terminal was closed.
  public static func handlingHangUp<Value>(
    with handle: @escaping @Sendable () -> Void, _ body: () async throws -> Value
  ) async rethrows -> Value {
    guard !Terminal.controlsProcess else { return try await body() }
    hangUp.withLock { $0 = handle }
    defer { hangUp.withLock { $0 = nil } }
    return try await body()
  }

  /// Runs the work. Returns the status of the signal if one arrived, otherwise the status of the work.
  ///
  /// - Parameter isOrdinaryEnd: Whether a signal is the normal way to end the work. The work's own status is then
  ///   returned, and success if the signal interrupted the work, for example because it had not fully started.
  public static func run(
    isOrdinaryEnd: Bool = false, _ work: @escaping @Sendable () async -> ExitStatus
  ) async -> ExitStatus {
    // A closed output is an error of `write` and must not end the program.
    signal(SIGPIPE, SIG_IGN)
    let received = Mutex<Int32?>(nil)
    let running = Mutex<Task<ExitStatus, Never>?>(nil)
    let sources = await watch(signals.filter(isWanted)) { number in
      if number == SIGHUP, let handle = hangUp.withLock({ $0 }) { return handle() }
      let isFirst = received.withLock { received in
        defer { received = number }
        return received == nil
      }
      if !isFirst { _exit(128 + number) }
      running.withLock { $0 }?.cancel()
    }
    let task = Task { await work() }
    running.withLock { $0 = task }
    // Cancels the task if a signal arrived before the task existed.
    if received.withLock({ $0 }) != nil { task.cancel() }
    let status = await task.value
    for source in sources { source.cancel() }
    guard let number = received.withLock({ $0 }) else { return status }
    if isOrdinaryEnd { return status == .interrupted ? .success : status }
    return ExitStatus(rawValue: 128 + number)
  }

  /// Returns when all signals are watched. A signal that arrives earlier ends the program, which has not started any
  /// work.
  ///
  /// On Linux, Dispatch catches the signals that it watches. Other systems require a signal to be ignored first;
  /// doing that here would lose a signal that arrives in between.
  private static func watch(
    _ signals: [Int32], _ handle: @escaping @Sendable (Int32) -> Void
  ) async -> [any DispatchSourceSignal] {
    let queue = DispatchQueue(label: "terminal.signals")
    let registered = DispatchGroup()
    let sources = signals.map { number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { handle(number) }
      registered.enter()
      source.setRegistrationHandler { registered.leave() }
      source.resume()
      return source
    }
    await withCheckedContinuation { continuation in
      registered.notify(queue: queue) { continuation.resume() }
    }
    return sources
  }

  /// Returns false for a signal that is ignored already, as in a background job or under nohup. It stays ignored.
  private static func isWanted(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return true }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
