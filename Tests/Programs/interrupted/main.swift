// Sends itself a signal when its work begins. The exit status is 7 if the work was cancelled.
//
// With the argument "starting", the work is a service that the signal interrupts before it is complete.
import Glibc
import TerminalProgram

let isStarting = CommandLine.arguments.dropFirst() == ["starting"]
let status = await Interruption.run(isOrdinaryEnd: true) {
  kill(getpid(), SIGTERM)
  while !Task.isCancelled { await Task.yield() }
  return isStarting ? .interrupted : .success
}
exit(status == .success ? 7 : 1)
