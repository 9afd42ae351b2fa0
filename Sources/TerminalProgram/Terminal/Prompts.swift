import Dispatch
import Glibc
import Synchronization
import SystemFiles

/// Asks for a password on the terminal without echoing it, even if standard input and output are redirected.
public enum PasswordPrompt {
  /// Whether the process has a terminal.
  public static var hasTerminal: Bool {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return false }
    close(terminal)
    return true
  }

  /// Returns the answer; nil if there is no terminal, the user ends the input (Ctrl-D), or the task is cancelled.
  public static func ask(_ question: String) async -> String? {
    await answer(to: question, isShown: false)
  }

  /// - Parameter isShown: Whether the terminal echoes the answer.
  static func answer(to question: String, isShown: Bool) async -> String? {
    let isAbandoned = Flag()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        DispatchQueue(label: "terminal.prompt").async {
          continuation.resume(returning: read(question, isShown: isShown, isAbandoned))
        }
      }
    } onCancel: {
      isAbandoned.value.store(true, ordering: .relaxed)
    }
  }

  private final class Flag: Sendable {
    let value = Atomic<Bool>(false)
  }

  private static func read(_ question: String, isShown: Bool, _ isAbandoned: Flag) -> String? {
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)
    guard terminal >= 0 else { return nil }
    defer { close(terminal) }
    var before = termios()
    guard tcgetattr(terminal, &before) == 0 else { return nil }
    var during = before
    if !isShown { during.c_lflag &= ~tcflag_t(ECHO) }
    guard tcsetattr(terminal, TCSAFLUSH, &during) == 0 else { return nil }
    var line: [UInt8] = []
    var isEnded = false
    // Runs on every exit, before the newline. A terminal that echoes prints the newline itself.
    defer {
      tcsetattr(terminal, TCSAFLUSH, &before)
      if !isShown || !isEnded { put("\n", terminal) }
    }
    put(DisplayText.safe(question), terminal)
    while !isAbandoned.value.load(ordering: .relaxed) {
      guard DescriptorIO.wait(for: .reading, on: terminal, milliseconds: 100) == .ready else { continue }
      var byte: UInt8 = 0
      guard Glibc.read(terminal, &byte, 1) == 1 else { return nil }
      if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
        isEnded = true
        return String(decoding: line, as: UTF8.self)
      }
      line.append(byte)
    }
    return nil
  }

  private static func put(_ text: String, _ terminal: Int32) {
    let bytes = Array(text.utf8)
    _ = write(terminal, bytes, bytes.count)
  }
}

/// Asks the user to confirm an action.
public enum Confirmation {
  /// Whether a user can be asked. Input from a pipe or a file does not count.
  public static var isPossible: Bool {
    Terminal.isTerminal(STDIN_FILENO) && PasswordPrompt.hasTerminal
  }

  /// Returns true only if the answer is yes.
  public static func ask(_ question: String) async -> Bool {
    let answer = await PasswordPrompt.answer(to: "\(question) [y/N] ", isShown: true)
    return ["y", "yes"].contains(answer.map { $0.filter { !$0.isWhitespace }.lowercased() })
  }
}
