/// Checks the errors and warnings that a program of the project prints.
public enum ErrorSentences {
  /// Returns the lines of a program's errors that do not consist of complete sentences.
  ///
  /// An error may begin with what it is about: an option, a URL, or a file and a line, each followed by a colon. Then a
  /// sentence follows, which begins with a capital letter, a quotation mark, or the name of an option.
  public static func violations(in errors: String, of program: String) -> [Substring] {
    errors.split(separator: "\n").filter { line in
      guard line.hasPrefix("\(program): ") || line.lowercased().hasPrefix("warning: ") else { return false }
      return line.wholeMatch(of: /(\S+(, line \d+)?: |post \d+: )+(--\S+ |["“A-Z]).*[.?]\)?/) == nil
    }
  }
}
