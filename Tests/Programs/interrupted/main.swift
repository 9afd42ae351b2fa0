// Sends itself a signal when its work begins. The exit status is 7 if the work was cancelled.
import Glibc
import TerminalProgram

let status = await Interruption.run(isOrdinaryEnd: true) {
  kill(getpid(), SIGTERM)
  while !Task.isCancelled { await Task.yield() }
  return .success
}
exit(status == .success ? 7 : 1)
