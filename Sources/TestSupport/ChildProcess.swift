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

  private let guardian: pid_t
  private struct State {
    var ending: Ending?
    var isGuardianReleased = false
  }

  private let state = Mutex(State())
  /// One end of the guardian's standard input. Closing it makes the guardian end the program.
  private let lifeline: Int32
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

    let pair = isGuarded ? try Self.socketPair() : [-1, -1]
    lifeline = pair[0]
    guard isGuarded else {
      guardian = -1
      return
    }
    // `read` returns when this process is gone. A normal stop ends the guardian first.
    guardian = try Self.spawn(
      ["/bin/sh", "-c", "trap '' INT TERM HUP; read -r _; kill -TERM \(identifier); exit 0"],
      environment: [:], input: pair[1], output: .file("/dev/null"), error: "/dev/null")
    close(pair[1])
  }

  deinit {
    stop()
    if channel >= 0 { close(channel) }
  }

  /// Whether the program is still running.
  public var isRunning: Bool {
    state.withLock { state in
      if state.ending == nil { state.ending = Self.reap(identifier, options: WNOHANG) }
      return state.ending == nil
    }
  }

  /// Ends the program with SIGTERM (SIGKILL after five seconds) and waits for its end. Does nothing if it has already
  /// ended.
  public func stop() {
    state.withLock { state in
      // The guardian is released last: if this process ends during the stop, it still ends the program.
      defer { releaseGuardian(&state) }
      guard state.ending == nil else { return }
      kill(identifier, SIGTERM)
      let deadline = ContinuousClock.now + .seconds(5)
      while state.ending == nil, .now < deadline {
        state.ending = Self.reap(identifier, options: WNOHANG)
        if state.ending == nil { usleep(2000) }
      }
      if state.ending == nil {
        kill(identifier, SIGKILL)
        state.ending = Self.reap(identifier, options: 0)
      }
    }
  }

  /// Blocks until the program ends. Returns nil, and kills the program, if this takes longer than `limit`.
  public func waitForEnd(within limit: Duration) -> Ending? {
    let deadline = ContinuousClock.now + limit
    while isRunning {
      if .now >= deadline {
        state.withLock { state in
          defer { releaseGuardian(&state) }
          guard state.ending == nil else { return }
          kill(identifier, SIGKILL)
          state.ending = Self.reap(identifier, options: 0)
        }
        return nil
      }
      usleep(2000)
    }
    return state.withLock { state in
      releaseGuardian(&state)
      return state.ending
    }
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

  private func releaseGuardian(_ state: inout State) {
    guard guardian > 0, !state.isGuardianReleased else { return }
    state.isGuardianReleased = true
    kill(guardian, SIGKILL)
    _ = Self.reap(guardian, options: 0)
    close(lifeline)
  }

  private static func socketPair() throws -> [Int32] {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw ListeningSocket.failure("Could not create a socket pair")
    }
    return ends
  }

  private static func reap(_ process: pid_t, options: Int32) -> Ending? {
    var status: Int32 = 0
    var result: pid_t
    repeat { result = waitpid(process, &status, options) } while result < 0 && errno == EINTR
    if result == 0 { return nil }
    guard result == process else { return .exited(-1) }
    let signal = status & 0x7f
    return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
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
