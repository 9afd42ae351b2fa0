import Foundation

@testable import RetrieverImages

enum ProfileFixture {
  /// Returns a gray profile whose table makes the sample the light.
  static func grey() -> Data {
    var table = Array("mft1".utf8) + PNGFixture.big(0) + [1, 3, 2, 0]
    for entry in [1, 0, 0, 0, 1, 0, 0, 0, 1] { table += PNGFixture.big(entry << 16) }
    // The lightness for each light.
    table += (0...255).map { step in
      let light = Double(step) / 255
      let lightness = light > 0.008856 ? 116 * cbrt(light) - 16 : 903.3 * light
      return UInt8((lightness * 2.55).rounded())
    }
    table += [0, 128, 128, 255, 128, 128]
    for _ in 0..<3 { table += Array(0...255 as ClosedRange<UInt8>) }
    return profile("GRAYLab ", table)
  }

  /// Returns a CMYK profile with a table of two steps for each ink: paper is white, and every ink darkens it.
  static func inks() -> Data {
    var table = Array("mft1".utf8) + PNGFixture.big(0) + [4, 3, 2, 0]
    for entry in [1, 0, 0, 0, 1, 0, 0, 0, 1] { table += PNGFixture.big(entry << 16) }
    for _ in 0..<4 { table += Array(0...255 as ClosedRange<UInt8>) }
    for node in 0..<16 {
      let inks = [8, 4, 2].filter { node & $0 != 0 }.count
      table += [node & 1 != 0 ? 0 : UInt8(255 - inks * 85), 128, 128]
    }
    for _ in 0..<3 { table += Array(0...255 as ClosedRange<UInt8>) }
    return profile("CMYKLab ", table)
  }

  /// Returns a profile of a printer with one table, from the device's colors to the space that `spaces` names.
  private static func profile(_ spaces: String, _ table: [UInt8]) -> Data {
    let table = table + [UInt8](repeating: 0, count: (4 - table.count % 4) % 4)
    let start = 128 + 4 + 12
    var profile = PNGFixture.big(start + table.count) + [0, 0, 0, 0] + PNGFixture.big(0x0210_0000)
    profile += Array("prtr\(spaces)".utf8) + [UInt8](repeating: 0, count: 12) + Array("acsp".utf8)
    profile += [UInt8](repeating: 0, count: 28) + PNGFixture.big(0xF6D6) + PNGFixture.big(0x10000)
    profile += PNGFixture.big(0xD32D) + [UInt8](repeating: 0, count: 48)
    profile += PNGFixture.big(1) + Array("A2B0".utf8) + PNGFixture.big(start) + PNGFixture.big(table.count)
    return Data(profile + table)
  }
}
