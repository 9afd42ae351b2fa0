import Foundation
import Glibc
import TestSupport
import Testing

/// The program `kennel-writer`, which changes a store at full speed until it is killed.
enum KilledWriter {
  static func path() throws -> String {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent()
    return try #require(folder).appending(path: "kennel-writer").path
  }

  /// Runs the program until it has printed a number of lines, and a moment longer. Returns all its lines.
  static func live(
    _ arguments: [String], killedAfter target: Int, spins: Int
  ) throws -> (lines: [String], ending: ChildProcess.Ending?) {
    let child = try ChildProcess(arguments, isConversing: true, isGuarded: false)
    var lines: [String] = []
    while lines.count < target, let line = child.readLine() { lines.append(line) }
    for _ in 0..<spins { _ = getppid() }
    kill(child.identifier, SIGKILL)
    while let line = child.readLine() { lines.append(line) }
    return (lines, child.waitForEnd(within: .seconds(90)))
  }
}
