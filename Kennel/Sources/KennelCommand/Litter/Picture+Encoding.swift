import Foundation
import KennelModel
import RetrieverImages

extension Picture {
  /// Returns the picture as a JPEG; nil only if no memory can be allocated. Blocks the calling thread for a while.
  func jpeg(scale: Double = 1) -> Data? {
    let canvas = drawn(scale: scale)
    let count = canvas.width * canvas.height
    let samples = [UInt8](unsafeUninitializedCapacity: count * 3) { buffer, length in
      var place = 0
      var index = 0
      while index < count {
        let pixel = canvas.pixels[index]
        buffer[place] = UInt8(truncatingIfNeeded: pixel)
        buffer[place &+ 1] = UInt8(truncatingIfNeeded: pixel >> 8)
        buffer[place &+ 2] = UInt8(truncatingIfNeeded: pixel >> 16)
        place &+= 3
        index &+= 1
      }
      length = place
    }
    return UIImage(width: canvas.width, height: canvas.height, samples: samples)?.jpegData(
      compressionQuality: 0.9)
  }
}

extension Picture {
  /// Draws the picture of a person on a background thread.
  func portrait() async -> Data? {
    await withCheckedContinuation { continuation in
      DispatchQueue.global().async {
        let size = Double(size.width)
        continuation.resume(returning: jpeg(scale: Double(UserPicture.side) / size))
      }
    }
  }
}

extension Litter {
  /// The default scale. Debug builds use half the size, because drawing is about thirty times slower there.
  static let defaultScale: Double = {
    #if DEBUG
    0.5
    #else
    1
    #endif
  }()

  /// Draws pictures on background threads, one per processor at the same time, and passes them to `each` in order.
  static func draw(
    _ posts: [LitterPost], scale: Double = defaultScale, each: (Int, Data) async throws -> Void
  ) async throws {
    let concurrentCount = max(ProcessInfo.processInfo.activeProcessorCount, 1)
    try await withThrowingTaskGroup(of: (Int, Data?).self) { group in
      var (begun, ended) = (0, 0)
      var early: [Int: Data] = [:]
      func begin() {
        guard begun < posts.count else { return }
        let (index, picture) = (begun, posts[begun].picture)
        begun += 1
        group.addTask {
          await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
              continuation.resume(returning: (index, picture.jpeg(scale: scale)))
            }
          }
        }
      }
      for _ in 0..<concurrentCount { begin() }
      while let (index, data) = try await group.next() {
        try Task.checkCancellation()
        begin()
        early[index] = data ?? Data()
        while let data = early.removeValue(forKey: ended) {
          try await each(ended, data)
          ended += 1
        }
      }
    }
  }
}
