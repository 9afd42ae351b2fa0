import Foundation

/// Draws the frames of an animation on each other, as a viewer does.
///
/// The background is transparent; the background color in a file is ignored, as browsers do. Parts of a frame outside the
/// canvas are not drawn.
struct FrameCanvas {
  private(set) var bitmap: Bitmap
  private var disposal = EncodedFrame.Disposal.keep
  /// The rectangle of the last frame.
  private var last: PixelRect
  /// The pixels before the last frame, if they must be restored.
  private var saved: Bitmap?

  init(size: PixelSize) {
    bitmap = Bitmap(size: size, format: .rgba8, pixels: [UInt8](repeating: 0, count: size.pixelCount * 4))
    last = PixelRect(size)
  }

  /// Draws the next frame. First, the rectangle of the last frame is changed as that frame requires.
  mutating func draw(_ frame: Bitmap, at place: FrameRectangle, _ encoded: EncodedFrame) {
    switch disposal {
    case .keep: break
    case .clear: clear(last)
    case .restore: if let saved { bitmap = saved }
    }
    saved = encoded.disposal == .restore ? bitmap : nil
    disposal = encoded.disposal
    let left = min(place.left, bitmap.size.width)
    let top = min(place.top, bitmap.size.height)
    last = PixelRect(
      x: left, y: top,
      size: PixelSize(
        width: min(frame.size.width, bitmap.size.width - left),
        height: min(frame.size.height, bitmap.size.height - top)))
    copy(frame, to: last, blends: encoded.blends)
  }

  private mutating func clear(_ rect: PixelRect) {
    let width = bitmap.size.width
    bitmap.pixels.withUnsafeMutableBytes { pixels in
      for y in rect.y..<rect.y + rect.size.height {
        let start = (y * width + rect.x) * 4
        UnsafeMutableRawBufferPointer(rebasing: pixels[start..<start + rect.size.width * 4])
          .initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
  }

  private mutating func copy(_ frame: Bitmap, to rect: PixelRect, blends: Bool) {
    let (width, bytes, hasAlpha) = (bitmap.size.width, frame.format.bytesPerPixel, frame.format.hasAlpha)
    bitmap.pixels.withUnsafeMutableBufferPointer { canvas in
      frame.pixels.withUnsafeBufferPointer { source in
        for row in 0..<rect.size.height {
          var from = row * frame.bytesPerRow
          var to = ((rect.y + row) * width + rect.x) * 4
          for _ in 0..<rect.size.width {
            let alpha = hasAlpha ? source[from + 3] : 255
            if alpha == 255 || !blends {
              for channel in 0..<3 { canvas[to + channel] = source[from + channel] }
              canvas[to + 3] = alpha
            } else if alpha > 0 {
              Self.blend(source, from, canvas, to)
            }
            from += bytes
            to += 4
          }
        }
      }
    }
  }

  /// Draws a pixel over another, with encoded samples: that is what browsers and libwebp do with the frames of a WebP.
  private static func blend(
    _ source: UnsafeBufferPointer<UInt8>, _ from: Int, _ canvas: UnsafeMutableBufferPointer<UInt8>, _ to: Int
  ) {
    let share = Int(source[from + 3]) * 255
    let rest = Int(canvas[to + 3]) * (255 - Int(source[from + 3]))
    let total = share + rest
    for channel in 0..<3 {
      let sum = Int(source[from + channel]) * share + Int(canvas[to + channel]) * rest
      canvas[to + channel] = UInt8(truncatingIfNeeded: (sum + total / 2) / total)
    }
    canvas[to + 3] = UInt8(truncatingIfNeeded: (total + 127) / 255)
  }
}
