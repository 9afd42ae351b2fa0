import Testing

/// Continuations that a case of an enum carries.
struct StateTests {
  @Test func `a continuation that leaves its case has to be resumed`() {
    expectFindings(
      in: """
        final class Door {
          enum State {
            case closed, open
            case waiting(CheckedContinuation<Int, any Error>)
          }
          private var state = State.closed
          func opened(_ number: Int?) {
            guard case .waiting(let continuation) = state else { return }
            state = .open
            guard let number else { return } // expect: never
            continuation.resume(returning: number)
          }
          func closed() {
            switch state {
            case .closed, .open: break
            case .waiting: state = .closed // expect: lost
            }
          }
          func failed(_ error: any Error) {
            switch state {
            case .waiting(let continuation):
              state = .closed
              continuation.resume(throwing: error)
              if isBroken { continuation.resume(returning: 0) } // expect: twice
            default: break
            }
          }
          func moved() {
            if case let .waiting(continuation) = self.state {
              self.state = .open
              if isBroken { return } // expect: never
              continuation.resume(returning: 1)
            }
          }
        }
        """)
  }

  @Test func `a case that is kept after its continuation was resumed is reported`() {
    expectFindings(
      in: """
        final class Door {
          private enum State { case closed, waiting(id: Int, CheckedContinuation<Int, Never>), open }
          private var state: State = .closed
          func didUpdate(_ number: Int) {
            if case .waiting(_, let continuation) = state {
              continuation.resume(returning: number) // expect: twice
            }
          }
          func stop() {
            if case .waiting(_, let continuation) = state {
              continuation.resume(returning: 0)
              state = .closed
            }
          }
        }
        """)
  }

  @Test func `an overwritten case is reported`() {
    expectFindings(
      in: """
        actor Door {
          enum State { case idle, waiting(CheckedContinuation<Void, Never>) }
          private var state = State.idle
          func wait() async {
            await withCheckedContinuation { continuation in
              state = .waiting(continuation) // expect: lost
            }
          }
          func open() {
            if case .waiting(let continuation) = state {
              state = .idle
              continuation.resume()
            }
          }
        }
        """)
  }

  @Test func `state machines that are right have no findings`() {
    expectNoFindings(
      in: """
        final class Door {
          enum State {
            case idle
            case running(Int)
            case waiting(CheckedContinuation<Int, any Error>)
            case finished(Result<Int, any Error>)
          }
          private var state = State.idle
          func value() async throws -> Int {
            try await withCheckedThrowingContinuation { continuation in
              switch state {
              case .idle, .running: state = .waiting(continuation)
              case .waiting: continuation.resume(throwing: Problem())
              case .finished(let result): continuation.resume(with: result)
              }
            }
          }
          func start() { state = .running(1) }
          func finish(_ result: Result<Int, any Error>) {
            switch state {
            case .idle, .running: state = .finished(result)
            case .waiting(let continuation):
              state = .finished(result)
              continuation.resume(with: result)
            case .finished: preconditionFailure()
            }
          }
          func stop() {
            guard case .waiting(let continuation) = state else {
              state = .idle
              return
            }
            defer { state = .idle }
            continuation.resume(throwing: Problem())
          }
          func reset() {
            let waiting = take()
            waiting?.resume(returning: 0)
          }
          private func take() -> CheckedContinuation<Int, any Error>? {
            guard case .waiting(let continuation) = state else { return nil }
            state = .idle
            return continuation
          }
        }
        """)
  }

  @Test func `a state behind a lock is followed`() {
    expectFindings(
      in: """
        final class Door: Sendable {
          private enum State: Sendable { case idle, waiting(CheckedContinuation<Int, Never>) }
          private let state = Mutex<State>(.idle)
          func open(_ number: Int?) {
            let continuation: CheckedContinuation<Int, Never>? = state.withLock { state in
              guard case .waiting(let continuation) = state else { return nil }
              state = .idle
              return continuation
            }
            guard let number else { return } // expect: never
            continuation?.resume(returning: number)
          }
          func close() {
            let continuation: CheckedContinuation<Int, Never>? = state.withLock {
              guard case .waiting(let continuation) = $0 else { return nil }
              $0 = .idle
              return continuation
            }
            continuation?.resume(returning: 0)
          }
        }
        """)
  }

  @Test func `enums with several cases that carry continuations are followed only as far as they are known`()
  {
    expectFindings(
      in: """
        final class Door {
          enum State {
            case idle, done
            case waiting(CheckedContinuation<Int, Never>)
            case draining([CheckedContinuation<Int, Never>])
          }
          private var state = State.idle
          func close() {
            if case .waiting = state { state = .done }
          }
          func open() {
            if case .waiting(let continuation) = state { continuation.resume(returning: 1) }
          }
        }
        final class Gate {
          enum State { case idle, waiting(CheckedContinuation<Int, Never>), cancelling(CheckedContinuation<Int, Never>) }
          private var state = State.idle
          func cancel() {
            if case .waiting(let continuation) = state { state = .cancelling(continuation) }
          }
          func end() {
            switch state {
            case .waiting(let continuation), .cancelling(let continuation):
              state = .idle
              continuation.resume(returning: 1)
            case .idle: break
            }
          }
          func drop() {
            if state == .idle { return }
            state = .idle // expect: lost
          }
        }
        """)
  }
}
