import CResampling
import Testing

@testable import RetrieverImages

/// Tests the conversion of light to samples.
@Suite struct ResampleEncodingTests {
  private static let paths: [rsp_path] = [RSP_PORTABLE, RSP_AVX2, RSP_AVX512].filter {
    $0.rawValue <= rsp_best_path().rawValue
  }

  /// Values just below, at and above every threshold, and beyond black and white.
  private static let light: [Float] = {
    let thresholds = (1...255).map { SRGBEncoding.shared.thresholds[$0] }
    let values = thresholds.flatMap { [$0.nextDown, $0, $0.nextUp] }
    return values + [-1, 0, 1, 2, .nan, .infinity, -.infinity, 0.5, 1e-20]
  }()

  @Test(arguments: paths) func everyPathRoundsLightToTheNearestSample(path: rsp_path) {
    let light = Self.light
    // Counts that are not multiples of the vectors and strips.
    for count in [1, 3, 127, light.count] {
      let samples = Self.encoded(light.prefix(count).flatMap { [$0, 1 - $0, $0, 0] }, path: path)
      let expected = light.prefix(count).flatMap { [$0, 1 - $0, $0].map(Self.nearest) }
      let isEqual = samples == expected
      #expect(isEqual, "\(count) pixels")
    }
  }

  @Test(arguments: paths) func everyPathAppliesTheMatrixBeforeItRounds(path: rsp_path) {
    // Red becomes green, green becomes blue, and blue becomes half of red.
    let matrix: [Float] = [0, 0, 0.5, 1, 0, 0, 0, 1, 0]
    let pixel: [Float] = [0.25, 0.75, 0.5, 1]
    let samples = Self.encoded(Array((0..<37).map { _ in pixel }.joined()), matrix: matrix, path: path)
    let expected = [0.25, 0.25, 0.75].map { Self.nearest($0) }
    let isEqual = samples == Array((0..<37).map { _ in expected }.joined())
    #expect(isEqual)
  }

  private static func nearest(_ light: Float) -> UInt8 {
    guard light > 0 else { return 0 }
    return UInt8((1...255).prefix { SRGBEncoding.shared.thresholds[$0] <= light }.count)
  }

  private static func encoded(_ pixels: [Float], matrix: [Float]? = nil, path: rsp_path) -> [UInt8] {
    let count = pixels.count / 4
    let padded = pixels + [Float](repeating: 0, count: Int(RSP_SLACK))
    var samples = [UInt8](repeating: 0, count: count * 3)
    func encode(_ matrix: UnsafePointer<Float>?) {
      var encoding = rsp_encoding()
      encoding.codes = SRGBEncoding.shared.codes
      encoding.thresholds = SRGBEncoding.shared.thresholds
      encoding.matrix = matrix
      rsp_encode(path, &encoding, padded, 4, &samples, 3, count)
    }
    if let matrix { matrix.withUnsafeBufferPointer { encode($0.baseAddress) } } else { encode(nil) }
    return samples
  }
}
