import Foundation
import Testing

@testable import RetrieverImages

@Suite(.timeLimit(.minutes(5))) struct ResampleAccuracyTests {
  static let formats: [RowFormat] = [.grey8, .rgb8, .rgba8, .grey16, .rgb16, .rgba16]
  static let paths = ResamplingPath.allCases.filter(\.isAvailable)
  /// The width and height of the source, and those of the target.
  static let sizes = [
    (40, 30, 20, 15), (41, 29, 13, 7), (33, 17, 32, 16), (64, 64, 5, 3), (100, 3, 7, 2), (3, 100, 2, 7),
    (1, 1, 1, 1), (1, 1, 9, 5), (1, 50, 1, 7), (50, 1, 7, 1), (31, 23, 1, 1), (7, 5, 23, 31), (20, 10, 7, 30),
    (10, 20, 30, 7), (16, 16, 16, 5), (16, 16, 5, 16), (2, 2, 3, 3), (259, 8, 100, 3), (600, 2, 599, 1),
  ]

  @Test(arguments: formats, paths)
  func `every size is within one step of the reference`(format: RowFormat, path: ResamplingPath) throws {
    for (seed, size) in Self.sizes.enumerated() {
      let picture = ResamplePicture.random(size.0, size.1, format, seed: UInt64(seed))
      let target = PixelSize(width: size.2, height: size.3)
      let result = try picture.resampled(to: target, path: path)
      let expected = ResampleReference(picture).resampled(to: target)
      let difference = resampleDifference(result.pixels, expected, hasAlpha: format.hasAlpha)
      #expect(difference <= 1, "\(size)")
    }
  }

  @Test(arguments: formats, paths)
  func `a crop is resampled like a complete image`(format: RowFormat, path: ResamplingPath) throws {
    let picture = ResamplePicture.random(37, 29, format, seed: 7)
    let crops = [
      PixelRect(x: 5, y: 3, size: PixelSize(width: 20, height: 21)),
      PixelRect(x: 36, y: 28, size: PixelSize(width: 1, height: 1)),
      PixelRect(x: 0, y: 28, size: PixelSize(width: 37, height: 1)),
      PixelRect(x: 13, y: 0, size: PixelSize(width: 3, height: 29)),
    ]
    for crop in crops {
      for target in [PixelSize(width: 9, height: 8), PixelSize(width: 2, height: 40)] {
        let result = try picture.resampled(to: target, crop: crop, path: path)
        let expected = ResampleReference(picture, crop: crop).resampled(to: target)
        let difference = resampleDifference(result.pixels, expected, hasAlpha: format.hasAlpha)
        #expect(difference <= 1, "\(crop)")
      }
    }
  }

  @Test(arguments: paths)
  func theWidestRowsAreResampled(path: ResamplingPath) throws {
    let picture = ResamplePicture.random(65_535, 2, .rgb8, seed: 3)
    let target = PixelSize(width: 33, height: 1)
    let result = try picture.resampled(to: target, path: path)
    let expected = ResampleReference(picture).resampled(to: target)
    #expect(resampleDifference(result.pixels, expected, hasAlpha: false) <= 1)
  }

  @Test(arguments: formats)
  func `all paths give the same result within one step`(format: RowFormat) throws {
    let picture = ResamplePicture.random(123, 77, format, seed: 11)
    let target = PixelSize(width: 40, height: 25)
    let results = try Self.paths.map { try picture.resampled(to: target, path: $0).pixels }
    for result in results {
      #expect(resampleDifference(result, results[0], hasAlpha: format.hasAlpha) <= 1)
    }
  }

  @Test(arguments: [RowFormat.rgb8, .rgba8, .grey8], paths)
  func curvesAndAMatrixAreApplied(format: RowFormat, path: ResamplingPath) throws {
    try expectCurvesToBeApplied(format, path) { pow($0, 1.8) }
  }

  @Test(arguments: [RowFormat.rgb8, .rgba8, .grey8], paths)
  func aMatrixIsAppliedToImagesWithTheCurveOfSRGB(format: RowFormat, path: ResamplingPath) throws {
    try expectCurvesToBeApplied(format, path, light: ResampleReference.light)
  }

  private func expectCurvesToBeApplied(
    _ format: RowFormat, _ path: ResamplingPath, light: @escaping (Double) -> Double
  ) throws {
    let picture = ResamplePicture.random(30, 20, format, seed: 5)
    let matrix: [Float] = [1.2, -0.2, 0.05, -0.05, 1.1, -0.02, 0.01, -0.1, 1.05]
    let curve = (0..<256).map { Float(light(Double($0) / 255)) }
    let curves = Linearization.Curves(red: curve, green: curve, blue: curve, matrix: matrix)
    let target = PixelSize(width: 11, height: 9)
    let result = try picture.resampled(to: target, linearization: .curves(curves), path: path)
    var reference = ResampleReference(picture)
    reference.curve = { value, _ in light(value) }
    let expected = reference.light(at: target).flatMap { pixel -> [UInt8] in
      let alpha = pixel.count == 4 ? min(max(pixel[3], 0), 1) : 1
      let rgb = (0..<3).map { pixel[pixel.count == 1 ? 0 : $0] / alpha }
      let converted = (0..<3).map { row in
        (0..<3).reduce(0.0) { $0 + Double(matrix[row * 3 + $1]) * rgb[$1] }
      }
      return converted.map(ResampleReference.encoded)
        + (pixel.count == 4 ? [UInt8((alpha * 255).rounded())] : [])
    }
    #expect(resampleDifference(result.pixels, expected, hasAlpha: format.hasAlpha) <= 1)
  }

  @Test func curvesOf16BitSamplesAreLookedUp() throws {
    let picture = ResamplePicture.random(30, 20, .rgba16, seed: 6)
    let curve = (0..<65_536).map { Float(Double($0) / 65_535) }
    let curves = Linearization.Curves(
      red: curve, green: curve, blue: curve, matrix: Linearization.Curves.identityMatrix)
    let target = PixelSize(width: 11, height: 9)
    let result = try picture.resampled(to: target, linearization: .curves(curves))
    var reference = ResampleReference(picture)
    reference.curve = { value, _ in value }
    let expected = reference.resampled(to: target)
    #expect(resampleDifference(result.pixels, expected, hasAlpha: true) <= 1)
  }

  @Test(arguments: ResamplingKernel.allCases)
  func `every kernel sums to one and is zero at its end`(kernel: ResamplingKernel) {
    var values: [Double] = []
    kernel.fill(&values, count: 2, first: kernel.support, step: 1)
    #expect(values.allSatisfy { abs($0) < 1e-9 })
    kernel.fill(&values, count: 9, first: -4, step: 1)
    func distance(to sum: Double) -> Double { abs(values.reduce(0) { $0 + $1 } - sum) }
    #expect(distance(to: 1) < 1e-9)
    kernel.fill(&values, count: 20, first: -4.75, step: 0.5)
    #expect(distance(to: 2) < 0.03)
  }
}
