import Synchronization

/// A queue of commands for the loop's thread.
///
/// A producer must wake the loop only if the loop is sleeping, so a busy loop needs no system calls.
final class LoopInbox<Command: Sendable>: Sendable {
  private struct State: Sendable {
    var commands: [Command] = []
    var isAsleep = false
    var isClosed = false
  }

  private let state = Mutex(State())

  /// Adds a command. Returns true if the caller must wake the loop. After the loop has ended, commands are dropped.
  func put(_ command: Command) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.commands.append(command)
      defer { state.isAsleep = false }
      return state.isAsleep
    }
  }

  /// Takes all commands by swapping the two arrays, which reuses their memory.
  func drain(into commands: inout [Command]) {
    state.withLock { state in
      state.isAsleep = false
      swap(&state.commands, &commands)
    }
  }

  /// Records that the loop is going to sleep. Returns false if commands are waiting, so that it must not sleep.
  func fallAsleep() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.isAsleep = true
      return true
    }
  }

  /// Closes the queue at the end of the loop, and drops the waiting commands.
  func close() {
    let dropped = state.withLock { state in
      state.isClosed = true
      defer { state.commands = [] }
      return state.commands
    }
    // The commands are released outside the lock, because they may hold the last references to objects.
    _ = dropped
  }
}
