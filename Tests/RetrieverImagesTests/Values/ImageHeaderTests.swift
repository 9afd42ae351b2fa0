import Testing

@testable import RetrieverImages

@Suite struct ImageHeaderTests {
  @Test func `a pixel count that overflows is the maximum integer`() {
    #expect(PixelSize(width: .max, height: 3).pixelCount == .max)
    #expect(PixelSize(width: 4_000, height: 3_000).pixelCount == 12_000_000)
  }
}
