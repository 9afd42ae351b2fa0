import Dispatch
import Foundation
import Glibc
import TestSupport

/// The program: MINUTES and SEED come from the environment; exit code 1 when something is wrong.
@main
enum SoakMain {
  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    let environment = ProcessInfo.processInfo.environment
    let seed = environment["SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 1...999_999)
    guard let minutes = Double(environment["MINUTES"] ?? "1"), minutes > 0, minutes <= 24 * 60 else {
      Report.line("soak: MINUTES must be a number above 0")
      exit(64)
    }
    Report.line("soak: \(minutes) minutes; SEED=\(seed) repeats the loads")
    do {
      let soak = try Soak(seed: seed)
      // Ctrl-C: what is under way ends, then the summary comes.
      signal(SIGINT, SIG_IGN)
      let interruption = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
      // Sendable, or it would belong to the main actor, on whose thread it is not called.
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
