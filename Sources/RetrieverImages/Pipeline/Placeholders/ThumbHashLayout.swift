import Foundation

/// The numbers in a ThumbHash.
///
/// The bits from the lowest to the highest:
/// - Three bytes of header: 6 bits for the average brightness, 6 and 6 bits for the average color differences, 5 bits
///   for the range of brightness, 1 bit for transparency.
/// - Two bytes: 3 bits for the number of frequencies of the shorter side, 6 and 6 bits for the ranges of the color
///   differences, 1 bit for landscape.
/// - With transparency, one byte for its average and range.
/// - Four bits for each coefficient.
struct ThumbHashLayout: Sendable, Hashable {
  static let maximumBytes = 25

  /// The coefficients of one channel for frequencies (x, y) other than (0, 0), by rows of y, below the diagonal.
  struct Channel: Sendable, Hashable {
    let columns: Int
    let rows: Int
    var values: [Double] = []

    static func frequencies(_ columns: Int, _ rows: Int) -> [(x: Int, y: Int)] {
      (0..<rows).flatMap { y in
        ((y == 0 ? 1 : 0)..<columns).filter { $0 * rows < columns * (rows - y) }.map { (x: $0, y: y) }
      }
    }

    var frequencies: [(x: Int, y: Int)] { Self.frequencies(columns, rows) }
  }

  let luminance: Double
  let yellowBlue: Double
  let redGreen: Double
  let alpha: Double
  let hasAlpha: Bool
  let aspectRatio: Double
  let byteCount: Int
  private let channels: [Channel]

  /// Returns nil if there are fewer bytes than the header declares.
  init?(_ bytes: [UInt8]) {
    guard bytes.count >= 5 else { return nil }
    let header = UInt32(bytes[0]) | UInt32(bytes[1]) << 8 | UInt32(bytes[2]) << 16
    let more = UInt32(bytes[3]) | UInt32(bytes[4]) << 8
    func bits(_ word: UInt32, _ start: UInt32, _ count: UInt32) -> Double {
      Double((word >> start) & ((1 << count) - 1))
    }
    hasAlpha = header >> 23 & 1 == 1
    guard !hasAlpha || bytes.count >= 6 else { return nil }
    luminance = bits(header, 0, 6) / 63
    yellowBlue = bits(header, 6, 6) / 31.5 - 1
    redGreen = bits(header, 12, 6) / 31.5 - 1
    alpha = hasAlpha ? Double(bytes[5] & 15) / 15 : 1

    let isLandscape = more >> 15 & 1 == 1
    let longer = hasAlpha ? 5 : 7
    let shorter = Int(bits(more, 0, 3))
    // Encoders never write 0; this avoids a division by 0.
    let ratio = Double(longer) / Double(max(shorter, 1))
    aspectRatio = isLandscape ? ratio : 1 / ratio
    let columns = max(3, isLandscape ? longer : shorter)
    let rows = max(3, isLandscape ? shorter : longer)

    var nibble = (hasAlpha ? 6 : 5) * 2
    var isShort = false
    func read(_ columns: Int, _ rows: Int, range: Double) -> Channel {
      var channel = Channel(columns: columns, rows: rows)
      for _ in channel.frequencies {
        guard nibble / 2 < bytes.count else {
          isShort = true
          break
        }
        let value = nibble % 2 == 0 ? bytes[nibble / 2] & 15 : bytes[nibble / 2] >> 4
        channel.values.append((Double(value) / 7.5 - 1) * range)
        nibble += 1
      }
      return channel
    }
    var channels = [read(columns, rows, range: bits(header, 18, 5) / 31)]
    // The colors are made slightly stronger than measured, which compensates for rounding.
    channels.append(read(3, 3, range: bits(more, 3, 6) / 63 * 1.25))
    channels.append(read(3, 3, range: bits(more, 9, 6) / 63 * 1.25))
    if hasAlpha { channels.append(read(5, 5, range: Double(bytes[5] >> 4) / 15)) }
    guard !isShort else { return nil }
    self.channels = channels
    byteCount = (nibble + 1) / 2
  }

  /// The preview, with 32 pixels on its longer side.
  var bitmap: Bitmap {
    let width = Int((aspectRatio > 1 ? 32 : 32 * aspectRatio).rounded())
    let height = Int((aspectRatio > 1 ? 32 / aspectRatio : 32).rounded())
    let size = PixelSize(width: max(width, 1), height: max(height, 1))
    let across = Self.cosines(7, over: size.width)
    let down = Self.cosines(7, over: size.height)
    let frequencies = channels.map(\.frequencies)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(size.pixelCount * 4)
    for y in 0..<size.height {
      for x in 0..<size.width {
        var values = [luminance, yellowBlue, redGreen, alpha]
        for (index, channel) in channels.enumerated() {
          for (frequency, value) in zip(frequencies[index], channel.values) {
            values[index] += value * across[frequency.x][x] * down[frequency.y][y] * 2
          }
        }
        let pixel = Self.pixel(
          luminance: values[0], yellowBlue: values[1], redGreen: values[2], alpha: values[3])
        pixels += [pixel.red, pixel.green, pixel.blue]
        if hasAlpha { pixels.append(pixel.alpha) }
      }
    }
    return Bitmap(size: size, format: hasAlpha ? .rgba8 : .rgb8, pixels: pixels)
  }

  static func cosines(_ count: Int, over length: Int) -> [[Double]] {
    (0..<count).map { frequency in
      let step: Double = .pi / Double(length) * Double(frequency)
      return (0..<length).map { index in cos(step * (Double(index) + 0.5)) }
    }
  }

  /// Converts brightness and color differences to a pixel.
  ///
  /// The brightness is the mean of red, green and blue. The differences are the mean of red and green minus blue, and
  /// red minus green.
  static func pixel(
    luminance: Double, yellowBlue: Double, redGreen: Double, alpha: Double
  ) -> ImagePixels.Pixel {
    let blue = luminance - 2.0 / 3 * yellowBlue
    let red = (3 * luminance - blue + redGreen) / 2
    let green = red - redGreen
    func sample(_ value: Double) -> UInt8 { UInt8((min(max(value, 0), 1) * 255).rounded()) }
    return ImagePixels.Pixel(
      red: sample(red), green: sample(green), blue: sample(blue), alpha: sample(alpha))
  }
}
