import RetrieverBridges
import Synchronization
import TestSupport
import Testing

/// What a failed test may throw.
struct Failure: Error, Equatable { var number = 0 }

/// Keeps what was reported.
final class Reports: Sendable {
  private let list = Mutex<[BridgeMisuse]>([])

  var reporter: MisuseReporter { MisuseReporter { misuse in self.list.withLock { $0.append(misuse) } } }
  var all: [BridgeMisuse] { list.withLock { $0 } }
}

/// Counts from any thread.
final class Counter: Sendable {
  private let number = Mutex(0)

  var value: Int { number.withLock { $0 } }
  func increment() { number.withLock { $0 += 1 } }
}

/// A place for something that threads hand to each other, or let go of.
final class Box<Content: Sendable>: Sendable {
  private let content: Mutex<Content?>

  init(_ content: Content? = nil) { self.content = Mutex(content) }

  func put(_ new: Content?) { content.withLock { $0 = new } }
  func take() -> Content? { content.withLock { $0.take() } }
  var current: Content? { content.withLock { $0 } }
}

/// How a call ended, to compare.
enum Ending: Equatable {
  case value(Int), cancelled, bridge(BridgeError.Code), failure(Int), other

  init(_ result: Result<Int, any Error>) {
    switch result {
    case .success(let value): self = .value(value)
    case .failure(is CancellationError): self = .cancelled
    case .failure(let error as BridgeError): self = .bridge(error.code)
    case .failure(let error as Failure): self = .failure(error.number)
    case .failure: self = .other
    }
  }
}

/// The code of the bridge error that `body` throws, if it does.
func bridgeErrorCode<Value>(of body: () async throws -> Value) async -> BridgeError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? BridgeError)?.code
  }
}
