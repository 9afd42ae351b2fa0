import Synchronization

/// Commands on their way to a loop's thread.
///
/// A producer is told to wake the loop only when nothing was waiting and the loop is (about to be) asleep, so a
/// busy loop is never woken by a system call.
final class Inbox: Sendable {
  enum Command: Sendable {
    case start(Transfer)
    case cancel(Transfer)
    case resumeReceiving(Transfer)
    case resumeSending(Transfer)
    case named(ClientCore, Destination, Int, Result<NameService.Known, TransferFailure>)
    case trusted(ClientCore, Result<TrustStore, TransferFailure>)
    case close(ClientCore)
  }

  private struct State: Sendable {
    var commands: [Command] = []
    var isAsleep = false
    /// Somebody who started a transfer has the loop's turn and will do what is put here before giving it back.
    var hasStarter = false
  }

  private let state = Mutex(State())

  /// Adds a command; true when the loop has to be woken.
  func put(_ command: Command) -> Bool {
    state.withLock { state in
      let wakes = state.isAsleep && state.commands.isEmpty && !state.hasStarter
      state.commands.append(command)
      return wakes
    }
  }

  /// Takes all commands at once by exchanging the two arrays, so that neither is allocated anew.
  func drain(into commands: inout [Command]) {
    state.withLock { state in
      state.isAsleep = false
      swap(&state.commands, &commands)
    }
  }

  /// A thread has taken the turn of a loop that may be asleep.
  func starterBegins() { state.withLock { $0.hasStarter = true } }

  /// The starter is about to give the turn back; false when there is more to do first.
  func starterEnds() -> Bool {
    state.withLock { state in
      guard state.commands.isEmpty else { return false }
      state.hasStarter = false
      return true
    }
  }

  /// The starter gives the turn back although there may be more to do; it wakes the loop for that.
  func starterLeaves() { state.withLock { $0.hasStarter = false } }

  /// Takes all commands at once, for a starter: the loop goes on sleeping.
  func drain() -> [Command] {
    state.withLock { state in
      defer { state.commands = [] }
      return state.commands
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
}
