import Synchronization

/// The uploads that requests are sending bytes of.
///
/// A client whose connection was cut returns with another connection, often before the server knows that the first one is gone.
/// The new request ends the old one, and what had arrived by then counts.
final class ActiveUploads: Sendable {
  private struct Work: Sendable {
    var number: UInt64
    var cancel: @Sendable () -> Void
    var wait: @Sendable () async -> Void
  }

  private struct State {
    var last: UInt64 = 0
    var works: [String: Work] = [:]
  }

  private let state = Mutex(State())

  /// The number of uploads in use, for tests.
  var count: Int { state.withLock { $0.works.count } }

  /// Performs the work of a request with an upload, after the work of earlier requests with it has ended. That is cancelled.
  func perform<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let (task, number, earlier) = begin(name, body)
    earlier?.cancel()
    let result = await withTaskCancellationHandler {
      await task.result
    } onCancel: {
      task.cancel()
    }
    state.withLock { state in
      if state.works[name]?.number == number { state.works[name] = nil }
    }
    return try result.get()
  }

  private func begin<Value: Sendable>(
    _ name: String, _ body: @escaping @Sendable () async throws -> Value
  ) -> (task: Task<Value, any Error>, number: UInt64, earlier: Work?) {
    state.withLock { state in
      let earlier = state.works[name]
      let task = Task {
        await earlier?.wait()
        try Task.checkCancellation()
        return try await body()
      }
      state.last += 1
      state.works[name] = Work(
        number: state.last, cancel: { task.cancel() }, wait: { _ = await task.result })
      return (task, state.last, earlier)
    }
  }
}
