import Foundation
import HTTPService
import Synchronization
import TestSupport

extension HTTPServerConfiguration {
  /// For clients that get no processor time for a while, because many tests run at the same time.
  static var patient: HTTPServerConfiguration {
    var configuration = HTTPServerConfiguration()
    configuration.limits.maximumHeadTime = .seconds(90)
    configuration.limits.maximumIdleTime = .seconds(90)
    return configuration
  }
}

/// Runs a server while `body` runs.
func withServer<Value: Sendable>(
  _ change: (inout HTTPServerConfiguration) -> Void = { _ in }, handler: @escaping HTTPServer.Handler,
  _ body: (HTTPServer) async throws -> Value
) async throws -> Value {
  var configuration = HTTPServerConfiguration.patient
  change(&configuration)
  let server = try HTTPServer(configuration: configuration)
  try server.start(handler: handler)
  do {
    let value = try await body(server)
    await server.stop(within: .zero)
    return value
  } catch {
    await server.stop(within: .zero)
    throw error
  }
}

/// A list of notes from any thread, in order.
final class Notes<Note: Sendable>: Sendable {
  private let state = Mutex<[Note]>([])
  var all: [Note] { state.withLock { $0 } }
  func add(_ note: Note) { state.withLock { $0.append(note) } }
}

/// Waits until the current task is cancelled, and calls the closure then.
func untilCancelled(_ onCancel: @escaping @Sendable () -> Void) async {
  let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
  await withTaskCancellationHandler {
    for await _ in stream {}
  } onCancel: {
    onCancel()
    continuation.finish()
  }
}

/// A generator of pseudorandom numbers that are the same in every run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
}
