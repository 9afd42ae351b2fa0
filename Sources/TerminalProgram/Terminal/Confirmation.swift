import Glibc

/// Asks a person whether something is really to be done.
package enum Confirmation {
  /// Whether there is somebody to ask: a program's input is no answer of a person's.
  package static var isPossible: Bool {
    Terminal.isTerminal(STDIN_FILENO) && PasswordPrompt.hasTerminal
  }

  /// True only when the answer is yes.
  package static func ask(_ question: String) async -> Bool {
    let answer = await PasswordPrompt.answer(to: "\(question) [y/N] ", isShown: true)
    return ["y", "yes"].contains(answer.map { $0.filter { !$0.isWhitespace }.lowercased() })
  }
}
