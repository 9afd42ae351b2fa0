import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct InterruptionTests {
  @Test(arguments: [[], ["starting"]])
  func `a signal that comes as the work begins cancels it, which is no failure of a service`(
    _ arguments: [String]
  ) async throws {
    let program = ChildProcess.path(ofProgram: "interrupted")
    for _ in 0..<20 {
      let child = try ChildProcess([program] + arguments)
      defer { child.send(signal: SIGKILL) }
      #expect(await runOnThread { child.waitForEnd(within: .seconds(90)) } == .exited(7))
    }
  }
}
