import Dispatch
import Glibc
import Synchronization

/// Ctrl-C and its kin: the first one cancels the work, which then tidies up; the second one ends the program at once.
package enum Interruption {
  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Runs the work; ends with the status of the signal that came meanwhile, if one did.
  ///
  /// - Parameter isOrdinaryEnd: a signal is how such work ends, so its own status is the answer.
  package static func run(
    isOrdinaryEnd: Bool = false, _ work: @escaping @Sendable () async -> ExitStatus
  ) async -> ExitStatus {
    // A reader of our output who goes away is an error of `write`, not the end of the program.
    signal(SIGPIPE, SIG_IGN)
    let received = Mutex<Int32?>(nil)
    let running = Mutex<Task<ExitStatus, Never>?>(nil)
    let sources = await watch(signals.filter(isWanted)) { number in
      let isFirst = received.withLock { received in
        defer { received = number }
        return received == nil
      }
      if !isFirst { _exit(128 + number) }
      running.withLock { $0 }?.cancel()
    }
    let task = Task { await work() }
    running.withLock { $0 = task }
    // One that came before the task was there to be cancelled.
    if received.withLock({ $0 }) != nil { task.cancel() }
    let status = await task.value
    for source in sources { source.cancel() }
    if isOrdinaryEnd { return status }
    let number = received.withLock { $0 }
    return number.flatMap { ExitStatus(rawValue: 128 + $0) } ?? status
  }

  /// Returns when every signal is watched; until then one ends the program, which has not begun. On Linux, Dispatch
  /// catches what it watches: to ignore a signal first, as other systems want it, is to lose one that comes in between.
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

  /// One that is ignored already, as in a background job or under nohup, stays so.
  private static func isWanted(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return true }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
