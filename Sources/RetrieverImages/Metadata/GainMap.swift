import Foundation

/// The gain map of a photo: a second, smaller image that says how much brighter each pixel is on a display with high
/// dynamic range (HDR).
///
/// Thumbnails are made from the base image, which is for displays with standard dynamic range (SDR).
public struct GainMap: Sendable, Hashable {
  /// The maximum size of a map. Larger ones are not read.
  static let maximumBytes = 16 << 20

  /// The way in which a gain map is described.
  public enum Kind: String, Sendable, Hashable {
    /// Ultra HDR: the gain map of Adobe, Google and ISO 21496-1.
    case ultraHDR
    /// The gain map of Apple's cameras.
    case apple
  }

  /// The values that the formula of an Ultra HDR gain map needs. Those with one value for each channel have one element,
  /// or three for red, green and blue.
  public struct Parameters: Sendable, Hashable {
    /// The version of the description, such as `1.0`; nil for ISO 21496-1.
    public var version: String?
    /// Whether the base image is the one for HDR, and the map makes it darker.
    public var baseImageIsHDR = false
    /// The binary logarithm of the gain for the map's value 0 (`hdrgm:GainMapMin`).
    public var minimum: [Double] = [0]
    /// The binary logarithm of the gain for the map's maximum value (`hdrgm:GainMapMax`).
    public var maximum: [Double] = [1]
    /// The exponent with which the map is encoded (`hdrgm:Gamma`).
    public var gamma: [Double] = [1]
    /// The number that is added to the light of the SDR image (`hdrgm:OffsetSDR`).
    public var offsetSDR: [Double] = [1 / 64]
    /// The number that is subtracted from the light of the HDR image (`hdrgm:OffsetHDR`).
    public var offsetHDR: [Double] = [1 / 64]
    /// The binary logarithm of the display's headroom from which the map is applied (`hdrgm:HDRCapacityMin`).
    public var capacityMinimum: Double = 0
    /// The binary logarithm of the display's headroom from which the map is applied completely (`hdrgm:HDRCapacityMax`).
    public var capacityMaximum: Double = 1
  }

  /// The way in which the map is described.
  public var kind: Kind
  /// The map as a file of its own: a JPEG if the photo is one, otherwise a HEIC or AVIF.
  public var data: Data
  /// The width of the map.
  public var pixelWidth: Int
  /// The height of the map.
  public var pixelHeight: Int
  /// The parameters of an Ultra HDR map; nil if they are missing or invalid.
  public var parameters: Parameters?
  /// How many times brighter than white Apple's map can make a pixel; nil if the file does not state it.
  public var headroom: Double?
}

extension GainMap.Parameters {
  /// Reads the parameters in the XMP packet of a map. Returns nil if one is invalid or a required one is missing.
  init?(_ packet: XMPPacket) {
    func numbers(_ name: String) -> [Double]?? {
      let texts = packet.values(XMPPacket.Namespace.gainMap, name)
      guard !texts.isEmpty else { return .some(nil) }
      let numbers = texts.compactMap { MetadataText.trimmed($0) }.compactMap { Double($0) }.filter(\.isFinite)
      return numbers.count == texts.count && [1, 3].contains(numbers.count) ? numbers : nil
    }
    guard let version = packet.value(XMPPacket.Namespace.gainMap, "Version"),
      let minimum = numbers("GainMapMin"), let maximum = numbers("GainMapMax"), let maximum,
      let gamma = numbers("Gamma"), let offsetSDR = numbers("OffsetSDR"),
      let offsetHDR = numbers("OffsetHDR"),
      let lower = numbers("HDRCapacityMin"), let upper = numbers("HDRCapacityMax")
    else { return nil }
    self.version = version
    baseImageIsHDR = packet.value(XMPPacket.Namespace.gainMap, "BaseRenditionIsHDR") == "True"
    self.minimum = minimum ?? self.minimum
    self.maximum = maximum
    self.gamma = gamma ?? self.gamma
    self.offsetSDR = offsetSDR ?? self.offsetSDR
    self.offsetHDR = offsetHDR ?? self.offsetHDR
    capacityMinimum = lower?.first ?? capacityMinimum
    capacityMaximum = upper?.first ?? maximum.max() ?? 1
  }

  /// The number of bytes of the binary form of ISO 21496-1, without its signature; nil if there are only the versions, which
  /// is all that the main image has.
  static func isoSize(of bytes: some Collection<UInt8>) -> Int? {
    guard let flags = bytes.dropFirst(4).first else { return nil }
    let channels = flags & 0x80 == 0 ? 1 : 3
    let numbers = 2 + 5 * channels
    let size = flags & 0x08 == 0 ? 5 + 8 * numbers : 9 + 4 * numbers
    return bytes.count < size ? nil : size
  }

  /// Reads the binary form of ISO 21496-1, without its signature. Returns nil if it is invalid.
  init?(iso bytes: some Collection<UInt8>) {
    let reader = TIFFReader(headless: Array(bytes), isLittleEndian: false)
    // A minimum version of more than 0 cannot be read by this code.
    guard reader.number(at: 0, size: 2) == 0, let flags = reader.number(at: 4, size: 1) else { return nil }
    let channels = flags & 0x80 == 0 ? 1 : 3
    let common = flags & 0x08 == 0 ? nil : reader.number(at: 5, size: 4)
    var offset = common == nil ? 5 : 9
    var isValid = true
    func fraction(isSigned: Bool) -> Double {
      let top = reader.number(at: offset, size: 4)
      let bottom = common ?? reader.number(at: offset + 4, size: 4)
      offset += common == nil ? 8 : 4
      guard let top, let bottom, bottom != 0 else {
        isValid = false
        return 0
      }
      return (isSigned ? Double(Int32(truncatingIfNeeded: top)) : Double(top)) / Double(bottom)
    }
    capacityMinimum = fraction(isSigned: false)
    capacityMaximum = fraction(isSigned: false)
    var rows: [[Double]] = []
    for _ in 0..<channels {
      rows.append([true, true, false, true, true].map { fraction(isSigned: $0) })
    }
    guard isValid else { return nil }
    // The base image's headroom comes first. It is greater than the other one if the base image is the one for HDR.
    baseImageIsHDR = capacityMinimum > capacityMaximum
    if baseImageIsHDR { swap(&capacityMinimum, &capacityMaximum) }
    minimum = rows.map { $0[0] }
    maximum = rows.map { $0[1] }
    gamma = rows.map { $0[2] }
    offsetSDR = rows.map { $0[baseImageIsHDR ? 4 : 3] }
    offsetHDR = rows.map { $0[baseImageIsHDR ? 3 : 4] }
  }
}
