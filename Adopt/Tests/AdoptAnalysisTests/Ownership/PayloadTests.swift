import Testing

/// Continuations in structs and tuples that a property stores.
struct PayloadTests {
  @Test func `a continuation in a tuple is followed`() {
    expectFindings(
      in: """
        final class Loader {
          private var pending: (id: Int, continuation: CheckedContinuation<Int, any Error>)?
          func load() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              pending = (1, continuation) // expect: lost
            }
          }
          func received(_ value: Int?) {
            guard let waiting = pending else { return }
            print(waiting.id)
            pending = nil
            guard let value else { return } // expect: never
            waiting.continuation.resume(returning: value)
          }
          func failed(_ error: any Error) {
            if let (id, continuation) = pending {
              pending = nil
              continuation.resume(throwing: error)
              if id == 1 { continuation.resume(throwing: error) } // expect: twice
            }
          }
          func cancel() {
            pending = nil // expect: lost
          }
          func stop() {
            pending?.continuation.resume(throwing: Problem())
            pending = nil
          }
        }
        """)
  }

  @Test func `a dictionary of structs is followed`() {
    expectFindings(
      in: """
        actor Requests {
          private struct Request {
            let id: Int
            var sent = 0
            let continuation: CheckedContinuation<Reply, any Error>
          }
          private var requests: [Int: Request] = [:]
          func received(_ reply: Reply) {
            guard let request = requests.removeValue(forKey: reply.id) else { return }
            guard reply.isValid, request.sent > 0 else { return } // expect: never
            request.continuation.resume(returning: reply)
          }
          func failed(_ id: Int) {
            requests[id]?.continuation.resume(throwing: Problem()) // expect: twice
          }
          func sent(_ id: Int) { requests[id]?.sent += 1 }
          func cancel(_ id: Int) {
            requests[id] = nil // expect: lost
          }
          func end() {
            for request in requests.values { request.continuation.resume(throwing: Problem()) }
            requests.removeAll()
          }
          func answer(_ id: Int, _ reply: Reply) {
            if let continuation = requests.removeValue(forKey: id)?.continuation {
              continuation.resume(returning: reply)
            }
          }
          func drop(_ id: Int) {
            requests.removeValue(forKey: id)?.continuation.resume(throwing: Problem())
          }
        }
        """)
  }

  @Test func `an array of tuples is followed`() {
    expectFindings(
      in: """
        actor Queue {
          private typealias Waiter = CheckedContinuation<Int, Never>
          private var waiting: [(id: Int, waiter: Waiter)] = []
          func next(_ value: Int) {
            guard !waiting.isEmpty else { return }
            let (_, waiter) = waiting.removeFirst()
            if value < 0 { return } // expect: never
            waiter.resume(returning: value)
          }
          func cancel(_ id: Int) {
            guard let index = waiting.firstIndex(where: { $0.id == id }) else { return }
            let removed = waiting.remove(at: index)
            removed.waiter.resume(returning: 0)
          }
          func clear() {
            waiting = [] // expect: lost
          }
        }
        """)
  }

  @Test func `a struct in another property is followed`() {
    expectFindings(
      in: """
        final class Locator {
          private struct State {
            var isRunning = false
            var continuation: CheckedContinuation<Int, any Error>?
          }
          private var state = State()
          func located(_ value: Int?) {
            state.isRunning = false
            guard let continuation = state.continuation else { return }
            state.continuation = nil
            guard let value else { return } // expect: never
            continuation.resume(returning: value)
          }
          func stop() {
            self.state.continuation = nil // expect: lost
          }
          func fail(_ error: any Error) {
            state.continuation?.resume(throwing: error)
            state.continuation?.resume(throwing: error) // expect: twice
            state.continuation = nil
          }
          func reset() { state = State() }
        }
        """)
  }

  @Test func `a struct behind a lock is followed`() {
    expectFindings(
      in: """
        final class Locator: Sendable {
          private struct State {
            var isRunning = false
            var continuation: CheckedContinuation<Int, any Error>?
          }
          private let state = Mutex(State())
          func located(_ value: Int?) {
            let continuation = state.withLock { state in
              state.isRunning = false
              return state.continuation.take()
            }
            guard let value else { return } // expect: never
            continuation?.resume(returning: value)
          }
          func stop() {
            state.withLock { $0.continuation = nil } // expect: lost
          }
          func end() {
            let continuation = state.withLock { state -> CheckedContinuation<Int, any Error>? in
              defer { state.continuation = nil }
              return state.continuation
            }
            continuation?.resume(throwing: Problem())
          }
        }
        """)
  }

  @Test func `a continuation that leaves a lock in a tuple is not followed`() {
    expectNoFindings(
      in: """
        final class Locator: Sendable {
          private struct State {
            var isRunning = false
            var continuation: CheckedContinuation<Int, any Error>?
          }
          private let state = Mutex(State())
          func stop() {
            let (wasRunning, continuation) = state.withLock { state in
              state.isRunning = false
              return (state.isRunning, state.continuation.take())
            }
            print(wasRunning)
            continuation?.resume(returning: 0)
          }
          func end() {
            let (isOver, continuation) = state.withLock { state -> (Bool, CheckedContinuation<Int, any Error>?) in
              guard state.isRunning else { return (true, state.continuation.take()) }
              return (false, state.isRunning ? nil : state.continuation.take())
            }
            continuation?.resume(returning: isOver ? 1 : 0)
          }
        }
        """)
  }

  @Test func `values that are passed on are not followed`() {
    expectNoFindings(
      in: """
        final class Loader {
          struct Request {
            let id: Int
            let continuation: CheckedContinuation<Int, any Error>
            func finish() { continuation.resume(returning: id) }
          }
          private var current: Request?
          private var others: [Request] = []
          func received() {
            guard let request = current else { return }
            current = nil
            if request.id == 0 { return request.finish() }
            if request.id == 1 { return finish(request) }
            if request.id == 2 {
              others.append(request)
              return
            }
            request.continuation.resume(throwing: Problem())
          }
          func end() {
            let all = others
            others = []
            for other in all { other.continuation.resume(throwing: Problem()) }
          }
        }
        """)
  }
}
