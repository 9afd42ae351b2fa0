import Foundation
import KennelStorage
import RetrieverImages
import Synchronization

/// Decides where photos are decoded: in sandboxed processes, or in this one.
package enum PhotoDecoder {
  private static let isSandboxed = Atomic(true)

  /// The sandbox for photos. It is disabled in programs whose `main` does not support it, such as tests.
  package static var sandbox: ImageSandbox {
    isSandboxed.load(ordering: .relaxed) ? .standard : .disabled
  }

  /// Decodes photos in this process from now on.
  package static func disableSandbox() { isSandboxed.store(false, ordering: .relaxed) }

  /// Starts the first process of the sandbox.
  ///
  /// - Throws: `sandboxFailed` if this system does not allow it.
  package static func checkSandbox() async throws(KennelError) {
    guard let photo = UIImage(width: 1, height: 1, pixels: [.white])?.pngData() else { return }
    do {
      _ = try await sandbox.thumbnail(of: photo, ThumbnailTarget(width: 1, height: 1))
    } catch {
      let reason = (error as? ImageError)?.description ?? "\(error)"
      throw KennelError(
        .sandboxFailed, "\(reason) To decode photos in the server itself, use --no-sandbox.")
    }
  }
}
