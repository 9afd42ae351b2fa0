import Synchronization

/// Commands on their way to the loop's thread.
///
/// A producer is told to wake the loop only when it sleeps and nothing was waiting, so a busy loop is never woken
/// by a system call.
final class LoopInbox<Command: Sendable>: Sendable {
  private struct State: Sendable {
    var commands: [Command] = []
    var isAsleep = false
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Adds a command; true when the loop has to be woken. After the loop's end commands are dropped.
  func put(_ command: Command) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.commands.append(command)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
  }

  /// Takes all commands at once by exchanging the two arrays, so that neither is allocated anew.
  func drain(into commands: inout [Command]) {
    state.withLock { state in
      state.isAsleep = false
      swap(&state.commands, &commands)
    }
  }

  /// Announces that the loop is going to sleep; false when commands are waiting and it must not.
  func fallAsleep() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.isAsleep = true
      return true
    }
  }

  /// The loop has ended; what was waiting is dropped.
  func close() {
    let dropped = state.withLock { state in
      state.isClosed = true
      defer { state.commands = [] }
      return state.commands
    }
    // Dropped outside of the lock: the last reference to something may go with it.
    _ = dropped
  }
}
