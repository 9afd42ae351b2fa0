import Foundation
import Testing

@testable import RetrieverImages

/// The NAL units of a tile's data.
@Suite(.timeLimit(.minutes(5))) struct HEVCUnitsTests {
  private func units(_ data: [UInt8], lengthSize: Int) throws(ImageError) -> [[UInt8]] {
    var units = HEVCUnits(data, lengthSize: lengthSize)
    var found: [[UInt8]] = []
    while let unit = try units.next() { found.append(Array(unit)) }
    return found
  }

  @Test func `empty units are skipped`() throws {
    #expect(try units([0, 0, 2, 7, 8, 0, 1, 9, 0], lengthSize: 1) == [[7, 8], [9]])
    #expect(try units([0, 0, 0, 1, 5], lengthSize: 2) == [[5]])
    #expect(try units([], lengthSize: 4).isEmpty)
    var fixture = HEIFFixture(.gradient)
    let expected = decode(fixture.data())
    fixture.items[0].data = [UInt8](repeating: 0, count: 400) + fixture.items[0].data
    #expect(expected.error == nil && decode(fixture.data()).pixels == expected.pixels)
  }

  @Test func `a unit that ends after the data is damage`() {
    let error = #expect(throws: ImageError.self) { try units([1, 7, 2, 8], lengthSize: 1) }
    #expect(error?.code == .corrupt)
  }

  @Test(arguments: [[0], [1, 0x4E]] as [[UInt8]])
  func `too many units are refused, also if they are empty`(unit: [UInt8]) throws {
    let most = Array(repeatElement(unit, count: HEVCUnits.maximumCount).joined())
    #expect(try units(most, lengthSize: 1).count == (unit.count == 1 ? 0 : HEVCUnits.maximumCount))
    let error = #expect(throws: ImageError.self) { try units(most + [0], lengthSize: 1) }
    #expect(error?.code == .tooLarge)
  }

  @Test func `a tile of zeros is refused without a list of its units`() throws {
    var fixture = HEIFFixture(.red)
    // The number of bytes of a length is in the last 2 bits after 8 bytes of the box and 21 of the configuration.
    let place = 8 + 21
    try #require(fixture.items[0].properties[0][place] & 3 == 3)
    fixture.items[0].properties[0][place] &= ~3
    fixture.items[0].data = [UInt8](repeating: 0, count: 1 << 20)
    #expect(decode(fixture.data()).error?.code == .tooLarge)
  }
}
