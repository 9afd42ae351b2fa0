import Glibc

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
