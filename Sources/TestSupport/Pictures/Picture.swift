/// A picture drawn by ``Scene``: sRGB, straight alpha, 16 bits a sample from which 8 can be had.
public struct Picture: Sendable {
  /// In pixels.
  public let width: Int
  /// In pixels.
  public let height: Int
  /// 3, or 4 with alpha last.
  public let channels: Int
  /// Interleaved, rows from the top.
  public let samples: [UInt16]

  /// The samples at 8 bits, rounded to the nearest.
  public var bytes: [UInt8] { samples.map(Picture.byte) }

  private static func byte(_ sample: UInt16) -> UInt8 { UInt8((UInt32(sample) * 255 + 32_767) / 65_535) }

  /// The file a peer reads: PPM without alpha, PAM with it, at 8 or 16 bits a sample.
  public func portableAnyMap(bits: Int = 8) -> [UInt8] {
    let largest = bits == 16 ? 65_535 : 255
    let header =
      channels == 3
      ? "P6\n\(width) \(height)\n\(largest)\n"
      : """
      P7
      WIDTH \(width)
      HEIGHT \(height)
      DEPTH 4
      MAXVAL \(largest)
      TUPLTYPE RGB_ALPHA
      ENDHDR

      """
    var file = Array(header.utf8)
    file.reserveCapacity(file.count + samples.count * bits / 8)
    if bits == 16 {
      for sample in samples {
        file.append(UInt8(sample >> 8))
        file.append(UInt8(sample & 0xff))
      }
    } else {
      for sample in samples { file.append(Picture.byte(sample)) }
    }
    return file
  }
}
