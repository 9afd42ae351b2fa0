import Foundation

/// One frame of an animation, as it is stored.
struct EncodedFrame: Sendable {
  /// What happens to the frame's rectangle before the next frame is drawn.
  enum Disposal: Sendable, Equatable {
    case keep
    /// The rectangle becomes transparent.
    case clear
    /// The rectangle gets the pixels that it had before this frame.
    case restore
  }

  /// The position on the canvas; nil for a still image, which is complete.
  var place: FrameRectangle?
  /// The time in the file. Viewers show a frame longer if this is very short.
  var milliseconds: Int
  var disposal: Disposal
  /// True if transparent pixels show the earlier frames; false if they replace them.
  var blends: Bool
  /// A file of the same format with this frame's pixels only: a still image for the format's decoder.
  var file: Data
}

/// Finds the frames of an animation whose bytes arrive in pieces. It decodes no pixels, and keeps the bytes of one frame.
protocol FrameReader {
  /// The size of the animation; nil before it is known, which is before the first frame.
  var canvas: PixelSize? { get }
  /// The number of times that a viewer shows the animation; 0 means that it never ends.
  var loopCount: Int { get }

  /// Consumes bytes from the front until a frame is complete; returns nil if more bytes are needed.
  mutating func next(_ bytes: inout UnsafeRawBufferPointer) throws(ImageError) -> EncodedFrame?

  /// Ends the input. Throws if the file ends within a frame or has none.
  func finish() throws(ImageError)
}

/// Finds the frames of an image in any format. A still image is one frame, which is complete at the end of the file.
struct FrameScanner {
  private enum State {
    /// The format is not known yet. The bytes are the beginning of the file.
    case sniffing([UInt8])
    case animation(any FrameReader)
    case still(Data)
  }

  private let limits: ImageLimits
  private var state = State.sniffing([])
  private var byteCount = 0

  init(limits: ImageLimits) { self.limits = limits }

  /// The size of an animation, after its first frame.
  var canvas: PixelSize? { if case .animation(let reader) = state { reader.canvas } else { nil } }

  /// The number of times that a viewer shows the image; 0 means that it never ends.
  var loopCount: Int { if case .animation(let reader) = state { reader.loopCount } else { 1 } }

  /// Consumes bytes from the front until a frame is complete; returns nil if more bytes are needed.
  mutating func next(_ bytes: inout UnsafeRawBufferPointer) throws(ImageError) -> EncodedFrame? {
    let before = bytes
    if case .sniffing(let start) = state { try sniff(start, &bytes) }
    var frame: EncodedFrame?
    switch state {
    case .sniffing: break
    case .animation(var reader):
      // The reader and the data must have one owner only, so that they are not copied for each piece.
      state = .sniffing([])
      frame = try reader.next(&bytes)
      state = .animation(reader)
    case .still(var data):
      state = .sniffing([])
      data.append(contentsOf: bytes.removeFirst(atMost: bytes.count))
      state = .still(data)
    }
    try limits.count(
      UnsafeRawBufferPointer(rebasing: before.prefix(before.count - bytes.count)), into: &byteCount)
    return frame
  }

  /// Ends the input. Returns the frame of a still image.
  func finish() throws(ImageError) -> EncodedFrame? {
    switch state {
    case .sniffing(let start):
      throw start.isEmpty
        ? ImageError(.truncated, "The image data is empty.")
        : ImageError(.truncated, "The image is incomplete: its data ends after \(start.count) bytes.")
    case .animation(let reader):
      try reader.finish()
      return nil
    case .still(let data):
      return EncodedFrame(place: nil, milliseconds: 0, disposal: .keep, blends: false, file: data)
    }
  }

  /// Finds out whether the image is an animation, from at most 21 bytes, in which no frame is complete.
  private mutating func sniff(
    _ start: [UInt8], _ bytes: inout UnsafeRawBufferPointer
  ) throws(ImageError) {
    var start = start
    while !bytes.isEmpty {
      start.append(contentsOf: bytes.removeFirst(atMost: 1))
      guard let animation = start.withUnsafeBytes({ isAnimation($0) }) else { continue }
      guard var reader = animation else {
        state = .still(Data(start))
        return
      }
      let result: Result<EncodedFrame?, ImageError> = start.withUnsafeBytes { bytes in
        var bytes = bytes
        return Result { () throws(ImageError) in try reader.next(&bytes) }
      }
      _ = try result.get()
      state = .animation(reader)
      return
    }
    state = .sniffing(start)
  }

  /// Returns the reader of an animation, or `.some(nil)` for another image; nil if more bytes are needed.
  private func isAnimation(_ prefix: UnsafeRawBufferPointer) -> (any FrameReader)?? {
    switch ImageSniffer.format(of: prefix) {
    case .needsMoreBytes: return nil
    case .format(.gif): return .some(GIFFrameReader(limits: limits))
    case .format(.webp):
      guard let isAnimated = WebPFrameReader.isAnimated(prefix) else { return nil }
      return .some(isAnimated ? WebPFrameReader(limits: limits) : nil)
    // The decoder reports a format that it does not know.
    case .format, .unknown: return .some(nil)
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Removes bytes from the front, and returns them.
  mutating func removeFirst(atMost count: Int) -> UnsafeRawBufferPointer {
    let taken = UnsafeRawBufferPointer(rebasing: prefix(count))
    self = UnsafeRawBufferPointer(rebasing: dropFirst(count))
    return taken
  }
}
