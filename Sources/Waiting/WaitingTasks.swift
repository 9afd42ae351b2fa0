import Synchronization

/// Waiting tasks that are resumed with an answer. A wait that may fail has a `Result` as its answer.
public typealias WaitingTasks<Answer> = Waiters<CheckedContinuation<Answer, Never>>

extension Mutex where Value: Sendable {
  /// Suspends the task until another task resumes it with an answer, or until it is cancelled.
  ///
  ///     let isOpen = await state.wait(in: \.waiting, ifCancelled: false) { $0.isOpen ? true : nil }
  ///
  /// Another task changes the state, takes waiting tasks from it with ``Waiters/popFirst()`` or ``Waiters/takeAll()``,
  /// releases the lock, and resumes them.
  ///
  /// - Parameters:
  ///   - waiters: The waiting tasks in the protected state.
  ///   - cancelled: The answer for a task that is cancelled before or while it waits.
  ///   - answer: Returns an answer that is already available, and nil if the task must wait. It is called under the
  ///     lock, once or twice, and may change the state when it returns an answer. An answer is returned even if the
  ///     task is cancelled. `Answer` should not be an optional type, because nil means that there is no answer yet.
  public func wait<Answer: Sendable>(
    in waiters: any (WritableKeyPath<Value, WaitingTasks<Answer>> & Sendable),
    ifCancelled cancelled: Answer,
    isolation: isolated (any Actor)? = #isolation, unless answer: @Sendable (inout Value) -> Answer?
  ) async -> Answer {
    let token: Waiters<CheckedContinuation<Answer, Never>>.Token
    switch withLock({ state in Entry(&state, waiters, answer) }) {
    case .answer(let answer): return answer
    case .waits(let newToken): token = newToken
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation(isolation: isolation) { continuation in
        let answer: Answer? = withLock { state in
          // The state may have changed since the token was made.
          if let answer = answer(&state) {
            state[keyPath: waiters].forget(token)
            return answer
          }
          return state[keyPath: waiters].wait(continuation, as: token) ? nil : cancelled
        }
        if let answer { continuation.resume(returning: answer) }
      }
    } onCancel: {
      withLock { $0[keyPath: waiters].cancel(token) }?.resume(returning: cancelled)
    }
  }
}

/// The first look at the state: most calls need not wait, and then create no continuation.
private enum Entry<Answer: Sendable>: Sendable {
  case answer(Answer)
  case waits(WaitingTasks<Answer>.Token)

  init<State>(
    _ state: inout State, _ waiters: WritableKeyPath<State, WaitingTasks<Answer>>,
    _ answer: (inout State) -> Answer?
  ) {
    if let answer = answer(&state) {
      self = .answer(answer)
    } else {
      self = .waits(state[keyPath: waiters].makeToken())
    }
  }
}
