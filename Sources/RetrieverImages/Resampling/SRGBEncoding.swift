import Foundation

/// The tables that convert linear light to 8-bit samples of sRGB, created once.
///
/// `@unchecked Sendable`: the memory is written before `shared` is visible, and never afterward.
struct SRGBEncoding: @unchecked Sendable {
  static let shared = SRGBEncoding()

  /// For a light of index / 4,096, the sample rounded down to the last threshold at or below it.
  let codes: UnsafePointer<UInt8>
  /// The smallest light that is nearer to a sample than to the previous sample; infinity after the last.
  let thresholds: UnsafePointer<Float>

  /// The light of each sample.
  let light: UnsafePointer<Float>

  private init() {
    let light = UnsafeMutablePointer<Float>.allocate(capacity: 256)
    for sample in 0...255 { light[sample] = Float(Self.light(of: Double(sample) / 255)) }
    self.light = UnsafePointer(light)
    let thresholds = UnsafeMutablePointer<Float>.allocate(capacity: 257)
    for sample in 0...256 {
      thresholds[sample] = Float(Self.light(of: (Double(sample) - 0.5) / 255))
    }
    thresholds[0] = 0
    thresholds[256] = .infinity
    let codes = UnsafeMutablePointer<UInt8>.allocate(capacity: 4_097)
    var sample = 0
    for index in 0...4_096 {
      let light = Float(index) / 4_096
      while sample < 255, thresholds[sample + 1] <= light { sample += 1 }
      codes[index] = UInt8(truncatingIfNeeded: sample)
    }
    self.codes = UnsafePointer(codes)
    self.thresholds = UnsafePointer(thresholds)
  }

  /// Returns the nearest sample. Light outside 0 to 1 is clamped.
  func sample(of light: Float) -> UInt8 {
    let light = min(max(light, 0), 1)
    var sample = Int(codes[Int(light * 4_096)])
    while thresholds[sample + 1] <= light { sample += 1 }
    return UInt8(truncatingIfNeeded: sample)
  }

  /// Applies the sRGB transfer function: returns the light (0 to 1) of a value (0 to 1).
  static func light(of value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}
