import Testing

@testable import KennelWeb

@Suite(.timeLimit(.minutes(1))) struct ActiveUploadsTests {
  @Test func `a new request with an upload ends the one before it`() async throws {
    let active = ActiveUploads()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let order = AsyncStream.makeStream(of: String.self)
    let first = Task {
      try await active.perform("a") {
        start.yield()
        // The connection is gone, but the server does not know it.
        try? await Task.sleep(for: .seconds(60))
        order.continuation.yield("first")
        return Task.isCancelled
      }
    }
    for await _ in started { break }
    let second = try await active.perform("a") {
      order.continuation.yield("second")
      return 2
    }
    #expect(second == 2)
    #expect(try await first.value)
    order.continuation.finish()
    var names: [String] = []
    for await name in order.stream { names.append(name) }
    #expect(names == ["first", "second"])
    #expect(active.count == 0)
  }

  @Test func `other uploads do not wait`() async throws {
    let active = ActiveUploads()
    let value = try await active.perform("a") { try await active.perform("b") { 1 } }
    #expect(value == 1)
  }

  @Test func `cancelling the request cancels its work`() async throws {
    let active = ActiveUploads()
    let (started, start) = AsyncStream.makeStream(of: Void.self)
    let task = Task {
      try await active.perform("a") {
        start.yield()
        try await Task.sleep(for: .seconds(60))
      }
    }
    for await _ in started { break }
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(active.count == 0)
  }
}
