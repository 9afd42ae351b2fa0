import Foundation

@testable import RetrieverImages

/// Rows of any format, created by a test.
struct ResamplePicture {
  let layout: RowLayout
  var bytes: [UInt8]

  /// Returns noise, which is the same for the same seed.
  static func random(_ width: Int, _ height: Int, _ format: RowFormat, seed: UInt64) -> ResamplePicture {
    let layout = RowLayout(size: PixelSize(width: width, height: height), format: format)
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    let bytes = (0..<layout.bytesPerRow * height).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 40)
    }
    return ResamplePicture(layout: layout, bytes: bytes)
  }

  /// Returns a picture of one color. 16-bit samples contain the byte twice.
  static func flat(_ width: Int, _ height: Int, _ format: RowFormat, _ pixel: [UInt8]) -> ResamplePicture {
    let layout = RowLayout(size: PixelSize(width: width, height: height), format: format)
    let samples = pixel.flatMap { [UInt8](repeating: $0, count: format.bytesPerSample) }
    return ResamplePicture(
      layout: layout, bytes: (0..<width * height).flatMap { _ in samples })
  }

  /// Returns the sample as a value from 0 to 1, and as a number.
  func sample(_ x: Int, _ y: Int, _ channel: Int) -> (value: Double, index: Int) {
    let index = (y * layout.size.width + x) * layout.format.channels + channel
    guard layout.format.bytesPerSample == 2 else { return (Double(bytes[index]) / 255, Int(bytes[index])) }
    let value = bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self) }
    return (Double(value) / 65_535, Int(value))
  }

  /// Returns the resampler's result, and the number of rows emitted after each pushed row.
  func resampled(
    to target: PixelSize, crop: PixelRect? = nil, area: SourceArea? = nil,
    linearization: Linearization = .sRGB,
    kernel: ResamplingKernel = .lanczos3, path: ResamplingPath = .best
  ) throws(ImageError) -> (pixels: [UInt8], emitted: [Int]) {
    let resampler = try Resampler(
      source: layout, area: area ?? crop.map { SourceArea($0) }, target: target, linearization: linearization,
      kernel: kernel, path: path)
    var pixels: [UInt8] = []
    var emitted: [Int] = []
    for y in 0..<layout.size.height {
      let row = Array(bytes[y * layout.bytesPerRow..<(y + 1) * layout.bytesPerRow])
      var failure: ImageError?
      row.withUnsafeBytes { row in
        do throws(ImageError) {
          try resampler.push(row) { out throws(ImageError) in pixels.append(contentsOf: out) }
        } catch { failure = error }
      }
      if let failure { throw failure }
      emitted.append(resampler.rowsEmitted)
    }
    return (pixels, emitted)
  }
}

/// A simple reference implementation in Double: every new pixel is the weighted sum of all source pixels around it.
struct ResampleReference {
  let picture: ResamplePicture
  var crop: PixelRect
  var curve: (Double, Int) -> Double = { value, _ in light(value) }
  var kernel: (Double) -> Double = lanczos3
  var support = 3.0

  init(_ picture: ResamplePicture, crop: PixelRect? = nil) {
    self.picture = picture
    self.crop = crop ?? PixelRect(picture.layout.size)
  }

  static func light(_ value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }

  static func encoded(_ light: Double) -> UInt8 {
    let light = min(max(light, 0), 1)
    let value = light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    return UInt8((value * 255).rounded())
  }

  static func lanczos3(_ x: Double) -> Double {
    if x == 0 { return 1 }
    if abs(x) >= 3 { return 0 }
    return sin(.pi * x) / (.pi * x) * sin(.pi * x / 3) / (.pi * x / 3)
  }

  /// Returns the premultiplied light of the thumbnail's pixels, from the top.
  func light(at target: PixelSize) -> [[Double]] {
    let columns = (0..<target.width).map { weights($0, crop.size.width, target.width) }
    let rows = (0..<target.height).map { weights($0, crop.size.height, target.height) }
    let channels = picture.layout.format.channels
    var source: [[Double]] = []
    for y in 0..<crop.size.height {
      for x in 0..<crop.size.width {
        var pixel = (0..<channels).map { channel in
          let (value, index) = picture.sample(crop.x + x, crop.y + y, channel)
          return channel == 3 ? value : curve(value, index)
        }
        if channels == 4 { for channel in 0..<3 { pixel[channel] *= pixel[3] } }
        source.append(pixel)
      }
    }
    // Horizontally first, unlike the tested implementation.
    let narrow = (0..<crop.size.height).map { y in
      columns.map { column in
        (0..<channels).map { channel in
          column.reduce(0.0) { $0 + source[y * crop.size.width + $1.index][channel] * $1.weight }
        }
      }
    }
    return rows.flatMap { row in
      (0..<target.width).map { x in
        (0..<channels).map { channel in row.reduce(0.0) { $0 + narrow[$1.index][x][channel] * $1.weight } }
      }
    }
  }

  /// Returns the thumbnail's samples.
  func resampled(to target: PixelSize) -> [UInt8] {
    light(at: target).flatMap { pixel -> [UInt8] in
      switch pixel.count {
      case 1: return [UInt8](repeating: Self.encoded(pixel[0]), count: 3)
      case 3: return pixel.map(Self.encoded)
      default:
        let alpha = min(max(pixel[3], 0), 1)
        let sample = UInt8((alpha * 255).rounded())
        guard sample > 0 else { return [0, 0, 0, 0] }
        return pixel[..<3].map { Self.encoded($0 / alpha) } + [sample]
      }
    }
  }

  private func weights(_ index: Int, _ source: Int, _ target: Int) -> [(index: Int, weight: Double)] {
    let scale = Double(source) / Double(target)
    let stretch = max(1, scale)
    let center = (Double(index) + 0.5) * scale
    let from = max(0, Int(center - support * stretch) - 1)
    let to = min(source, Int(center + support * stretch) + 2)
    let all = (from..<to).map { (index: $0, weight: kernel((Double($0) + 0.5 - center) / stretch)) }
    let sum = all.reduce(0) { $0 + $1.weight }
    return all.map { ($0.index, $0.weight / sum) }.filter { abs($0.1) > 1e-12 }
  }
}

/// Returns the largest difference of two results. Ignores colors that are nearly transparent: there, an invisible
/// difference is divided by almost zero.
func resampleDifference(_ first: [UInt8], _ second: [UInt8], hasAlpha: Bool) -> Int {
  guard first.count == second.count else { return .max }
  return first.indices.reduce(0) { maximum, index in
    if hasAlpha, index % 4 != 3, second[index / 4 * 4 + 3] < 16 { return maximum }
    return max(maximum, abs(Int(first[index]) - Int(second[index])))
  }
}
