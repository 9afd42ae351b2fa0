// Interrupts itself as its work begins, and says with its status how that ended: 7 when the work was cancelled.
import Glibc
import TerminalProgram

let status = await Interruption.run(isOrdinaryEnd: true) {
  kill(getpid(), SIGTERM)
  while !Task.isCancelled { await Task.yield() }
  return .success
}
exit(status == .success ? 7 : 1)
