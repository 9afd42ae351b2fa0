import Foundation
import HTTPService
import KennelWeb
import Synchronization
import TerminalProgram

/// Writes log lines about requests to standard error.
///
/// If the reader is slow, a limited number of lines wait. The rest are dropped and counted.
final class AccessLog: Sendable {
  private struct State: Sendable {
    var lines: [String] = []
    var lost = 0
    var isWriting = false
  }

  private static let capacity = 10_000
  private let screen: Screen
  private let state = Mutex(State())

  init(_ screen: Screen) { self.screen = screen }

  /// `2026-11-20T10:00:00Z 192.0.2.7 GET /posts 200 1234 0.8ms`
  static func line(_ entry: HTTPServerConfiguration.AccessLogEntry, at date: Date) -> String {
    let status = entry.status.map { "\($0.rawValue)" } ?? "-"
    let milliseconds = entry.duration / .milliseconds(1)
    let ending = entry.isComplete ? "" : " cut"
    let path = KennelSite.loggedPath(entry.path)
    return "\(date.formatted(.iso8601)) \(entry.remoteAddress) \(entry.method) \(path) \(status) "
      + "\(entry.bodyBytes) \(String(format: "%.1f", milliseconds))ms\(ending)"
  }

  func note(_ entry: HTTPServerConfiguration.AccessLogEntry) { add(Self.line(entry, at: Date())) }
  func note(problem: String) { add("kennel: \(problem)") }

  private func add(_ line: String) {
    let begins = state.withLock { state in
      guard state.lines.count < Self.capacity else {
        state.lost += 1
        return false
      }
      state.lines.append(line)
      defer { state.isWriting = true }
      return !state.isWriting
    }
    if begins { Task { await write() } }
  }

  private func write() async {
    while true {
      let lines = state.withLock { state in
        var lines = state.lines
        if state.lost > 0 {
          lines.append(
            "kennel: \(state.lost) log lines were dropped, because standard error is read too slowly.")
        }
        (state.lines, state.lost) = ([], 0)
        if lines.isEmpty { state.isWriting = false }
        return lines
      }
      if lines.isEmpty { return }
      for line in lines { screen.warn(line) }
      await screen.flush()
    }
  }

  func flush() async { await screen.flush() }
}
