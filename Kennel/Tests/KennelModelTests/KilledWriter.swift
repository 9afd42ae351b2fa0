import Foundation
import Glibc
import TestSupport
import Testing

/// The program `kennel-writer`, which changes a store at full speed until it is killed.
enum KilledWriter {
  /// What one run of the program left.
  struct Life {
    /// The lines that it printed.
    let lines: [String]
    let ending: ChildProcess.Ending?
    /// What it printed on standard error: why it ended by itself.
    let error: String

    /// Records an issue unless the program was killed.
    func expectKilled(_ number: Int) {
      #expect(ending == .signalled(SIGKILL), "Life \(number): \(error)")
    }
  }

  /// Runs the program until it has printed a number of lines, and a moment longer.
  static func live(
    _ arguments: [String], input: [String] = [], killedAfter target: Int, spins: Int
  ) throws -> Life {
    let folder = try TemporaryDirectory()
    let errors = folder.path("errors")
    let path = ChildProcess.path(ofProgram: "kennel-writer")
    let child = try ChildProcess([path] + arguments, output: errors, isConversing: true, isGuarded: false)
    for line in input { try child.send(line: line) }
    var lines: [String] = []
    while lines.count < target, let line = child.readLine() { lines.append(line) }
    for _ in 0..<spins { _ = getppid() }
    child.send(signal: SIGKILL)
    while let line = child.readLine() { lines.append(line) }
    let ending = child.waitForEnd(within: .seconds(90))
    let error = (try? String(contentsOfFile: errors, encoding: .utf8)) ?? ""
    return Life(lines: lines, ending: ending, error: error)
  }
}
