// Awaits a function that takes a completion handler. Cancelling the task cancels the work.
//
//   bridge-callback
import Dispatch
import RetrieverBridges

/// A class from the time before async/await.
final class Kitchen: Sendable {
  final class Order: Sendable {
    func cancel() {}
  }

  func order(_ dish: String, completion: @escaping @Sendable (Result<String, any Error>) -> Void) -> Order {
    DispatchQueue.global().async { completion(.success("\(dish) is ready")) }
    return Order()
  }
}

extension Kitchen {
  func order(_ dish: String) async throws -> String {
    try await withCancellableContinuation { continuation in
      let order = self.order(dish, completion: continuation.resultHandler)
      return { order.cancel() }
    }
  }
}

print(try await Kitchen().order("Dinner"))
