import Foundation
import Retriever
import TestSupport

/// An unexpected result of a step.
struct Unexpected: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// The steps of the demonstration in order, against its own server.
struct Demonstration: Sendable {
  let terminal: Terminal
  let server: DemoServer
  let folder: TemporaryDirectory
  let session: URLSession

  init(terminal: Terminal) throws {
    self.terminal = terminal
    server = try DemoServer()
    folder = try TemporaryDirectory()
    let configuration = URLSessionConfiguration.ephemeral
    // No step takes a second, so a step that hangs fails soon.
    configuration.timeoutIntervalForRequest = 5
    session = URLSession(configuration: configuration)
  }

  private typealias Step = (name: String, run: () async throws -> String)

  private var steps: [Step] {
    [
      ("fetch", fetch), ("decode", decode), ("lines", followLines), ("events", followEvents),
      ("upload", upload), ("download", download), ("sign in", signIn), ("redirect", redirect),
      ("cancel", cancel), ("together", loadTogether), ("timings", measure),
    ]
  }

  /// Runs every step, even after a failure.
  ///
  /// - Returns: Whether all steps passed.
  func run() async -> Bool {
    terminal.headline("Retriever \(URLSession.libraryVersion), loading from \(server.address)")
    let clock = ContinuousClock()
    let start = clock.now
    var failures = 0
    for step in steps {
      let stepStart = clock.now
      do {
        let text = try await step.run()
        terminal.passed(step.name, text, clock.now - stepStart)
      } catch {
        failures += 1
        terminal.failed(step.name, error)
      }
    }
    session.invalidateAndCancel()
    let total = (clock.now - start).short
    if failures == 0 {
      terminal.summary("All \(steps.count) steps passed in \(total).", isGood: true)
    } else {
      terminal.summary("\(failures) of \(steps.count) steps failed; it took \(total).", isGood: false)
    }
    return failures == 0
  }

  func expectStatus(_ expected: Int, of response: URLResponse) throws {
    guard let response = response as? HTTPURLResponse else {
      throw Unexpected("The response is not an HTTP response.")
    }
    guard response.statusCode == expected else {
      throw Unexpected("The status is \(response.statusCode), not \(expected).")
    }
  }
}
