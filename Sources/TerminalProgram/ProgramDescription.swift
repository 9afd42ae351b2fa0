/// The description of a command-line program: the single source of its parser, help, manual page and completions.
package struct ProgramDescription: Sendable {
  /// An environment variable or a file, and its meaning.
  package struct Entry: Sendable {
    package let name: String
    package let meaning: String

    package init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// An exit status of the program, and its meaning.
  package struct Exit: Sendable {
    package let status: ExitStatus
    package let meaning: String

    package init(_ status: ExitStatus, _ meaning: String) {
      self.status = status
      self.meaning = meaning
    }
  }

  /// An additional section at the end of the manual page.
  package struct Section: Sendable {
    package let title: String
    package let paragraphs: [String]

    package init(_ title: String, _ paragraphs: [String]) {
      self.title = title
      self.paragraphs = paragraphs
    }
  }

  package let name: String
  package let version: String
  package let summary: String
  package let synopsis: String
  package let commands: [CommandDescription]
  package let environment: [Entry]
  package let files: [Entry]
  package let exits: [Exit]
  package let sections: [Section]

  /// - Parameter synopsis: The synopsis without the program's name.
  package init(
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

  package var visible: [CommandDescription] { commands.filter { !$0.isHidden } }

  package func command(named name: String) -> CommandDescription? { commands.first { $0.name == name } }
}
