import AdoptAnalysis
import TerminalProgram

/// All commands and their options. Parser, help, manual and completions are made of this alone.
package enum CommandList {
  private typealias Option = OptionDescription
  private typealias Example = CommandDescription.Example

  private static let help = Option("help", short: "h", "show what the command does and takes")
  private static let looking = [
    Option(
      "exclude", value: "PATTERN", isRepeatable: true,
      "leave out files and folders whose name or path matches PATTERN, in which * stands for anything"),
    Option("jobs", short: "j", value: "N", "work on so many files at a time; one a processor unless given"),
  ]
  private static let telling = [
    Option(
      "color", value: "WHEN", completion: .choices(["auto", "always", "never"]),
      "colour the output at a terminal (auto, unless NO_COLOR is set), always or never"),
    Option("quiet", short: "q", "tell no summary"),
  ]

  package static let check = CommandDescription(
    "check", "find completion handlers and continuations that are not called exactly once on every path",
    operands: "[PATH…]", count: 0...100_000,
    discussion: [
      "A PATH is a Swift file; a folder with a Package.swift, for the sources, tests and plug-ins of that package; any other folder, for all Swift files in it; or - for standard input. Without one it is the current folder. Hidden folders, Pods, Carthage, DerivedData and node_modules are left out.",
      "Each finding comes with the path through the function that leads there. Its kind, in brackets, is never (a path leaves without calling), twice, nothing (neither value nor error), lost (dropped, or stored over), after (handed on although it was called), or suppression (one that gives no reason).",
      "A comment suppresses a finding on its line or below it: adopt:ignore KIND - reason.",
    ],
    options: [
      Option(
        "format", short: "f", value: "FORMAT", completion: .choices(["text", "json", "sarif"]),
        "text as the compiler writes it, json, or sarif (SARIF 2.1.0, for code scanning)"),
      Option(
        "output", short: "o", value: "FILE", completion: .files, "write to FILE instead of standard output"),
      Option(
        "skip", value: "KIND", isRepeatable: true,
        completion: .choices(Finding.Kind.allCases.map(\.rawValue)), "do not tell findings of this kind"),
      Option(
        "calls-once", value: "NAME", isRepeatable: true,
        "functions called NAME call the closure they are given exactly once"),
      Option(
        "diff", value: "REV",
        "tell only what touches lines that changed since the git revision REV; REV... is where this branch left REV"
      ),
      Option(
        "baseline", value: "FILE", completion: .files, "do not tell findings that are noted in FILE"),
      Option("write-baseline", "note all findings in the baseline's FILE, instead of telling them"),
      Option("fix", "make the changes that are certain, in place, and tell what is left"),
      Option("path", value: "NAME", "what standard input is called"),
      Option("verbose", short: "v", "tell what was not looked at, and why"),
    ] + looking + telling + [help],
    examples: [
      Example(text: "Look at the package in this folder", line: "adopt check"),
      Example(
        text: "Look at what a pull request changed, for code scanning",
        line: "adopt check --diff origin/main... --format sarif --output adopt.sarif"),
      Example(
        text: "Begin with code that has findings already",
        line: "adopt check --baseline adopt-baseline.json --write-baseline"),
    ], completion: .files)

  package static let alternatives = CommandDescription(
    "alternatives", "write async alternatives of functions that take completion handlers",
    operands: "[PATH…]", count: 0...100_000,
    discussion: [
      "For each function with a completion handler an async one that calls it through a continuation, next to it or in a file of its own; the old one is marked as renamed, so that the compiler points callers to the new one. What cannot be done is listed with the reason. PATH is as for check.",
      "Unless another option says so, nothing is written: the changes are shown as a unified diff, for patch -p1 or git apply.",
    ],
    options: [
      Option("in-place", short: "i", "write into the files themselves"),
      Option(
        "into", value: "FILE", completion: .files,
        "write the alternatives into FILE, as extensions, and mark the old functions where they are"),
      Option("dry-run", short: "n", "show the changes as a unified diff (the usual)"),
      Option("objc-names", "name all of them as the compiler names imported Objective-C methods"),
      Option(
        "verify", value: "WHEN", completion: .choices(["on", "off"]),
        "compile the result, and decline what does not compile (on, unless given)"),
      Option(
        "compiler-argument", value: "ARG", isRepeatable: true,
        "give ARG to swift build, or to swiftc for files outside of a package, when verifying"),
      Option("verbose", short: "v", "tell which functions have their alternative already"),
    ] + looking + telling + [help],
    examples: [
      Example(text: "See what would change", line: "adopt alternatives Sources/Photos"),
      Example(text: "Change it", line: "adopt alternatives --in-place Sources/Photos"),
    ], completion: .files)

  package static let program = ProgramDescription(
    "adopt", version: AdoptProgram.version,
    summary: "take Swift code from completion handlers to async/await",
    synopsis: "COMMAND [OPTION…] [PATH…]",
    commands: [check, alternatives] + CommandDescription.common(program: "adopt"),
    environment: [.init("NO_COLOR", "if set, output is not coloured")],
    exits: [
      .init(.success, "check found nothing; alternatives did what can be done"),
      .init(.failure, "check found something"),
      .init(.usage, "the command line makes no sense, or a file could not be read or written"),
      .init(.hungUp, "ended with its terminal (SIGHUP)"),
      .init(.interrupted, "interrupted (Ctrl-C, SIGINT)"),
      .init(.outputClosed, "the reader of standard output went away"),
      .init(.terminated, "asked to end (SIGTERM)"),
    ])
}
