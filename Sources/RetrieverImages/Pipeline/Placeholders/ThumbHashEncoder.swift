import Foundation

/// Creates a ThumbHash from the pixels of an image.
struct ThumbHashEncoder {
  /// The frequencies of one channel: the mean, and the others as fractions of the largest one.
  private struct Spectrum {
    let mean: Double
    let range: Double
    /// Values from 0 to 1; 0.5 stands for zero.
    let parts: [Double]
  }

  private(set) var bytes: [UInt8] = []

  /// Creates an encoder. Returns nil for an image without pixels.
  init?(_ bitmap: Bitmap) {
    let size = bitmap.size
    let samples = bitmap.format.bytesPerPixel
    guard bitmap.format == .rgb8 || bitmap.format == .rgba8, size.width > 0, size.height > 0,
      size.pixelCount < .max / 4, bitmap.pixels.count >= size.pixelCount * samples
    else { return nil }
    let count = size.pixelCount
    var planes = Array(repeating: [Double](repeating: 0, count: count), count: 4)
    var average = [0.0, 0.0, 0.0]
    var coverage = 0.0
    for index in 0..<count {
      let start = index * samples
      let alpha = samples == 4 ? Double(bitmap.pixels[start + 3]) / 255 : 1
      for channel in 0..<3 { average[channel] += alpha * Double(bitmap.pixels[start + channel]) / 255 }
      coverage += alpha
    }
    if coverage > 0 { average = average.map { $0 / coverage } }
    for index in 0..<count {
      let start = index * samples
      let alpha = samples == 4 ? Double(bitmap.pixels[start + 3]) / 255 : 1
      // Transparent parts are drawn over the average color.
      let color = (0..<3).map {
        average[$0] * (1 - alpha) + alpha * Double(bitmap.pixels[start + $0]) / 255
      }
      planes[0][index] = (color[0] + color[1] + color[2]) / 3
      planes[1][index] = (color[0] + color[1]) / 2 - color[2]
      planes[2][index] = color[0] - color[1]
      planes[3][index] = alpha
    }
    write(planes, size, hasAlpha: coverage < Double(count))
  }

  private mutating func write(_ planes: [[Double]], _ size: PixelSize, hasAlpha: Bool) {
    let maximum = hasAlpha ? 5 : 7
    let longer = Double(max(size.width, size.height))
    let columns = max(1, Int((Double(maximum * size.width) / longer).rounded()))
    let rows = max(1, Int((Double(maximum * size.height) / longer).rounded()))
    let luminance = Self.spectrum(planes[0], size, max(3, columns), max(3, rows))
    let yellowBlue = Self.spectrum(planes[1], size, 3, 3)
    let redGreen = Self.spectrum(planes[2], size, 3, 3)
    let alpha = hasAlpha ? Self.spectrum(planes[3], size, 5, 5) : nil
    let isLandscape = size.width > size.height

    func number(_ value: Double, _ maximum: Double) -> UInt32 {
      UInt32(min(max((value * maximum).rounded(), 0), maximum))
    }
    var header = number(luminance.mean, 63)
    header |= number(0.5 + 0.5 * yellowBlue.mean, 63) << 6
    header |= number(0.5 + 0.5 * redGreen.mean, 63) << 12
    header |= number(luminance.range, 31) << 18
    header |= (hasAlpha ? 1 : 0) << 23
    var more = UInt32(isLandscape ? rows : columns)
    more |= number(yellowBlue.range, 63) << 3
    more |= number(redGreen.range, 63) << 9
    more |= (isLandscape ? 1 : 0) << 15
    bytes = [0, 8, 16].map { UInt8(truncatingIfNeeded: header >> $0) }
    bytes += [0, 8].map { UInt8(truncatingIfNeeded: more >> $0) }
    if let alpha {
      bytes.append(UInt8(truncatingIfNeeded: number(alpha.mean, 15) | number(alpha.range, 15) << 4))
    }
    let parts = [luminance, yellowBlue, redGreen, alpha].compactMap { $0?.parts }.flatMap { $0 }
    for (index, part) in parts.enumerated() {
      let nibble = UInt8(truncatingIfNeeded: number(part, 15))
      if index % 2 == 0 { bytes.append(nibble) } else { bytes[bytes.count - 1] |= nibble << 4 }
    }
  }

  private static func spectrum(
    _ plane: [Double], _ size: PixelSize, _ columns: Int, _ rows: Int
  ) -> Spectrum {
    let across = ThumbHashLayout.cosines(columns, over: size.width)
    let down = ThumbHashLayout.cosines(rows, over: size.height)
    func amplitude(_ x: Int, _ y: Int) -> Double {
      var sum = 0.0
      for row in 0..<size.height {
        var line = 0.0
        for column in 0..<size.width { line += plane[row * size.width + column] * across[x][column] }
        sum += line * down[y][row]
      }
      return sum / Double(size.pixelCount)
    }
    let amplitudes = ThumbHashLayout.Channel.frequencies(columns, rows).map { amplitude($0.x, $0.y) }
    let range = amplitudes.map(abs).max() ?? 0
    // For a single-colored image, only rounding errors are left, which are ignored.
    let isPlain = range < 1e-9
    return Spectrum(
      mean: amplitude(0, 0), range: isPlain ? 0 : range,
      parts: amplitudes.map { isPlain ? 0 : 0.5 + 0.5 / range * $0 })
  }
}
