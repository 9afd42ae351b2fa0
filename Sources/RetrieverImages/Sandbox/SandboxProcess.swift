import Foundation
import Glibc

/// A process in the sandbox, as the process that started it sees it.
///
/// Only one job may use it at a time. Releasing it ends the process.
// Unchecked because only one job may use it at a time: the pool hands it to one job, and gets it back after that.
final class SandboxProcess: @unchecked Sendable {
  /// The number of images that this process has decoded.
  private(set) var imageCount = 0
  private let process: pid_t
  private let descriptor: Int32
  /// The processor time that the process may use.
  private let processorLimit: Duration
  private var hasEnded = false

  /// Starts a process and waits until it is in the sandbox.
  init(_ configuration: ImageSandbox.Configuration, flag: CancellationFlag) throws(ImageError) {
    processorLimit = .seconds(SandboxChild.seconds(configuration.processorSeconds))
    var pair: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &pair) == 0 else {
      throw .sandbox("Could not create its socket: \(String(cString: strerror(errno))).")
    }
    let result = Self.spawn(configuration, socket: pair[1])
    close(pair[1])
    descriptor = pair[0]
    switch result {
    case .success(let started): process = started
    case .failure(let error):
      process = -1
      hasEnded = true
      close(descriptor)
      throw error
    }
    let socket = SandboxSocket(
      descriptor: descriptor, deadline: .now + configuration.startTimeout, flag: flag)
    let entered: Int
    do throws(SandboxSocket.Failure) {
      entered = try socket.receive(words: 1)[0]
    } catch {
      guard error == .timedOut else { throw failure(error, limits: ImageLimits()) }
      throw .sandbox("It did not start within \(configuration.startTimeout).")
    }
    guard entered == 0 else {
      throw .sandbox(
        "This system does not offer its restrictions: \(String(cString: strerror(Int32(clamping: entered))))."
      )
    }
  }

  deinit { end() }

  /// Whether it waits for the next image. A process that has ended meanwhile does not.
  var isWaiting: Bool { isUsable && !SandboxSocket(descriptor: descriptor).isReadable }

  /// Whether the rest of its processor time suffices for an image that needs all the time that its limits allow.
  func hasTime(for limits: ImageLimits) -> Bool {
    guard let used = processorTime else { return false }
    return used + Self.clamped(limits.duration) <= processorLimit
  }

  /// The processor time that the process has used, from its start; nil if the system does not state it.
  private var processorTime: Duration? {
    var clock = clockid_t()
    var time = timespec()
    guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else { return nil }
    return Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }

  private static func clamped(_ duration: Duration) -> Duration {
    min(max(duration, .zero), .seconds(86_400))
  }

  /// Decodes an image. After an error that is not one of the image, the process has ended.
  func thumbnail(
    of data: Data, _ request: SandboxRequest, flag: CancellationFlag
  ) throws(ImageError) -> SandboxedThumbnail {
    imageCount += 1
    // A second more than the process itself allows for decoding.
    let deadline = ContinuousClock.now + Self.clamped(request.limits.duration) + .seconds(1)
    let socket = SandboxSocket(descriptor: descriptor, deadline: deadline, flag: flag)
    let answer: Result<SandboxAnswer, SandboxSocket.Failure> = data.withUnsafeBytes { bytes in
      Result { () throws(SandboxSocket.Failure) in
        try socket.send(words: request.words)
        try socket.send(bytes)
        let words = try socket.receive(words: SandboxAnswer.wordCount)
        guard let count = SandboxAnswer.byteCount(words, request: request) else { throw .closed }
        return SandboxAnswer(words: words, bytes: try socket.receive(count))
      }
    }
    switch answer {
    case .success(.thumbnail(let thumbnail)): return thumbnail
    case .success(.failure(let error)): throw error
    case .failure(let error): throw failure(error, limits: request.limits)
    }
  }

  /// Whether the process can decode more images.
  var isUsable: Bool { !hasEnded }

  private func failure(_ failure: SandboxSocket.Failure, limits: ImageLimits) -> ImageError {
    let status = end()
    switch failure {
    case .cancelled: return .cancelled
    case .timedOut: return ImageError(.tooLarge, "Decoding the image took longer than \(limits.duration).")
    case .closed:
      let signal = status & 0x7F
      let reason = signal == 0 ? "status \(status >> 8 & 0xFF)" : "signal \(signal)"
      return .sandbox(
        "It ended with \(reason). The image may be damaged, or may need too much memory or time.")
    }
  }

  /// Ends the process, and returns its status.
  @discardableResult
  private func end() -> Int32 {
    guard !hasEnded else { return 0 }
    hasEnded = true
    close(descriptor)
    var status: Int32 = 0
    // A process that has ended by itself keeps its own status.
    if waitpid(process, &status, WNOHANG) == process { return status }
    kill(process, SIGKILL)
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    return status
  }

  private static func spawn(
    _ configuration: ImageSandbox.Configuration, socket: Int32
  ) -> Result<pid_t, ImageError> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // First, because the socket may be one of the descriptors that are opened after it.
    posix_spawn_file_actions_adddup2(&actions, socket, SandboxChild.descriptor)
    for descriptor in 0...2 as ClosedRange<Int32> {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    let arguments = SandboxChild.arguments(
      memory: configuration.memory, seconds: configuration.processorSeconds)
    // Nothing of this program's environment, which may contain passwords, except where its libraries are.
    let libraries =
      ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ["LD_LIBRARY_PATH=\($0)"] } ?? []
    var argumentPointers = arguments.map { strdup($0) } + [nil]
    var variablePointers = (libraries + ["SWIFT_BACKTRACE=enable=no"]).map { strdup($0) } + [nil]
    defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
    // A group of its own, so that Ctrl-C in a terminal does not end it before the program does.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    var process: pid_t = -1
    let error = posix_spawn(
      &process, configuration.program ?? "/proc/self/exe", &actions, &attributes, &argumentPointers,
      &variablePointers
    )
    guard error == 0 else {
      return .failure(
        .sandbox(
          "Could not start it: \(String(cString: strerror(error))). Check the memory and process limits."))
    }
    return .success(process)
  }
}

extension ImageError {
  static func sandbox(_ reason: String) -> ImageError {
    ImageError(.sandboxFailed, "The sandboxed process that decodes images failed. \(reason)")
  }
}
