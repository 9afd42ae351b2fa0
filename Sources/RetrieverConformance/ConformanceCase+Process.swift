import Foundation
import TestSupport

extension ConformanceCase {
  /// Runs the case in a process of its own, blocking the calling thread until that has ended.
  ///
  /// - Parameters:
  ///   - program: a program that runs `ConformanceMain` (default: this one).
  ///   - flags: passed on to it.
  public func runApart(program: String = "/proc/self/exe", flags: [String] = []) -> Verdict {
    do {
      // A temporary directory of its own: what is left in it is this case's.
      let directory = try TemporaryDirectory()
      // The log lies elsewhere: it is no file that the client left behind.
      let logs = try TemporaryDirectory()
      defer { withExtendedLifetime((directory, logs)) {} }
      var environment = try TestAuthority.shared().environment
      environment["TMPDIR"] = directory.url.path
      if place == .ownProcessWithMadeUpNames {
        let names = try MadeUpNames.shared().environment(log: logs.path("names"))
        environment.merge(names) { $1 }
      }
      let child = try ChildProcess(
        [program, "--case", id] + flags, environment: environment, isConversing: true)
      let line = child.readLine(within: timeLimit * 2 + .seconds(15))
      // A verdict is a verdict, even when the client then keeps the process from ending.
      if let line, let result = try? JSONDecoder().decode(ConformanceMain.Line.self, from: Data(line.utf8)) {
        _ = child.waitForEnd(within: .seconds(2))
        return result.asVerdict
      }
      switch child.waitForEnd(within: .seconds(1)) {
      case nil: return .hung("The process did not end; every thread of the client was blocked.")
      case .exited(let code): return .crashed("The process ended with code \(code).")
      case .signalled(let signal): return .crashed("The process ended by signal \(signal).")
      }
    } catch {
      return .failed("The case could not be started: \(error)")
    }
  }
}

extension ConformanceMain.Line {
  fileprivate var asVerdict: Verdict {
    let reason = reason ?? ""
    return switch verdict {
    case Verdict.passed.word: .passed
    case Verdict.hung("").word: .hung(reason)
    case Verdict.notOffered("").word: .notOffered(reason)
    default: .failed(reason)
    }
  }
}
