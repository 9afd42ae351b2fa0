import Foundation
import Glibc
import KennelModel
import KennelTestSupport
import TestSupport
import Testing

/// Runs the program `kennel` with its own data directory.
struct Kennel: Sendable {
  struct Result: Sendable {
    var status: Int32
    var output: String
    var errors: String
  }

  static let path = ChildProcess.path(ofProgram: "kennel")

  let directory: TemporaryDirectory
  var environment: [String: String] = [:]

  init() throws {
    directory = try TemporaryDirectory()
    environment = [
      "HOME": directory.path("home"), "KENNEL_DATA": data, "LC_ALL": "C.UTF-8", "TMPDIR": directory.url.path,
      // Most tests look at the photos without an account.
      "KENNEL_PUBLIC": "yes",
    ]
    if TestWorld.current == .postgres { environment["KENNEL_DATABASE"] = try TestWorld.database(of: data) }
  }

  /// Opens the kennel in this process.
  func openStore(
    _ configuration: KennelStore.Configuration = KennelStore.Configuration()
  ) async throws -> KennelStore {
    var configuration = configuration
    configuration.databaseAddress = environment["KENNEL_DATABASE"]
    return try await KennelStore.open(data, configuration: configuration)
  }

  var data: String { directory.path("data") }

  /// Creates a kennel with the owner Ada.
  static func withOwner() async throws -> Kennel {
    let kennel = try Kennel()
    let result = try await kennel.run("user", "add", "Ada", "--password-stdin", input: "tennis ball\n")
    guard result.status == 0 else { throw TestSupportError(result.errors) }
    return kennel
  }

  func run(_ arguments: String..., input: String = "") async throws -> Result {
    try await run(arguments, input: input)
  }

  func run(_ arguments: [String], input: String = "") async throws -> Result {
    try directory.write(Data(input.utf8), to: "input")
    for name in ["output", "errors"] { try? FileManager.default.removeItem(at: directory.file(name)) }
    let redirection = "exec \"$@\" <'\(directory.path("input"))' >'\(directory.path("output"))'"
    let child = try ChildProcess(
      ["/bin/sh", "-c", redirection, "sh", Self.path] + arguments, environment: environment,
      output: directory.path("errors"))
    let status = try await Self.end(of: child)
    func text(_ name: String) -> String {
      (try? String(contentsOf: directory.file(name), encoding: .utf8)) ?? ""
    }
    #expect(ErrorSentences.violations(in: text("errors"), of: "kennel") == [])
    return Result(status: status, output: text("output"), errors: text("errors"))
  }

  /// Starts a server, and waits until it has printed its address.
  func start(_ arguments: String...) async throws -> Server { try await start([Self.path] + arguments) }

  /// Starts a server with a bash command line.
  func startInShell(_ line: String) async throws -> Server {
    try await start(["/bin/bash", "-c", "exec '\(Self.path)' \(line)"])
  }

  private func start(_ command: [String]) async throws -> Server {
    let child = try ChildProcess(
      command, environment: environment, output: directory.path("server-errors"),
      isConversing: true)
    let line = await runOnThread { child.readLine(within: .seconds(50)) }
    guard let line, line.hasPrefix("Kennel is at ") else {
      child.stop()
      throw TestSupportError("kennel does not serve: \(line ?? "") \(serverErrors)")
    }
    return Server(child: child, address: String(line.dropFirst("Kennel is at ".count)))
  }

  /// The contents of a file, and when it was last modified, in nanoseconds. A directory has only the time.
  ///
  /// Without the time of the last change of its properties: SQLite gives files the owner that they already have if root opens
  /// them.
  struct FileState: Equatable {
    var contents: Data?
    var modified: [Int]
  }

  /// Returns the state of all files and directories of the kennel, by their paths in it.
  func files() throws -> [String: FileState] {
    var files: [String: FileState] = [:]
    for name in try ["."] + FileManager.default.subpathsOfDirectory(atPath: data) {
      var status = stat()
      guard stat(data + "/" + name, &status) == 0 else { continue }
      files[name] = FileState(
        contents: try? Data(contentsOf: URL(filePath: data + "/" + name)),
        modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec])
    }
    return files
  }

  /// Returns the paths whose files differ.
  static func changes(_ one: [String: FileState], _ other: [String: FileState]) -> Set<String> {
    Set(one.keys).union(other.keys).filter { one[$0] != other[$0] }
  }

  /// Starts a command that keeps running; its standard error is in `followErrors`.
  func begin(_ arguments: String...) throws -> ChildProcess {
    try ChildProcess(
      [Self.path] + arguments, environment: environment, output: directory.path("follow-errors"),
      isConversing: true)
  }

  var followErrors: String {
    (try? String(contentsOf: directory.file("follow-errors"), encoding: .utf8)) ?? ""
  }

  var serverErrors: String {
    (try? String(contentsOf: directory.file("server-errors"), encoding: .utf8)) ?? ""
  }

  struct Server: Sendable {
    let child: ChildProcess
    let address: String

    func url(_ path: String) throws -> URL {
      guard let url = URL(string: String(address.dropLast()) + path) else {
        throw TestSupportError("Not a valid URL: \(address)")
      }
      return url
    }

    /// Sends a signal to the server, and waits for its end.
    func end(_ signal: Int32 = SIGTERM) async throws -> Int32 {
      child.send(signal: signal)
      return try await Kennel.end(of: child)
    }
  }

  static func end(of child: ChildProcess) async throws -> Int32 {
    switch await runOnThread({ child.waitForEnd(within: .seconds(50)) }) {
    case .exited(let code): return code
    case .signalled(let signal): return -signal
    case nil: throw TestSupportError("kennel does not end")
    }
  }
}
