import Dispatch
import Foundation
import Glibc
import Synchronization

/// A child process that tests run. It inherits no descriptors except its three standard streams. It ends when this
/// process ends for any reason: a small shell process waits for that on a pipe.
public final class ChildProcess: Sendable {
  /// How a program ended.
  public enum Ending: Sendable, Equatable {
    /// The program exited with this code.
    case exited(Int32)
    /// A signal ended the program.
    case signalled(Int32)
  }

  /// The process identifier.
  public let identifier: pid_t

  private let watch: Watch
  /// This process's end of the program's standard input and output if `isConversing`; otherwise -1.
  private let channel: Int32
  private let unread = Mutex<[UInt8]>([])

  /// Returns the path of a program that was built with the tests: it is in the folder of the test program.
  public static func path(ofProgram name: String) -> String {
    let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    return URL(fileURLWithPath: tests).deletingLastPathComponent().appendingPathComponent(name).path
  }

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - arguments: The path of the program and its arguments.
  ///   - environment: Variables to add to this process's environment.
  ///   - output: A file for the standard error, and for the standard output unless `isConversing`.
  ///   - isConversing: Whether `send(line:)` and `readLine(within:)` use its standard input and output.
  ///   - isGuarded: Whether the program ends with this process.
  public init(
    _ arguments: [String], environment: [String: String] = [:], output: String = "/dev/null",
    isConversing: Bool = false, isGuarded: Bool = true
  ) throws {
    var conversation: [Int32] = [-1, -1]
    if isConversing { conversation = try Self.socketPair() }
    identifier = try Self.spawn(
      arguments, environment: environment, input: conversation[1],
      output: isConversing ? .descriptor(conversation[1]) : .file(output), error: output)
    if isConversing { close(conversation[1]) }
    channel = conversation[0]

    watch = try Watch(identifier, isGuarded: isGuarded)
    watch.start()
  }

  deinit {
    stop()
    if channel >= 0 { close(channel) }
  }

  /// Whether the program is still running.
  public var isRunning: Bool { watch.ending == nil }

  /// Sends a signal to the program. Returns false if it has ended.
  @discardableResult public func send(signal: Int32) -> Bool { watch.send(signal) }

  /// Ends the program with SIGTERM (SIGKILL after five seconds) and waits for its end. Does nothing if it has already
  /// ended.
  public func stop() {
    watch.send(SIGTERM)
    guard watch.waitForEnd(within: .seconds(5)) == nil else { return }
    watch.send(SIGKILL)
    watch.waitForEnd()
  }

  /// Blocks until the program ends. Returns nil, and kills the program, if this takes longer than `limit`.
  public func waitForEnd(within limit: Duration) -> Ending? {
    if let ending = watch.waitForEnd(within: limit) { return ending }
    watch.send(SIGKILL)
    watch.waitForEnd()
    return nil
  }

  /// Sends a line to the program's standard input.
  public func send(line: String) throws {
    let bytes = Array((line + "\n").utf8)
    guard Glibc.send(channel, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw ListeningSocket.failure("Could not write to the program")
    }
  }

  /// Blocks until the program writes a line to its standard output. Returns nil at the end of the output or after
  /// `limit`.
  public func readLine(within limit: Duration = .seconds(60)) -> String? {
    let deadline = ContinuousClock.now + limit
    return unread.withLock { unread in
      while true {
        if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
          defer { unread.removeSubrange(...end) }
          return String(decoding: unread[..<end], as: UTF8.self)
        }
        var buffer = [UInt8](repeating: 0, count: 65536)
        guard Polling.wait(for: [.readable(channel)], within: deadline - .now) != nil else { return nil }
        let count = recv(channel, &buffer, buffer.count, 0)
        guard count > 0 else { return nil }
        unread += buffer[..<count]
      }
    }
  }

  /// Runs a program to its end and returns its output. Throws if the program fails.
  @discardableResult
  public static func run(_ arguments: [String], within limit: Duration = .seconds(30)) throws -> String {
    let directory = try TemporaryDirectory()
    let output = directory.path("output")
    let child = try ChildProcess(arguments, output: output, isGuarded: false)
    let ending = child.waitForEnd(within: limit)
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    guard ending == .exited(0) else {
      throw TestSupportError("\(arguments.joined(separator: " ")) failed: \(text)")
    }
    return text
  }

  private static func socketPair() throws -> [Int32] {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw ListeningSocket.failure("Could not create a socket pair")
    }
    return ends
  }

  private enum Output {
    case file(String)
    case descriptor(Int32)
  }

  private static func spawn(
    _ arguments: [String], environment: [String: String], input: Int32, output: Output, error: String
  ) throws -> pid_t {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    let create = O_WRONLY | O_CREAT | O_APPEND
    if input >= 0 {
      posix_spawn_file_actions_adddup2(&actions, input, 0)
    } else {
      posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    }
    switch output {
    case .descriptor(let descriptor): posix_spawn_file_actions_adddup2(&actions, descriptor, 1)
    case .file(let path): posix_spawn_file_actions_addopen(&actions, 1, path, create, 0o600)
    }
    posix_spawn_file_actions_addopen(&actions, 2, error, create, 0o600)
    // Sockets of the client under test may lack close-on-exec, and a copy in a server would keep them open. glibc has
    // this function since 2.34, but Swift cannot import its declaration.
    typealias CloseFrom = @convention(c) (UnsafeMutableRawPointer, Int32) -> Int32
    if let symbol = dlsym(nil, "posix_spawn_file_actions_addclosefrom_np") {
      _ = withUnsafeMutablePointer(to: &actions) { unsafeBitCast(symbol, to: CloseFrom.self)($0, 3) }
    }
    // The threads that run tests block signals. A program that inherited this could not be ended with SIGTERM.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var noSignals = sigset_t()
    sigemptyset(&noSignals)
    posix_spawnattr_setsigmask(&attributes, &noSignals)
    // The same applies if the tests run in the background, where a shell makes a process ignore signals.
    var defaultSignals = sigset_t()
    sigemptyset(&defaultSignals)
    for signal in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&defaultSignals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &defaultSignals)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    var variables = ProcessInfo.processInfo.environment
    variables.merge(environment) { $1 }
    var argumentPointers: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    var environmentPointers: [UnsafeMutablePointer<CChar>?] =
      variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      argumentPointers.forEach { free($0) }
      environmentPointers.forEach { free($0) }
    }
    var identifier = pid_t()
    let code = posix_spawnp(
      &identifier, arguments[0], &actions, &attributes, &argumentPointers, &environmentPointers)
    guard code == 0 else {
      throw TestSupportError("Could not start \(arguments[0]): \(String(cString: strerror(code)))")
    }
    return identifier
  }
}

extension ChildProcess {
  /// Waits for the end of a program on a thread of its own. A program that has ended does not stay as a zombie: while there
  /// is one, Swift Testing's thread for exit tests keeps a processor busy.
  private final class Watch: Sendable {
    private let identifier: pid_t
    /// The process that ends the program if this process ends first; -1 if there is none.
    private let guardian: pid_t
    /// One end of the guardian's standard input. Closing it makes the guardian end the program.
    private let lifeline: Int32
    private let state = Mutex<Ending?>(nil)
    private let end = DispatchGroup()

    init(_ identifier: pid_t, isGuarded: Bool) throws {
      self.identifier = identifier
      let pair = isGuarded ? try ChildProcess.socketPair() : [-1, -1]
      lifeline = pair[0]
      guard isGuarded else {
        guardian = -1
        return
      }
      // `read` returns when this process is gone. A normal stop ends the guardian first.
      guardian = try ChildProcess.spawn(
        ["/bin/sh", "-c", "trap '' INT TERM HUP; read -r _; kill -TERM \(identifier); exit 0"],
        environment: [:], input: pair[1], output: .file("/dev/null"), error: "/dev/null")
      close(pair[1])
    }

    func start() {
      end.enter()
      let thread = Thread { [self] in
        // The program is removed from the table of processes while no signal can be sent to it.
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
        state.withLock { state in
          state = Self.reap(identifier)
          guard guardian > 0 else { return }
          kill(guardian, SIGKILL)
          _ = Self.reap(guardian)
          close(lifeline)
        }
        end.leave()
      }
      thread.name = "child \(identifier)"
      thread.start()
    }

    /// How the program ended; nil while it is running.
    var ending: Ending? { state.withLock { $0 } }

    @discardableResult func send(_ signal: Int32) -> Bool {
      state.withLock { $0 == nil && kill(identifier, signal) == 0 }
    }

    /// Blocks until the program ends. Returns nil after `limit`.
    @discardableResult func waitForEnd(within limit: Duration? = nil) -> Ending? {
      let time = limit.map { DispatchTime.now() + $0 / .seconds(1) } ?? .distantFuture
      return end.wait(timeout: time) == .success ? ending : nil
    }

    private static func reap(_ process: pid_t) -> Ending {
      var status: Int32 = 0
      var result: pid_t
      repeat { result = waitpid(process, &status, 0) } while result < 0 && errno == EINTR
      guard result == process else { return .exited(-1) }
      let signal = status & 0x7f
      return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }
  }
}
