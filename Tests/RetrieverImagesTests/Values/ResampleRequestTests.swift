import Foundation
import Testing

@testable import RetrieverImages

@Suite struct ResampleRequestTests {
  static let layout = RowLayout(size: PixelSize(width: 10, height: 10), format: .rgb8)

  static func code(
    _ layout: RowLayout = layout, crop: PixelRect? = nil, target: PixelSize,
    linearization: Linearization = .sRGB
  ) -> ImageError.Code? {
    do throws(ImageError) {
      _ = try Resampler(
        source: layout, area: crop.map { SourceArea($0) }, target: target, linearization: linearization)
      return nil
    } catch { return error.code }
  }

  @Test func `an empty or huge size is an invalid request`() {
    let target = PixelSize(width: 5, height: 5)
    for (width, height) in [(0, 5), (5, 0), (-1, 5), (5, .min), (.max, 5), (5, .max)] {
      let size = PixelSize(width: width, height: height)
      #expect(Self.code(target: size) == .invalidRequest)
      #expect(Self.code(RowLayout(size: size, format: .rgb8), target: target) == .invalidRequest)
    }
    #expect(Self.code(RowLayout(size: target, format: .cmyk8), target: target) == .invalidRequest)
  }

  @Test func aCropOutsideOfTheImageIsAnInvalidRequest() {
    let target = PixelSize(width: 5, height: 5)
    for (x, y, width, height) in [
      (-1, 0, 5, 5), (0, -1, 5, 5), (6, 0, 5, 5), (0, 6, 5, 5), (0, 0, 11, 5), (0, 0, 5, 11), (0, 0, 0, 5),
      (0, 0, 5, 0), (.max, 0, 5, 5), (0, .max, 5, 5), (5, 5, .max, 1), (.min, 0, 1, 1), (0, 0, .min, 1),
    ] {
      let crop = PixelRect(x: x, y: y, size: PixelSize(width: width, height: height))
      #expect(Self.code(crop: crop, target: target) == .invalidRequest, "\(crop)")
    }
    #expect(Self.code(crop: PixelRect(Self.layout.size), target: target) == nil)
  }

  @Test func curvesOfAnotherLengthAreAnInvalidRequest() {
    let short = [Float](repeating: 0, count: 255)
    let curve = [Float](repeating: 0, count: 256)
    let target = PixelSize(width: 5, height: 5)
    let matrix = Linearization.Curves.identityMatrix
    for curves in [
      Linearization.Curves(red: curve, green: short, blue: curve, matrix: matrix),
      Linearization.Curves(red: curve, green: curve, blue: curve, matrix: [1]),
    ] {
      #expect(Self.code(target: target, linearization: .curves(curves)) == .invalidRequest)
    }
  }

  @Test func aShortRowIsAnInvalidRequest() throws {
    let resampler = try Resampler(source: Self.layout, target: PixelSize(width: 5, height: 5))
    var code: ImageError.Code?
    [UInt8](repeating: 0, count: 29).withUnsafeBytes { row in
      do throws(ImageError) { try resampler.push(row) { _ in } } catch { code = error.code }
    }
    #expect(code == .invalidRequest)
  }

  @Test func `an error from the sink ends the push`() throws {
    let resampler = try Resampler(source: Self.layout, target: PixelSize(width: 20, height: 20))
    var code: ImageError.Code?
    for _ in 0..<10 where code == nil {
      [UInt8](repeating: 0, count: 30).withUnsafeBytes { row in
        do throws(ImageError) {
          try resampler.push(row) { _ throws(ImageError) in throw ImageError(.cancelled, "Enough.") }
        } catch { code = error.code }
      }
    }
    #expect(code == .cancelled)
    #expect(resampler.rowsEmitted == 1)
  }
}
