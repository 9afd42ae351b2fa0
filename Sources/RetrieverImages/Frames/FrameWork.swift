import Foundation

/// Decodes frames in the work pool.
// Unchecked because only one job may use the state at a time. Only the iterator that owns this object calls it, and
// awaits each call before the next. The pool's lock orders the writes of one thread before the reads of the next.
final class FrameWork: @unchecked Sendable {
  enum Input: Sendable {
    case piece(Data)
    case end
  }

  enum Step: Sendable {
    case frame(ImageFrame)
    case needsInput
    case end
  }

  private let source: ImageFrames.Source
  private let flag = CancellationFlag()
  private let decoder: FrameDecoder
  private var file: FileHandle?
  /// The bytes that have arrived, and the number of those that were read.
  private var data = Data()
  private var position = 0
  private var isAtEnd = false
  private var index = 0

  init(_ source: ImageFrames.Source, limits: ImageLimits) {
    self.source = source
    decoder = FrameDecoder(limits: limits, flag: flag)
    if case .data(let data) = source {
      self.data = data
      isAtEnd = true
    }
  }

  /// Decodes the next frame. After `.needsInput`, there must be input.
  func next(_ input: Input?) async throws(ImageError) -> Step {
    try await WorkPool.shared.run(flag: flag) { (_) throws(ImageError) in try self.step(input) }
  }

  private func step(_ input: Input?) throws(ImageError) -> Step {
    switch input {
    case .piece(let piece): (data, position) = (piece, 0)
    case .end: isAtEnd = true
    case nil: break
    }
    switch source {
    case .images(let images, let duration): return try step(images, duration)
    case .data, .pieces:
      if let step = try decode() { return step }
      return isAtEnd ? try end() : .needsInput
    case .file(let path):
      while true {
        if let step = try decode() { return step }
        if isAtEnd { return try end() }
        if file == nil { file = try ImageFile.open(path) }
        guard let file else { return .end }
        data = try ImageFile.read(file, atMost: ImageFile.pieceSize, path: path) ?? Data()
        position = 0
        isAtEnd = data.isEmpty
      }
    }
  }

  /// Returns the next frame of the bytes that have arrived.
  private func decode() throws(ImageError) -> Step? {
    guard position < data.count else { return nil }
    let frame = try data.withBytes { (bytes) throws(ImageError) in
      var rest = UnsafeRawBufferPointer(rebasing: bytes[position...])
      defer { position = bytes.count - rest.count }
      return try decoder.next(&rest)
    }
    return frame.map { .frame($0) }
  }

  private func end() throws(ImageError) -> Step {
    guard index == 0, let frame = try decoder.finish() else { return .end }
    // A still image has one frame.
    index = 1
    return .frame(frame)
  }

  private func step(_ images: [UIImage], _ duration: Double) throws(ImageError) -> Step {
    guard index < images.count else { return .end }
    defer { index += 1 }
    let image = try images[index].decoded(to: nil, flag: flag)
    let shown = Duration.seconds(duration / Double(images.count))
    return .frame(
      ImageFrame(
        image: image, index: index, duration: shown, statedDuration: shown,
        loopCount: images.count > 1 ? 0 : 1))
  }
}
