import RetrieverBridges
import Synchronization
import TestSupport
import Testing

/// An error for tests to throw.
struct Failure: Error, Equatable { var number = 0 }

/// Collects reports.
final class Reports: Sendable {
  private let list = Mutex<[BridgeMisuse]>([])

  var reporter: MisuseReporter { MisuseReporter { misuse in self.list.withLock { $0.append(misuse) } } }
  var all: [BridgeMisuse] { list.withLock { $0 } }
}

/// A thread-safe counter.
final class Counter: Sendable {
  private let number = Mutex(0)

  var value: Int { number.withLock { $0 } }
  func increment() { number.withLock { $0 += 1 } }
}

/// Stores a value that threads pass to each other or release.
final class Box<Content: Sendable>: Sendable {
  private let content: Mutex<Content?>

  init(_ content: Content? = nil) { self.content = Mutex(content) }

  func put(_ new: Content?) { content.withLock { $0 = new } }
  func take() -> Content? { content.withLock { $0.take() } }
  var current: Content? { content.withLock { $0 } }
}

/// The comparable result of a call.
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

/// Returns the code of the bridge error that `body` throws, if any.
func bridgeErrorCode<Value>(of body: () async throws -> Value) async -> BridgeError.Code? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? BridgeError)?.code
  }
}
