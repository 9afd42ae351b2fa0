import Foundation

/// Makes segments of a JPEG.
enum JPEGWriting {
  /// The maximum size of the contents of a segment, whose length has 16 bits.
  static let maximumPayload = 65_533

  /// Returns a segment with its marker and length. The contents must have at most ``maximumPayload`` bytes.
  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker] + BigEndian.bytes(payload.count + 2, 2) + payload
  }

  /// Returns the APP2 segments of a color profile of at most 16 MB.
  static func profile(_ profile: Data) -> [UInt8] {
    let signature = JPEGApplication.profile.signature
    let size = maximumPayload - signature.count - 2
    let starts = Array(stride(from: 0, to: profile.count, by: size))
    return starts.enumerated().flatMap { index, start in
      let part = profile.dropFirst(start).prefix(size)
      return segment(0xE2, signature + [UInt8(index + 1), UInt8(starts.count)] + part)
    }
  }

  /// Returns an APP1 segment with an XMP packet.
  static func xmp(_ packet: String) -> [UInt8] {
    segment(0xE1, JPEGApplication.xmp.signature + Array(packet.utf8))
  }
}

extension JPEGGainMap {
  /// Returns an XMP packet for the first image, which says where the map is.
  static func primaryPacket(version: String, length: Int) -> String {
    func item(_ attributes: String) -> String {
      "<rdf:li rdf:parseType=\"Resource\"><Container:Item \(attributes) Item:Mime=\"image/jpeg\"/></rdf:li>"
    }
    let items =
      item("Item:Semantic=\"Primary\"") + item("Item:Semantic=\"GainMap\" Item:Length=\"\(length)\"")
    return GainMapDescription.packet(
      " hdrgm:Version=\"\(GainMapDescription.isHarmless(version) ? version : "1.0")\"",
      "<Container:Directory><rdf:Seq>\(items)</rdf:Seq></Container:Directory>")
  }
}
