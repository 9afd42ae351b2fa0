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
  /// The maximum length of a value that is copied. A number is much shorter.
  private static let maximumLength = 64

  /// Returns an XMP packet with nothing but the values that describe the map.
  func strippedPacket(headroom: Double?) -> String? {
    guard let packet else { return nil }
    var attributes = ""
    var elements = ""
    func add(_ prefix: String, _ properties: [String: [String]]) {
      for (name, values) in properties.sorted(by: { $0.key < $1.key }) {
        guard Self.isHarmless(name), values.allSatisfy(Self.isHarmless), values.count <= 3 else { continue }
        if values.count == 1 {
          attributes += " \(prefix):\(name)=\"\(values[0])\""
        } else {
          let entries = values.map { "<rdf:li>\($0)</rdf:li>" }.joined()
          elements += "<\(prefix):\(name)><rdf:Seq>\(entries)</rdf:Seq></\(prefix):\(name)>"
        }
      }
    }
    add("hdrgm", packet.properties(of: XMPPacket.Namespace.gainMap))
    var apple = packet.properties(of: XMPPacket.Namespace.appleGainMap)
    // Without the maker note, nothing else says how bright the photo is meant to be.
    if kind == .apple, apple["HDRGainMapHeadroom"] == nil, let headroom {
      apple["HDRGainMapHeadroom"] = ["\(headroom)"]
    }
    add("HDRGainMap", apple)
    let type = packet.values(XMPPacket.Namespace.applePixels, "AuxiliaryImageType")
    if !type.isEmpty { add("apdi", ["AuxiliaryImageType": [type[0]]]) }
    return Self.packet(attributes, elements)
  }

  /// Returns an XMP packet for the first image, which says where the map is.
  static func primaryPacket(version: String, length: Int) -> String {
    func item(_ attributes: String) -> String {
      "<rdf:li rdf:parseType=\"Resource\"><Container:Item \(attributes) Item:Mime=\"image/jpeg\"/></rdf:li>"
    }
    let items =
      item("Item:Semantic=\"Primary\"") + item("Item:Semantic=\"GainMap\" Item:Length=\"\(length)\"")
    return packet(
      " hdrgm:Version=\"\(isHarmless(version) ? version : "1.0")\"",
      "<Container:Directory><rdf:Seq>\(items)</rdf:Seq></Container:Directory>")
  }

  private static func packet(_ attributes: String, _ elements: String) -> String {
    let namespaces = [
      ("hdrgm", XMPPacket.Namespace.gainMap), ("HDRGainMap", XMPPacket.Namespace.appleGainMap),
      ("apdi", XMPPacket.Namespace.applePixels), ("Item", XMPPacket.Namespace.containerItem),
      ("Container", "http://ns.google.com/photos/1.0/container/"),
    ]
    let used = namespaces.filter { (attributes + elements).contains($0.0 + ":") }
      .map { " xmlns:\($0.0)=\"\($0.1)\"" }.joined()
    return "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"\(XMPPacket.rdf)\">"
      + "<rdf:Description rdf:about=\"\"\(used)\(attributes)>\(elements)</rdf:Description></rdf:RDF></x:xmpmeta>"
  }

  /// Returns whether a name or value can be copied: a number or a word, which needs no escapes.
  private static func isHarmless(_ text: String) -> Bool {
    text.utf8.count <= maximumLength
      && text.utf8.allSatisfy {
        (0x30...0x3A).contains($0) || (0x41...0x5A).contains($0 & 0xDF)
          || [0x2B, 0x2D, 0x2E, 0x5F].contains($0)
      }
  }
}
