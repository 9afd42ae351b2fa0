import Foundation

/// The frames of an animated GIF or WebP, as an asynchronous sequence. *Beyond Apple's API.*
///
/// Each frame is a complete picture: it is drawn over the earlier frames as a browser does it. The frames of an image
/// that is not animated are that image.
///
/// ```swift
/// for try await frame in ImageFrames(data: data) {
///   await show(frame.image)
///   try await Task.sleep(for: frame.duration)
/// }
/// ```
///
/// A frame is decoded when it is requested, on the library's own threads. In memory are the encoded bytes of one frame
/// and at most three pictures, however long the animation is. ``ImageLimits`` limits the frames, the pixels of each frame,
/// the pixels of all frames (``ImageLimits/animationPixels``), and the time that decoding takes. Iterating throws
/// ``ImageError``, also after some frames, and the error of the sequence that the bytes come from. If the task is
/// cancelled, the work ends between two rows.
public struct ImageFrames: AsyncSequence, Sendable {
  /// A frame.
  public typealias Element = ImageFrame

  /// The bytes, or the pictures, that the frames are made from.
  enum Source: Sendable {
    case data(Data)
    case file(String)
    case pieces(@Sendable () -> Pieces)
    case images([UIImage], duration: Double)
  }

  /// Returns the next bytes; nil at the end.
  typealias Pieces = () async throws -> Data?

  let source: Source
  let limits: ImageLimits

  init(_ source: Source, limits: ImageLimits) {
    self.source = source
    self.limits = limits
  }

  /// Creates the sequence of the frames in a file's data.
  public init(data: Data, limits: ImageLimits = ImageLimits()) { self.init(.data(data), limits: limits) }

  /// Creates the sequence of the frames in a file. The file is read in small pieces while the frames are decoded.
  public init(contentsOfFile path: String, limits: ImageLimits = ImageLimits()) {
    self.init(.file(path), limits: limits)
  }

  /// Creates the sequence of the frames in pieces of data, such as those of a download. A frame is available as soon as its
  /// last byte has arrived.
  public init<Base: AsyncSequence & Sendable>(pieces: Base, limits: ImageLimits = ImageLimits())
  where Base.Element == Data {
    self.init(
      .pieces {
        var iterator = pieces.makeAsyncIterator()
        return { try await iterator.next() }
      }, limits: limits)
  }

  /// Creates the sequence of the frames in bytes, such as those of a download. The bytes are processed in groups of 1,024.
  public init<Base: AsyncSequence & Sendable>(bytes: Base, limits: ImageLimits = ImageLimits())
  where Base.Element == UInt8 {
    self.init(
      .pieces {
        var iterator = bytes.makeAsyncIterator()
        return {
          var piece = Data()
          while piece.count < 1_024, let byte = try await iterator.next() { piece.append(byte) }
          return piece.isEmpty ? nil : piece
        }
      }, limits: limits)
  }

  /// Starts to decode the frames.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source, limits: limits) }

  /// Returns the frames one by one.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let work: FrameWork
    private let pieces: Pieces?
    private var hasEnded = false

    fileprivate init(_ source: Source, limits: ImageLimits) {
      work = FrameWork(source, limits: limits)
      pieces = if case .pieces(let start) = source { start() } else { nil }
    }

    /// Returns the next frame, or nil after the last one.
    public mutating func next() async throws -> ImageFrame? {
      guard !hasEnded else { return nil }
      // An error also ends the sequence.
      hasEnded = true
      var input: FrameWork.Input?
      while true {
        switch try await work.next(input) {
        case .frame(let frame):
          hasEnded = false
          return frame
        case .end: return nil
        case .needsInput:
          input = .end
          if let piece = try await pieces?() { input = .piece(piece) }
        }
      }
    }
  }
}

extension UIImage {
  /// The frames of an animation: of the file that the image was made from, or the images of an animated image. *Beyond
  /// Apple's API.*
  public var frames: ImageFrames {
    if let images { return ImageFrames(.images(images, duration: duration), limits: limits) }
    return switch source {
    case .encoded(let data, _): ImageFrames(data: data, limits: limits)
    case .decoded: ImageFrames(.images([self], duration: 0), limits: limits)
    }
  }
}
