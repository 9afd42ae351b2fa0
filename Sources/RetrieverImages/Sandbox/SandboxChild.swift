import CImageCodecs
import CImageSandbox
import Foundation
import Glibc

/// The process that decodes images from strangers.
enum SandboxChild {
  /// The first argument of such a process, and the descriptor of its socket.
  static let marker = "retriever-image-sandbox"
  static let descriptor: Int32 = 3

  /// The memory and the processor time, in the arguments after the marker.
  static func arguments(memory: Int, seconds: Int) -> [String] {
    [marker, "\(max(memory, 1))", "\(self.seconds(seconds))"]
  }

  /// Returns the processor time that a process gets: at least a second, and at most what the system accepts.
  static func seconds(_ wanted: Int) -> UInt32 { max(UInt32(clamping: wanted), 1) }

  /// Decodes images until the other process ends or closes the socket, if this process was started for that.
  static func runIfRequested(_ arguments: [String]) {
    guard arguments.first == marker else { return }
    // Such a process never becomes the program itself.
    guard arguments.count == 3, let memory = Int(arguments[1]), memory > 0, let seconds = UInt32(arguments[2])
    else { _exit(1) }
    warmUp()
    let error = retriever_image_sandbox_enter(descriptor, memory, seconds)
    let socket = SandboxSocket(descriptor: descriptor)
    // The first message is the result of entering the sandbox.
    do {
      try socket.send(words: [Int(error)])
      guard error == 0 else { _exit(1) }
      while true { try answer(socket) }
    } catch {
      _exit(0)
    }
  }

  /// Loads and creates what needs files, or calls that the sandbox denies.
  private static func warmUp() {
    _ = SRGBEncoding.shared
    // Their libraries are loaded only if such an image arrives, which needs files.
    _ = codec_tile_library_is_available(.hevc)
    _ = codec_tile_library_is_available(.av1)
    _ = ProcessInfo.processInfo.activeProcessorCount
    _ = ImageError.noMemory(bytes: 1).description
    let white = Bitmap(
      size: PixelSize(width: 2, height: 2), format: .rgb8, pixels: [UInt8](repeating: 255, count: 12))
    for file in [
      try? PNGEncoder.encode(white), try? JPEGEncoder.encode(white, quality: 0.5, isProgressive: true),
    ] {
      guard let file else { continue }
      _ = try? SandboxedThumbnail.make(
        file, ThumbnailTarget(width: 1, height: 1), limits: ImageLimits(), flag: CancellationFlag())
    }
  }

  private static func answer(_ socket: SandboxSocket) throws(SandboxSocket.Failure) {
    guard let request = SandboxRequest(words: try socket.receive(words: SandboxRequest.wordCount)),
      request.byteCount <= request.limits.bytes
    else { throw .closed }
    let data = Data(try socket.receive(request.byteCount))
    let answer: SandboxAnswer
    do throws(ImageError) {
      answer = .thumbnail(
        try SandboxedThumbnail.make(
          data, request.target, limits: request.limits, policy: request.policy, flag: CancellationFlag()))
    } catch {
      answer = .failure(error)
    }
    let (words, bytes) = answer.message
    try socket.send(words: words)
    var failure: SandboxSocket.Failure?
    bytes.withUnsafeBytes { bytes in
      do throws(SandboxSocket.Failure) { try socket.send(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
