import Dispatch

@testable import AdoptTwins

/// Runs work that waits for other programs on a thread that may block.
enum Blocking {
  static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Result { try work() }) }
    }
  }

  static func tool(_ name: String, _ arguments: [String]) async throws -> Toolchain.Outcome {
    try await run { try Toolchain().run(name, arguments) }
  }
}
