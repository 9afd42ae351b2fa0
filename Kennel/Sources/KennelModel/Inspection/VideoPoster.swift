import CVideoSandbox
import Foundation
import Glibc
import KennelStorage
import RetrieverImages
import Synchronization

/// Makes posters of videos: a frame that ffmpeg decodes in a restricted process, or a drawn placeholder without ffmpeg.
///
/// The frame that comes from the process is decoded like any picture of a stranger.
package enum VideoPoster {
  /// A picture that stands for a video.
  package struct Picture: Sendable {
    package var data: Data
    /// Whether it is drawn, because there is no frame.
    package var isPlaceholder: Bool

    package init(data: Data, isPlaceholder: Bool) { (self.data, self.isPlaceholder) = (data, isPlaceholder) }
  }

  /// The programs that make posters.
  package struct Programs: Sendable {
    /// The path of ffmpeg.
    package var ffmpeg: String
    /// The program that restricts itself and then runs ffmpeg: one that calls ``runIfRequested(_:)``.
    package var launcher: String
    /// The maximum time for one frame.
    package var timeout: Duration

    package init(
      ffmpeg: String, launcher: String = "/proc/self/exe", timeout: Duration = .seconds(30)
    ) {
      (self.ffmpeg, self.launcher, self.timeout) = (ffmpeg, launcher, timeout)
    }
  }

  /// The maximum length of the longer side.
  static let maximumSide = 1920
  /// The maximum size of the frame in bytes.
  private static let maximumByteCount = 16 << 20
  private static let maximumMemory = 3 << 29
  private static let maximumProcessorSeconds = 20
  /// One video at a time, so that posters leave processors to everything else.
  private static let workQueue = BlockingWorkQueue<Void>("posters", slots: 1, maximumWaitingCount: 256)
  private static let chosen = Mutex<Programs?>(nil)

  package static var programs: Programs? { chosen.withLock { $0 } }

  /// Sets the programs, or nil for drawn posters.
  package static func use(_ programs: Programs?) { chosen.withLock { $0 = programs } }

  /// Whether this system can keep ffmpeg from reading other files.
  package static var limitsFiles: Bool { kennel_video_sandbox_limits_files() }

  /// Returns a picture for the video in a file.
  ///
  /// - Throws: `cancelled`, `busy`, or an error of the file system.
  package static func picture(ofFileAt path: String) async throws(KennelError) -> Picture {
    if let frame = try await frame(ofFileAt: path) { return Picture(data: frame, isPlaceholder: false) }
    let metadata = try? await MovieMetadata(contentsOf: URL(fileURLWithPath: path))
    let drawn = VideoPlaceholder.png(
      width: metadata?.pixelWidth ?? 16, height: metadata?.pixelHeight ?? 9, seconds: metadata?.seconds ?? 0)
    guard let drawn else { throw KennelError(.failed, "The picture of a video could not be drawn.") }
    return Picture(data: drawn, isPlaceholder: true)
  }

  /// Returns a blurred placeholder of a frame, or an empty array if there is no frame.
  static func thumbHash(ofFileAt path: String) async -> [UInt8] {
    guard let frame = try? await frame(ofFileAt: path),
      let result = try? await PhotoDecoder.sandbox.thumbnail(
        of: frame, ThumbnailTarget(width: 100, height: 100), limits: PhotoInspector.limits,
        damage: .tolerate, priority: .low)
    else { return [] }
    return ThumbHash(result.thumbnail).map { Array($0.data) } ?? []
  }

  /// Returns a frame as a JPEG, or nil if there is no ffmpeg, or it cannot decode the video.
  private static func frame(ofFileAt path: String) async throws(KennelError) -> Data? {
    guard let programs else { return nil }
    return try await workQueue.run { () throws(KennelError) in
      let process = try FrameProcess(programs, arguments: arguments(programs), videoAt: path)
      return process.output(limit: maximumByteCount, until: .now + programs.timeout)
    }
  }

  private static func arguments(_ programs: Programs) -> [String] {
    [
      FrameProcess.marker, programs.ffmpeg, "\(maximumMemory)", "\(maximumProcessorSeconds)",
      // Only the file that was given is opened, and only as an MP4 or QuickTime file.
      "-nostdin", "-hide_banner", "-loglevel", "quiet", "-threads", "1", "-protocol_whitelist", "file",
      "-f", "mov", "-i", "file:/proc/self/fd/0", "-map", "0:v:0", "-an", "-sn", "-dn", "-frames:v", "1",
      "-filter_threads", "1", "-vf",
      "scale=w='min(\(maximumSide),iw)':h='min(\(maximumSide),ih)':force_original_aspect_ratio=decrease",
      "-threads", "1", "-c:v", "mjpeg", "-q:v", "3", "-f", "image2pipe", "pipe:1",
    ]
  }

  /// Runs ffmpeg in this process, if the process was started for that. Call it first in `main`.
  package static func runIfRequested(_ arguments: [String]) {
    guard arguments.count > 4, arguments[0] == FrameProcess.marker, let memory = Int(arguments[2]),
      let seconds = UInt32(arguments[3]), memory > 0
    else { return }
    var pointers = ([arguments[1]] + arguments[4...]).map { strdup($0) } + [nil]
    _ = kennel_video_sandbox_run(arguments[1], &pointers, memory, seconds)
    _exit(1)
  }
}

/// A process that decodes a frame. Releasing it ends the process.
private final class FrameProcess {
  /// The first argument of such a process.
  static let marker = "kennel-video-poster"

  private let process: pid_t
  private let descriptor: Int32
  private var hasEnded = false

  init(
    _ programs: VideoPoster.Programs, arguments: [String], videoAt path: String
  ) throws(KennelError) {
    let video = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard video >= 0 else { throw .file("A video could not be opened", path: path, errno: errno) }
    defer { close(video) }
    var ends: [Int32] = [-1, -1]
    // Not a pipe: Glibc's module has no function that makes one that other processes do not get.
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends) == 0 else {
      throw .file("A socket could not be created", path: path, errno: errno)
    }
    defer { close(ends[1]) }
    descriptor = ends[0]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, video, 0)
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // A group of its own, so that Ctrl-C in a terminal does not end it before the program does.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    // Nothing of this program's environment, which may contain passwords, except where its libraries are.
    let libraries =
      ProcessInfo.processInfo.environment["LD_LIBRARY_PATH"].map { ["LD_LIBRARY_PATH=\($0)"] } ?? []
    var argumentPointers = ([programs.launcher] + arguments).map { strdup($0) } + [nil]
    var variablePointers = (libraries + ["SWIFT_BACKTRACE=enable=no"]).map { strdup($0) } + [nil]
    defer { for pointer in argumentPointers + variablePointers { free(pointer) } }
    var started: pid_t = -1
    let error = posix_spawn(
      &started, programs.launcher, &actions, &attributes, &argumentPointers, &variablePointers)
    process = error == 0 ? started : -1
    guard error == 0 else {
      close(descriptor)
      throw .file("The process for posters could not be started", path: programs.launcher, errno: error)
    }
  }

  deinit {
    guard process > 0 else { return }
    close(descriptor)
    if !hasEnded { end() }
  }

  /// Returns what the process writes. Returns nil if it fails, writes too much or takes too long.
  func output(limit: Int, until deadline: ContinuousClock.Instant) -> Data? {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let left = ContinuousClock.now.duration(to: deadline)
      guard left > .zero else { return nil }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let milliseconds = min(left.components.seconds * 1000 + 1, 1000)
      guard poll(&entry, 1, Int32(milliseconds)) > 0 else { continue }
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0 {
        if errno == EINTR { continue }
        return nil
      }
      if count == 0 { break }
      guard count <= limit - data.count else { return nil }
      data.append(contentsOf: buffer.prefix(count))
    }
    // It has closed its output, so it should be ending.
    return ending(until: deadline) == 0 && !data.isEmpty ? data : nil
  }

  /// Waits for the end of the process and returns its status; nil if it takes too long.
  private func ending(until deadline: ContinuousClock.Instant) -> Int32? {
    var result: Int32 = 0
    while waitpid(process, &result, WNOHANG) == 0 {
      guard ContinuousClock.now < deadline else { return nil }
      usleep(1000)
    }
    hasEnded = true
    return result
  }

  private func end() {
    kill(process, SIGKILL)
    var result: Int32 = 0
    while waitpid(process, &result, 0) < 0 && errno == EINTR {}
  }
}
