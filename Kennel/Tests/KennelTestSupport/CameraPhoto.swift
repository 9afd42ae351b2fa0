import Foundation

/// A photo with the metadata that a camera writes: its name, the place, and a comment.
package enum CameraPhoto {
  /// Texts in the metadata.
  package static let secrets = ["SecretCam", "Secret comment"]

  /// Returns a photo that is different for each number.
  ///
  /// - Parameter orientation: the EXIF value; 6 is a photo that has to be rotated to the right.
  package static func jpeg(
    _ number: Int, orientation: UInt16 = 6, width: Int = 80, height: Int = 60
  ) throws -> Data {
    let picture = try SiteFixture.jpeg(number, width: width, height: height)
    return Data(picture.prefix(2)) + segment(0xe1, Array("Exif\0\0".utf8) + tiff(orientation))
      + segment(0xfe, Array(secrets[1].utf8)) + picture.dropFirst(2)
  }

  /// Returns whether a file contains any of the secrets.
  package static func isLeaking(_ data: Data) -> Bool {
    secrets.contains { data.range(of: Data($0.utf8)) != nil }
  }

  private static func segment(_ marker: UInt8, _ bytes: [UInt8]) -> Data {
    let count = bytes.count + 2
    return Data([0xff, marker, UInt8(count >> 8), UInt8(count & 255)] + bytes)
  }

  private static func number(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
  }

  private static func entry(_ tag: UInt32, _ type: UInt32, _ count: UInt32, _ value: [UInt8]) -> [UInt8] {
    number(tag, 2) + number(type, 2) + number(count, 4) + value
      + [UInt8](repeating: 0, count: 4 - value.count)
  }

  private static func tiff(_ orientation: UInt16) -> [UInt8] {
    let make = Array((secrets[0] + "\0").utf8)
    let directory =
      number(3, 2) + entry(0x10f, 2, UInt32(make.count), number(50, 4))
      + entry(0x112, 3, 1, number(UInt32(orientation), 2)) + entry(0x8825, 4, 1, number(60, 4))
      + number(0, 4)
    let place =
      number(4, 2) + entry(1, 2, 2, Array("N\0".utf8)) + entry(2, 5, 3, number(114, 4))
      + entry(3, 2, 2, Array("E\0".utf8)) + entry(4, 5, 3, number(138, 4)) + number(0, 4)
    func angle(_ degrees: UInt32) -> [UInt8] {
      [degrees, 1, 30, 1, 0, 1].flatMap { number($0, 4) }
    }
    return Array("II*\0".utf8) + number(8, 4) + directory + make + place + angle(52) + angle(13)
  }
}
