/// The description of a command-line program: the single source of its parser, help, manual page and completions.
public struct ProgramDescription: Sendable {
  /// An environment variable or a file, and its meaning.
  public struct Entry: Sendable {
    /// The name of the environment variable, or the path of the file.
    public let name: String
    /// The explanation in the manual page.
    public let meaning: String

    /// Creates an entry from a name and its meaning.
    public init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// An exit status of the program, and its meaning.
  public struct Exit: Sendable {
    /// The status; the manual page shows its number.
    public let status: ExitStatus
    /// The explanation in the manual page.
    public let meaning: String

    /// Creates an entry from a status and its meaning.
    public init(_ status: ExitStatus, _ meaning: String) {
      self.status = status
      self.meaning = meaning
    }
  }

  /// An additional section at the end of the manual page.
  public struct Section: Sendable {
    /// The heading, by convention in capital letters. It is not escaped for roff.
    public let title: String
    /// The paragraphs as plain text. The manual page escapes them.
    public let paragraphs: [String]

    /// Creates a section from its title and paragraphs.
    public init(_ title: String, _ paragraphs: [String]) {
      self.title = title
      self.paragraphs = paragraphs
    }
  }

  /// The name of the executable, which also starts each error message.
  public let name: String
  /// The version that `--version` and the manual page show.
  public let version: String
  /// One line without a final period, as in the NAME section of the manual page.
  public let summary: String
  /// The synopsis in the help overview, without the program's name.
  public let synopsis: String
  /// All commands, including the hidden ones, in the order of the help. Add ``CommandDescription/common(program:)``.
  public let commands: [CommandDescription]
  /// The environment variables that the manual page lists.
  public let environment: [Entry]
  /// The files that the manual page lists.
  public let files: [Entry]
  /// The exit statuses that the manual page lists.
  public let exits: [Exit]
  /// The additional sections of the manual page, after the exit statuses.
  public let sections: [Section]

  /// - Parameter synopsis: The synopsis without the program's name.
  public init(
    _ name: String, version: String, summary: String, synopsis: String = "COMMAND [OPTION…] ARGUMENT…",
    commands: [CommandDescription], environment: [Entry] = [], files: [Entry] = [], exits: [Exit],
    sections: [Section] = []
  ) {
    self.name = name
    self.version = version
    self.summary = summary
    self.synopsis = synopsis
    self.commands = commands
    self.environment = environment
    self.files = files
    self.exits = exits
    self.sections = sections
  }

  /// The commands that the help, the manual page and the completions show.
  public var visible: [CommandDescription] { commands.filter { !$0.isHidden } }

  /// Returns the command with exactly this name, even if it is hidden; nil if there is none.
  public func command(named name: String) -> CommandDescription? { commands.first { $0.name == name } }
}
