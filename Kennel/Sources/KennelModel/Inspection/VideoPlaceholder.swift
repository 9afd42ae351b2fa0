import Foundation
import RetrieverImages

/// Draws what stands for a video without a frame: a triangle, and the duration in the digits of a clock radio.
enum VideoPlaceholder {
  private static let side = 640
  private static let paper = ImagePixels.Pixel(red: 38, green: 34, blue: 31)
  private static let ink = ImagePixels.Pixel(red: 226, green: 218, blue: 208)

  /// The segments of each digit: the top, the upper and the lower left, the middle, the upper and the lower right, the bottom.
  private static let digits: [[Bool]] = [
    "1110111", "0000110", "1011101", "1001111", "0101110", "1101011", "1111011", "1000110", "1111111",
    "1101111",
  ].map { $0.map { $0 == "1" } }

  /// Returns the picture as a PNG.
  ///
  /// - Parameters:
  ///   - width: the width of the video, which decides the proportions.
  ///   - height: the height of the video.
  ///   - seconds: the duration, or 0 if it is not known.
  static func png(width: Int, height: Int, seconds: Double) -> Data? {
    let ratio = min(max(Double(max(width, 1)) / Double(max(height, 1)), 0.25), 4)
    var canvas = Raster(
      width: ratio >= 1 ? side : Int(Double(side) * ratio),
      height: ratio >= 1 ? Int(Double(side) / ratio) : side,
      color: paper)
    let size = min(canvas.width, canvas.height)
    canvas.fillTriangle(
      left: canvas.width / 2 - size / 8, top: canvas.height / 2 - size / 6, size: size / 3, color: ink)
    if seconds >= 1 { draw(VideoDuration.text(seconds), size: size / 10, on: &canvas) }
    return UIImage(width: canvas.width, height: canvas.height, pixels: canvas.pixels)?.pngData()
  }

  /// Draws digits and colons at the lower right.
  private static func draw(_ text: String, size: Int, on canvas: inout Raster) {
    let thickness = max(size / 7, 1)
    let (digitWidth, gap) = (size * 6 / 10, size / 4)
    let widths = text.map { $0 == ":" ? thickness : digitWidth }
    var x = canvas.width - size / 2 - widths.reduce(0, +) - gap * (widths.count - 1)
    let y = canvas.height - size * 3 / 2
    for (character, width) in zip(text, widths) {
      if let digit = character.wholeNumberValue, digits.indices.contains(digit) {
        let half = (size - thickness) / 2
        let boxes = [
          (0, 0, width, thickness), (0, 0, thickness, half), (0, half, thickness, size - half),
          (0, half, width, thickness), (width - thickness, 0, thickness, half),
          (width - thickness, half, thickness, size - half), (0, size - thickness, width, thickness),
        ]
        for (box, isLit) in zip(boxes, digits[digit]) where isLit {
          canvas.fill(x: x + box.0, y: y + box.1, width: box.2, height: box.3, color: ink)
        }
      } else {
        for part in [size / 4, size * 3 / 4 - thickness] {
          canvas.fill(x: x, y: y + part, width: thickness, height: thickness, color: ink)
        }
      }
      x += width + gap
    }
  }
}

/// Pixels to fill.
private struct Raster {
  let width: Int
  let height: Int
  private(set) var pixels: [ImagePixels.Pixel]

  init(width: Int, height: Int, color: ImagePixels.Pixel) {
    self.width = width
    self.height = height
    pixels = [ImagePixels.Pixel](repeating: color, count: width * height)
  }

  mutating func fill(x: Int, y: Int, width: Int, height: Int, color: ImagePixels.Pixel) {
    let columns = (x..<x + max(width, 0)).clamped(to: 0..<self.width)
    for row in (y..<y + max(height, 0)).clamped(to: 0..<self.height) {
      for column in columns { pixels[row * self.width + column] = color }
    }
  }

  /// Fills a triangle that points to the right.
  mutating func fillTriangle(left: Int, top: Int, size: Int, color: ImagePixels.Pixel) {
    for row in 0..<size {
      let distance = min(row, size - 1 - row)
      fill(x: left, y: top + row, width: distance * 17 / 10, height: 1, color: color)
    }
  }
}

/// The duration of a video as people write it.
package enum VideoDuration {
  /// Returns a text such as `0:42` or `1:05:09`.
  package static func text(_ seconds: Double) -> String {
    let total = Int(min(max(seconds, 0), 1_000_000).rounded())
    func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let (hours, minutes) = (total / 3600, total / 60 % 60)
    return hours > 0
      ? "\(hours):\(padded(minutes)):\(padded(total % 60))" : "\(minutes):\(padded(total % 60))"
  }
}
