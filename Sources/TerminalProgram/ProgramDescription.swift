/// A command-line program: the single source of its help, manual and completions, and of what it accepts.
package struct ProgramDescription: Sendable {
  /// Something with what it means: a variable of the environment, a file.
  package struct Entry: Sendable {
    package let name: String
    package let meaning: String

    package init(_ name: String, _ meaning: String) {
      self.name = name
      self.meaning = meaning
    }
  }

  /// A number that the program ends with.
  package struct Exit: Sendable {
    package let status: ExitStatus
    package let meaning: String

    package init(_ status: ExitStatus, _ meaning: String) {
      self.status = status
      self.meaning = meaning
    }
  }

  /// A part of the manual behind all others.
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

  /// - Parameter synopsis: without the program's name.
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
