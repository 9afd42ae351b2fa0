import Foundation

/// Makes segments of a JPEG.
enum JPEGWriting {
  /// The maximum size of the contents of a segment, whose length has 16 bits.
  static let maximumPayload = 65_533

  /// Returns a segment with its marker and length. The contents must have at most ``maximumPayload`` bytes.
  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker] + BigEndian.bytes(payload.count + 2, 2) + payload
  }

  /// Returns an APP1 segment with an XMP packet; nil if the packet is too large for a segment.
  static func xmp(_ packet: String) -> [UInt8]? {
    let payload = JPEGApplication.xmp.signature + Array(packet.utf8)
    return payload.count <= maximumPayload ? segment(0xE1, payload) : nil
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
