import Synchronization

/// A queue of commands for a loop's thread.
///
/// A producer wakes the loop only if the inbox was empty and the loop is asleep or about to sleep. A busy loop
/// therefore never costs a system call.
final class Inbox: Sendable {
  enum Command: Sendable {
    case start(Transfer)
    case cancel(Transfer)
    case hold(Transfer)
    case resumeReceiving(Transfer)
    case resumeSending(Transfer)
    case named(ClientCore, Destination, Int, Result<NameService.Known, TransferFailure>)
    case trusted(ClientCore, Result<TrustStore, TransferFailure>)
    /// A server's gate may have opened.
    case proceed(ClientCore, Destination)
    case answered(ClientCore, Destination, Transfer?, TrustQuestion.Subject, TrustAnswer)
    case close(ClientCore)
  }

  private struct State: Sendable {
    var commands: [Command] = []
    var isAsleep = false
    /// Whether a thread that started a transfer holds the loop's lock. It performs new commands before it releases the
    /// lock.
    var hasStarter = false
  }

  private let state = Mutex(State())

  /// Adds a command. Returns true if the caller must wake the loop.
  func put(_ command: Command) -> Bool {
    state.withLock { state in
      let wakes = state.isAsleep && state.commands.isEmpty && !state.hasStarter
      state.commands.append(command)
      return wakes
    }
  }

  /// Takes all commands by swapping the two arrays, so that neither is allocated again.
  func drain(into commands: inout [Command]) {
    state.withLock { state in
      state.isAsleep = false
      swap(&state.commands, &commands)
    }
  }

  /// Records that a thread has locked a loop that may be asleep.
  func starterBegins() { state.withLock { $0.hasStarter = true } }

  /// Records that the starting thread is about to release the lock. Returns false if it must process more commands
  /// first.
  func starterEnds() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.hasStarter = false
      return true
    }
  }

  /// Records that the starting thread releases the lock although commands may remain. It wakes the loop for them.
  func starterLeaves() { state.withLock { $0.hasStarter = false } }

  /// Takes all commands for a starting thread, without waking the loop.
  func drain() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
    }
  }

  /// Records that the loop is about to sleep. Returns false if it must not, because commands are waiting.
  func fallAsleep() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.isAsleep = true
      return true
    }
  }
}
