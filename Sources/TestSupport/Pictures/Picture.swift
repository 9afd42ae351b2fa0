/// A picture drawn by ``Scene``: sRGB, straight alpha, 16 bits per sample. It can also be read with 8 bits per sample.
public struct Picture: Sendable {
  /// The width in pixels.
  public let width: Int
  /// The height in pixels.
  public let height: Int
  /// 3, or 4 with alpha as the last channel.
  public let channels: Int
  /// The interleaved samples, with rows from top to bottom.
  public let samples: [UInt16]

  /// The samples with 8 bits, rounded to the nearest value.
  public var bytes: [UInt8] { samples.map(Picture.byte) }

  private static func byte(_ sample: UInt16) -> UInt8 { UInt8((UInt32(sample) * 255 + 32_767) / 65_535) }

  /// Returns the picture as a file for other programs: PPM without alpha, PAM with alpha, with 8 or 16 bits per sample.
  public func portableAnyMap(bits: Int = 8) -> [UInt8] {
    let maximum = bits == 16 ? 65_535 : 255
    let header =
      channels == 3
      ? "P6\n\(width) \(height)\n\(maximum)\n"
      : """
      P7
      WIDTH \(width)
      HEIGHT \(height)
      DEPTH 4
      MAXVAL \(maximum)
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
