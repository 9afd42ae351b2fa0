import Foundation

/// The tables that turn linear light into 8-bit samples of sRGB, made once and kept.
///
/// `@unchecked Sendable`: what the pointers point to is written before `shared` is visible, and never again.
struct SRGBEncoding: @unchecked Sendable {
  static let shared = SRGBEncoding()

  /// For light of index / 4,096, the sample rounded down to the last threshold that it reaches.
  let codes: UnsafePointer<UInt8>
  /// The least light that is nearer to a sample than to the one before it; after the last, infinity.
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

  /// The nearest sample; light outside of 0 to 1 is brought to the nearer end.
  func sample(of light: Float) -> UInt8 {
    let light = min(max(light, 0), 1)
    var sample = Int(codes[Int(light * 4_096)])
    while thresholds[sample + 1] <= light { sample += 1 }
    return UInt8(truncatingIfNeeded: sample)
  }

  /// The sRGB transfer function, from a value of 0 to 1 to light of 0 to 1.
  static func light(of value: Double) -> Double {
    value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
  }
}
