import Foundation
import TestSupport

extension ConformanceCase {
  /// Runs the case in its own process. Blocks the calling thread until the process has ended.
  ///
  /// - Parameters:
  ///   - program: A program that runs `ConformanceMain` (default: this program).
  ///   - flags: Additional arguments for the program.
  ///   - variables: Additional environment variables of the program.
  public func runApart(
    program: String = "/proc/self/exe", flags: [String] = [], environment variables: [String: String] = [:]
  ) -> Verdict {
    do {
      // Each case has its own temporary directory, so that files left behind can be attributed to it.
      let directory = try TemporaryDirectory()
      // The log is stored elsewhere, so that it does not count as a file left behind.
      let logs = try TemporaryDirectory()
      defer { withExtendedLifetime((directory, logs)) {} }
      var environment = try TestAuthority.shared().environment
      environment.merge(variables) { $1 }
      environment["TMPDIR"] = directory.url.path
      if place == .ownProcessWithTestHostNames {
        let names = try TestHostNames.shared().environment(log: logs.path("names"))
        environment.merge(names) { $1 }
      }
      let child = try ChildProcess(
        [program, "--case", id] + flags, environment: environment, isConversing: true)
      let line = child.readLine(within: timeLimit * 2 + .seconds(15))
      // The verdict counts even if the client then prevents the process from ending.
      if let line, let result = try? JSONDecoder().decode(ConformanceMain.Line.self, from: Data(line.utf8)) {
        _ = child.waitForEnd(within: .seconds(2))
        return result.asVerdict
      }
      switch child.waitForEnd(within: .seconds(1)) {
      case nil: return .hung("The process did not end; every thread of the client was blocked.")
      case .exited(let code): return .crashed("The process ended with code \(code).")
      case .signalled(let signal): return .crashed("The process was ended by signal \(signal).")
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
