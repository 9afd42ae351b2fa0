// A child process with time limits: it is spawned, read line by line, and waited for. Its resource usage is recorded.
import Foundation

final class Child {
  /// The resource usage of a finished process.
  struct Usage {
    let cpuSeconds: Double
    let status: Int32
  }

  let pid: pid_t
  let spawnedAt: Int
  private let name: String
  private let input: Int32
  private let output: Int32
  private var unread: [UInt8] = []
  private var usage: Usage?

  init(_ program: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    guard access(program, X_OK) == 0 else {
      throw Problem("\(program) does not exist. Run `make bench` to build it")
    }
    name = URL(filePath: program).lastPathComponent
    let toChild = try Child.pipeEnds()
    let fromChild = try Child.pipeEnds()
    (input, output) = (toChild.write, fromChild.read)
    defer {
      close(toChild.read)
      close(fromChild.write)
    }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.read, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, fromChild.write, STDOUT_FILENO)

    let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    var argv = ([program] + arguments).map { strdup($0) } + [nil]
    var envp = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { (argv + envp).forEach { free($0) } }
    var pid: pid_t = 0
    spawnedAt = monotonicNanoseconds()
    let failure = posix_spawn(&pid, program, &actions, nil, &argv, &envp)
    self.pid = pid
    guard failure == 0 else { throw Problem("\(program): \(String(cString: strerror(failure)))") }
  }

  deinit {
    if usage == nil, pid > 0 {
      kill(pid, SIGKILL)
      waitpid(pid, nil, 0)
    }
    close(input)
    close(output)
  }

  /// Returns the next line of the output. Throws if there is none in time, if the output ends, or if `other` ends.
  func line(within seconds: Double, whileRunning other: Child? = nil) throws -> String {
    let deadline = monotonicNanoseconds() + Int(seconds * 1e9)
    while true {
      if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
        defer { unread.removeSubrange(...end) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      let left = (deadline - monotonicNanoseconds()) / 1_000_000
      guard left > 0 else { throw Problem("\(name) printed nothing for \(Int(seconds)) seconds") }
      if let other, other.hasEnded { throw Problem("\(other.name) ended too early") }
      var waiting = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, Int32(min(left, 200))) > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(output, &bytes, bytes.count)
      guard count > 0 else { throw Problem("\(name) ended without output: \(describeEnd())") }
      unread.append(contentsOf: bytes[..<count])
    }
  }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = write(input, bytes, bytes.count)
  }

  func signal(_ number: Int32) { kill(pid, number) }

  /// Waits for the process to end. If it takes too long, kills it and throws. Throws for an exit status other than 0.
  func finish(within seconds: Double) throws -> Usage {
    let deadline = monotonicNanoseconds() + Int(seconds * 1e9)
    while !hasEnded {
      guard monotonicNanoseconds() < deadline else {
        kill(pid, SIGKILL)
        while !hasEnded { usleep(1000) }
        throw Problem("\(name) was still running after \(Int(seconds)) seconds")
      }
      usleep(500)
    }
    guard let usage, usage.status == 0 else { throw Problem("\(name): \(describeEnd())") }
    return usage
  }

  /// Returns a pipe that later child processes do not inherit. Otherwise they would delay the end of file.
  private static func pipeEnds() throws -> (read: Int32, write: Int32) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else {
      throw Problem("could not make a pipe: \(String(cString: strerror(errno)))")
    }
    ends.forEach { _ = fcntl($0, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  private var hasEnded: Bool {
    if usage != nil { return true }
    var status: Int32 = 0
    var resources = rusage()
    guard wait4(pid, &status, WNOHANG, &resources) == pid else { return false }
    usage = Usage(cpuSeconds: resources.ru_utime.seconds + resources.ru_stime.seconds, status: status)
    return true
  }

  private func describeEnd() -> String {
    for _ in 0..<200 where !hasEnded { usleep(1000) }
    guard let status = usage?.status else { return "its output was closed" }
    let signal = status & 0x7f
    return signal == 0 ? "exit status \(status >> 8)" : "ended by signal \(signal)"
  }
}

extension timeval {
  fileprivate var seconds: Double { Double(tv_sec) + Double(tv_usec) / 1e6 }
}

func monotonicNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
