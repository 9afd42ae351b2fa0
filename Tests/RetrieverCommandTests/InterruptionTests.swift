import Foundation
import Glibc
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(2))) struct InterruptionTests {
  @Test func aSignalThatComesAsTheWorkBeginsCancelsIt() async throws {
    let program = URL(fileURLWithPath: Program.path).deletingLastPathComponent().appending(
      path: "interrupted"
    ).path
    for _ in 0..<20 {
      let child = try ChildProcess([program])
      defer { kill(child.identifier, SIGKILL) }
      #expect(await runOnThread { child.waitForEnd(within: .seconds(20)) } == .exited(7))
    }
  }
}
