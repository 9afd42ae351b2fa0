import AdoptAnalysis
import AdoptTwins
import TerminalProgram

/// All commands and their options. The parser, the help, the manual and the completions are generated from this list.
package enum CommandList {
  private typealias Option = OptionDescription
  private typealias Example = CommandDescription.Example

  private static let help = Option("help", short: "h", "show help for the command")
  private static let inputOptions = [
    Option(
      "exclude", value: "PATTERN", isRepeatable: true,
      "skip files and folders whose name or path matches PATTERN; * matches any characters"),
    Option(
      "jobs", short: "j", value: "N", "process N files at the same time (default: the number of processors)"),
  ]
  private static let outputOptions = [
    Option(
      "color", value: "WHEN", completion: .choices(["auto", "always", "never"]),
      "color the output: auto (at a terminal, unless NO_COLOR is set), always or never (default: auto)"),
    Option("quiet", short: "q", "do not print notes and the summary"),
  ]

  package static let check = CommandDescription(
    "check", "find completion handlers and continuations that are not called exactly once on every path",
    operands: "[PATH…]", count: 0...100_000,
    discussion: [
      "PATH is a Swift file, a folder, or - for standard input (default: the current folder). A folder with a Package.swift stands for the sources, tests and plug-ins of that package. Any other folder stands for all Swift files in it. Hidden folders, Pods, Carthage, DerivedData and node_modules are skipped.",
      "Each finding shows the path through the function that leads to it, and its kind in brackets: never (a path leaves without calling the handler), twice (a path calls it again), nothing (called with neither a value nor an error), lost (dropped or overwritten before it is called), after (passed on although it was already called), or suppression (a suppression without a reason).",
      "To suppress a finding, write a comment on its line or directly above it: adopt:ignore KIND - reason.",
    ],
    options: [
      Option(
        "format", short: "f", value: "FORMAT", completion: .choices(["text", "json", "sarif", "github"]),
        "output format: text, json, sarif (SARIF 2.1.0, for code scanning), or github (annotations of GitHub Actions) (default: text)"
      ),
      Option(
        "output", short: "o", value: "FILE", completion: .files, "write to FILE instead of standard output"),
      Option(
        "skip", value: "KIND", isRepeatable: true,
        completion: .choices(Finding.Kind.allCases.map(\.rawValue)), "do not report findings of this kind"),
      Option(
        "calls-once", value: "NAME", isRepeatable: true,
        "assume that functions named NAME call the closure passed to them exactly once"),
      Option(
        "diff", value: "REV",
        "report only findings that touch lines changed since the git revision REV; REV... means the commit where this branch left REV"
      ),
      Option(
        "baseline", value: "FILE", completion: .files, "do not report findings recorded in FILE"),
      Option("write-baseline", "write all findings to the --baseline FILE instead of reporting them"),
      Option("fix", "apply the safe fixes to the files, then report the remaining findings"),
      Option("path", value: "NAME", "the file name to show for standard input"),
      Option("verbose", short: "v", "also print what was not checked, and why"),
    ] + inputOptions + outputOptions + [help],
    examples: [
      Example(text: "Check the package in the current folder", line: "adopt check"),
      Example(
        text: "Check what a pull request changed, for code scanning",
        line: "adopt check --diff origin/main... --format sarif --output adopt.sarif"),
      Example(
        text: "Record the existing findings as a baseline",
        line: "adopt check --baseline adopt-baseline.json --write-baseline"),
    ], completion: .files)

  package static let alternatives = CommandDescription(
    "alternatives", "write async alternatives for functions with completion handlers",
    operands: "[PATH…]", count: 0...100_000,
    discussion: [
      "For each function with a completion handler, writes an async alternative that calls the function through a continuation. The alternative is placed after the function, or in a separate file. The function is marked as renamed, so the compiler points its callers to the alternative. Functions that cannot have an alternative are listed with the reason. PATH is the same as for check.",
      "By default, no file is changed: the changes are printed as a unified diff for patch -p1 or git apply. To write them, use --in-place or --into.",
    ],
    options: [
      Option("in-place", short: "i", "change the source files"),
      Option(
        "into", value: "FILE", completion: .files,
        "write the alternatives to the new file FILE, as extensions, and mark the original functions"),
      Option("dry-run", short: "n", "print the changes as a unified diff; change no file (default)"),
      Option(
        "access", value: "LEVEL", completion: .choices(AccessLevel.allCases.map(\.rawValue)),
        "write alternatives only for functions that are public, or public and package: public, package or all (default: all)"
      ),
      Option("objc-names", "name all alternatives as the compiler names imported Objective-C methods"),
      Option(
        "verify", value: "WHEN", completion: .choices(["on", "off"]),
        "compile the result and drop alternatives that do not compile: on or off (default: on)"),
      Option(
        "compiler-argument", value: "ARG", isRepeatable: true,
        "pass ARG to swift build when verifying, or to swiftc for files outside a package"),
      Option("verbose", short: "v", "also print which functions already have an alternative"),
    ] + inputOptions + outputOptions + [help],
    examples: [
      Example(text: "Show the changes", line: "adopt alternatives Sources/Photos"),
      Example(text: "Apply the changes", line: "adopt alternatives --in-place Sources/Photos"),
    ], completion: .files)

  package static let migrate = CommandDescription(
    "migrate", "move calls in async code and tests to async alternatives",
    operands: "[PATH…]", count: 0...100_000,
    discussion: [
      "Finds calls of functions with a completion handler that have an async alternative in the same package, and moves them to it where that keeps the behavior: at the end of an async function or Task, in withCheckedContinuation around one call, and in tests that wait for an expectation or a semaphore. All other calls stay as they are, and are listed with the reason.",
      "The package is built in a copy before and after, and changes that do not compile are dropped. By default, no file is changed: the changes are printed as a unified diff. A second run changes nothing.",
    ],
    options: [
      Option("in-place", short: "i", "change the source files"),
      Option("dry-run", short: "n", "print the changes as a unified diff; change no file (default)"),
      Option(
        "test",
        "change the source files one by one, run the tests after each, and put back files with which they fail"
      ),
      Option("wrap-in-task", "also move calls at the end of functions that are not async, into a Task"),
      Option(
        "verify", value: "WHEN", completion: .choices(["on", "off"]),
        "build the package before and after, and drop changes that do not compile: on or off (default: on)"),
      Option(
        "compiler-argument", value: "ARG", isRepeatable: true, "pass ARG to swift build and swift test"),
    ] + inputOptions + outputOptions + [help],
    examples: [
      Example(text: "Show the changes", line: "adopt migrate"),
      Example(text: "Change the files, and run the tests after each", line: "adopt migrate --test"),
    ], completion: .files)

  package static let explain = CommandDescription(
    "explain", "explain a kind of finding, with an example and its fix",
    operands: "[KIND…]", count: 0...10,
    discussion: ["KIND is never, twice, nothing, lost, after or suppression (default: all)."],
    options: outputOptions + [help],
    examples: [Example(text: "Explain what lost means", line: "adopt explain lost")],
    completion: .choices(Finding.Kind.allCases.map(\.rawValue)))

  package static let program = ProgramDescription(
    "adopt", version: ProjectVersion.current,
    summary: "migrate Swift code from completion handlers to async/await",
    synopsis: "COMMAND [OPTION…] [PATH…]",
    commands: [check, alternatives, migrate, explain] + CommandDescription.common(program: "adopt"),
    environment: [.init("NO_COLOR", "if set, the output is not colored")],
    exits: [
      .init(.success, "check found nothing; the other commands finished"),
      .init(.failure, "check reported findings"),
      .init(.usage, "the command line is not valid, or a file could not be read or written"),
      .init(.hungUp, "the terminal was closed (SIGHUP)"),
      .init(.interrupted, "interrupted (Ctrl-C, SIGINT)"),
      .init(.outputClosed, "the reader of standard output closed it"),
      .init(.terminated, "terminated (SIGTERM)"),
    ])
}
