import Foundation
import Synchronization

/// Makes thumbnails of images from strangers in sandboxed processes. *Beyond Apple's API.*
///
/// An error in a decoder, which attackers may know before you do, then gives them a process that can neither open files nor
/// use the network, with limited memory and time. The processes are this program, started again. So call
/// ``runIfRequested()`` first in your `main`.
///
/// The processes are kept for further images. They have no access to the memory, the environment or the descriptors of the
/// program, and are denied all system calls except those for memory, time, and reading and writing what is open (seccomp).
/// What they return is checked as input from strangers.
public final class ImageSandbox: Sendable {
  /// The options of a sandbox.
  public struct Configuration: Sendable, Hashable {
    /// The memory in bytes that a process may allocate (default: 1 GiB). ``ImageLimits/memory`` applies too.
    public var memory = 1 << 30
    /// The processor time in seconds that a process may use for all its images (default: 600).
    ///
    /// A process is replaced when the rest is less than ``ImageLimits/duration`` of the next image.
    public var processorSeconds = 600
    /// The number of images after which a process is replaced (default: 200).
    public var maximumImages = 200
    /// The time that a process may take to start (default: 10 seconds).
    public var startTimeout = Duration.seconds(10)
    /// The program to start, which must call ``ImageSandbox/runIfRequested()``; nil for this program.
    public var program: String?

    /// Creates the default options.
    public init() {}
  }

  /// Whether this program has called ``runIfRequested()``, so that a sandbox can start it again.
  public static var isAvailable: Bool { hasAsked.load(ordering: .acquiring) }

  /// Decodes images in this process, on the library's threads: without a sandbox.
  public static let disabled = ImageSandbox(configuration: nil)

  /// A sandbox with the default options, if this program supports it; otherwise ``disabled``.
  public static let standard = (try? ImageSandbox(Configuration())) ?? disabled

  private static let hasAsked = Atomic(false)

  private let configuration: Configuration?
  /// The processes that decode nothing. There are at most as many as the work pool has threads.
  private let idle = Mutex<[SandboxProcess]>([])

  /// The number of processes that were started.
  let startedCount = Atomic(0)

  private init(configuration: Configuration?) { self.configuration = configuration }

  /// Creates a sandbox. Processes start when they are needed, and end when the sandbox is released.
  ///
  /// - Throws: ``ImageError`` with the code ``ImageError/Code-swift.struct/sandboxFailed`` if the program did not call
  ///   ``runIfRequested()``. Started again, it would run as usual.
  public convenience init(_ configuration: Configuration) throws(ImageError) {
    guard configuration.program != nil || Self.isAvailable else {
      throw .sandbox("The program does not support it. Call ImageSandbox.runIfRequested() first in its main.")
    }
    self.init(configuration: configuration)
  }

  /// Decodes images for the rest of the process, if a sandbox has started it for that. Otherwise, returns immediately.
  ///
  /// Call it as the first statement of `main`, before any thread or task is created.
  public static func runIfRequested() {
    SandboxChild.runIfRequested(CommandLine.arguments)
    hasAsked.store(true, ordering: .releasing)
  }

  /// Whether images are decoded in sandboxed processes.
  public var isEnabled: Bool { configuration != nil }

  /// Decodes an image, and returns its properties and a thumbnail, which is made as ``UIImage/thumbnail(_:priority:damage:)`` does.
  ///
  /// The number of images that are decoded at the same time is that of the library's threads. If the task is cancelled, the
  /// process ends.
  ///
  /// - Parameters:
  ///   - data: The complete file.
  ///   - target: The size of the thumbnail.
  ///   - limits: The limits of the image. If decoding takes longer than ``ImageLimits/duration``, the process ends.
  ///   - policy: Whether damage is an error, or the thumbnail shows what could be decoded (default: an error).
  ///   - priority: The priority of the work.
  /// - Throws: ``ImageError``, with the code ``ImageError/Code-swift.struct/sandboxFailed`` if a process cannot start or ends
  ///   while it decodes the image. The error has no partial images.
  public func thumbnail(
    of data: Data, _ target: ThumbnailTarget, limits: ImageLimits = ImageLimits(),
    damage policy: DamagePolicy = .strict, priority: WorkPriority = .normal
  ) async throws -> SandboxedThumbnail {
    try await WorkPool.shared.run(priority: priority) { (flag) throws(ImageError) in
      guard let configuration = self.configuration else {
        return try SandboxedThumbnail.make(data, target, limits: limits, policy: policy, flag: flag)
      }
      guard data.count <= limits.bytes else {
        throw ImageError(.tooLarge, "The image is larger than the maximum of \(limits.bytes) bytes.")
      }
      let request = SandboxRequest(
        limits: limits, target: target, policy: policy, byteCount: data.count)
      let process = try self.process(configuration, limits, flag)
      defer { self.keep(process, configuration) }
      return try process.thumbnail(of: data, request, flag: flag)
    }
  }

  private func process(
    _ configuration: Configuration, _ limits: ImageLimits, _ flag: CancellationFlag
  ) throws(ImageError) -> SandboxProcess {
    while let process = idle.withLock({ $0.popLast() }) {
      // The system ends a process without processor time in the middle of an image.
      if process.isWaiting, process.hasTime(for: limits) { return process }
    }
    startedCount.add(1, ordering: .relaxed)
    return try SandboxProcess(configuration, flag: flag)
  }

  private func keep(_ process: SandboxProcess, _ configuration: Configuration) {
    guard process.isUsable, process.imageCount < configuration.maximumImages else { return }
    // A process that is not kept is released, and so ended, outside the lock.
    idle.withLock { if $0.count < WorkPool.maximumSlots { $0.append(process) } }
  }
}

extension ImageSandbox: CustomReflectable {
  /// A mirror without children, so that `dump` reads no property without its lock: what a sandbox holds changes at any time.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
