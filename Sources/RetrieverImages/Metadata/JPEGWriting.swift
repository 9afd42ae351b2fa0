import Foundation

/// Makes segments of a JPEG.
enum JPEGWriting {
  /// Returns a segment with its marker and length. The contents must have at most 65,533 bytes.
  static func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
    [0xFF, marker] + BigEndian.bytes(payload.count + 2, 2) + payload
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
