import Dispatch
import Foundation
import Glibc
import TestSupport

/// The program. The environment variables MINUTES and SEED set its options. The exit code is 1 if there are violations.
@main
enum SoakMain {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    guard let minutes = Double(environment["MINUTES"] ?? "1"), minutes > 0, minutes <= 24 * 60 else {
      Report.line("soak: MINUTES must be a number greater than 0 and at most 1440")
      exit(64)
    }
    Report.line("soak: \(minutes) minutes; use SEED=\(seed) to repeat the loads")
    do {
      let soak = try Soak(seed: seed)
      // Ctrl-C: running loads end, and then the summary is printed.
      signal(SIGINT, SIG_IGN)
      let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
      // The closure is Sendable; otherwise it would belong to the main actor, whose thread does not call it.
      interruption.setEventHandler { @Sendable in soak.interrupt() }
      interruption.resume()
      let violations = try await soak.run(for: .seconds(minutes * 60))
      interruption.cancel()
      TemporaryDirectory.removeAll(of: getpid())
      exit(violations == 0 ? 0 : 1)
    } catch {
      Report.line("soak: could not start: \(error)")
      exit(2)
    }
  }
}
