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
    let task = Task { await work() }
    let queue = DispatchQueue(label: "terminal.signals")
    let sources = signals.filter(isWanted).map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler {
        let isFirst = received.withLock { received in
          defer { received = number }
          return received == nil
        }
        if !isFirst { _exit(128 + number) }
        task.cancel()
      }
      source.resume()
      return source
    }
    let status = await task.value
    for source in sources { source.cancel() }
    if isOrdinaryEnd { return status }
    let number = received.withLock { $0 }
    return number.flatMap { ExitStatus(rawValue: 128 + $0) } ?? status
  }

  /// One that is ignored already, as in a background job or under nohup, stays so.
  private static func isWanted(_ number: Int32) -> Bool {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return true }
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      != unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
