import Glibc

/// Properties of the terminal.
public enum Terminal {
  /// Whether the file descriptor refers to a terminal.
  public static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Whether the process has a controlling terminal. Services and processes that were started with setsid have none.
  static var controlsProcess: Bool {
    let descriptor = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// The size in columns and rows. Read each time, because the user can resize the window.
  public static func size(_ descriptor: Int32) -> (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return (80, 24) }
    return (Int(size.ws_col), max(1, Int(size.ws_row)))
  }

  /// Whether the terminal can overwrite lines.
  public static func canRewrite(_ descriptor: Int32, _ environment: [String: String]) -> Bool {
    isTerminal(descriptor) && environment["TERM"] != "dumb"
  }

  /// Whether the locale uses UTF-8: the first of `LC_ALL`, `LC_CTYPE` and `LANG` that is not empty decides.
  public static func usesUnicode(_ environment: [String: String]) -> Bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    let locale = names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty }?.lowercased() ?? ""
    return locale.contains("utf-8") || locale.contains("utf8")
  }
}
