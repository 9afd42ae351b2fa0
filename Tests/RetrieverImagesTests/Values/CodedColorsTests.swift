import Foundation
import Testing

@testable import RetrieverImages

/// Colors that are declared as numbers, as in AVIF, HEIC and video.
struct CodedColorsTests {
  private func colors(_ primaries: Int, _ transfer: Int) -> CodedColors {
    CodedColors(primaries: primaries, transfer: transfer, matrix: 1, isFullRange: true)
  }

  private func matrix(_ colors: CodedColors) throws -> ColorProfile.Matrix {
    let data = try #require(colors.profile(of: .rgb))
    guard case .matrix(let matrix) = ColorProfile.make(data, for: .rgb8)?.conversion else {
      throw ImageError(.corrupt, "The profile has no matrix.")
    }
    return matrix
  }

  @Test func `sRGB, the curves of television, and unknown numbers need no profile`() {
    for (primaries, transfer) in [(1, 13), (1, 1), (1, 6), (2, 2), (1, 14), (99, 99), (0, 0)] {
      #expect(colors(primaries, transfer).profile(of: .rgb) == nil)
    }
  }

  @Test func `Display P3 and BT 2020 are wider than sRGB, and keep white`() throws {
    for (primaries, red) in [(12, 1.2249), (9, 1.6605)] {
      let found = try matrix(colors(primaries, 13)).matrix
      #expect(abs(Double(found[0]) - red) < 0.01, "\(primaries): \(found[0])")
      for row in 0..<3 {
        let sum = found[(3 * row)..<(3 * row + 3)].reduce(0, +)
        #expect(abs(sum - 1) < 0.003)
      }
    }
  }

  @Test func `HDR keeps light up to three quarters of white, and compresses the rest`() throws {
    // PQ samples for 100 and 10,000 cd/m², and HLG's for white and its maximum.
    let pq = try matrix(colors(9, 16)).curves[0]
    #expect(abs(pq[130] - 100 / 203) < 0.02)
    #expect(pq[255] == 1)
    let hlg = try matrix(colors(9, 18)).curves[0]
    #expect(abs(hlg[128] - 0.249) < 0.01)
    #expect(hlg[191] > 0.8 && hlg[191] < 0.95)
    #expect(abs(hlg[255] - 1) < 0.01)
    for curve in [pq, hlg] {
      #expect(zip(curve, curve.dropFirst()).allSatisfy { $0 <= $1 })
      #expect(curve[0] < 0.001)
    }
  }

  @Test(arguments: [0, 1, 5, 6, 9])
  func `black and white stay black and white with every matrix and range`(_ matrix: Int) throws {
    for depth in [8, 10, 12] {
      for isFullRange in [true, false] {
        let conversion = try #require(
          CodedColors.conversion(
            matrix: matrix, isFullRange: isFullRange, depth: depth, channels: 3, bytesPerSample: 2,
            smoothsChroma: false))
        let unit = Float(1 << (depth - 8))
        let (black, white) = isFullRange ? (0, Float(1 << depth) - 1) : (16 * unit, 235 * unit)
        #expect(abs(black * conversion.luma_scale + conversion.luma_offset) < 0.1)
        #expect(abs(white * conversion.luma_scale + conversion.luma_offset - 65_535) < 0.1)
      }
    }
  }
}
