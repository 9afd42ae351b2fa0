/// The kind of a gain map, and the XMP packet that describes it.
struct GainMapDescription {
  /// The type of the auxiliary images that are Apple's gain maps.
  static let appleType = "urn:com:apple:photo:2020:aux:hdrgainmap"

  /// The maximum length of a value that is copied. A number is much shorter.
  private static let maximumLength = 64
  /// The properties that describe a map.
  private static let names: Set<String> = [
    "Version", "BaseRenditionIsHDR", "GainMapMin", "GainMapMax", "Gamma", "OffsetSDR", "OffsetHDR",
    "HDRCapacityMin", "HDRCapacityMax", "HDRGainMapVersion", "HDRGainMapHeadroom",
  ]

  let kind: GainMap.Kind
  let packet: XMPPacket?

  /// Returns how much brighter Apple's map can make a pixel, from its own packet or from the maker note.
  func headroom(_ exif: TIFFReader?) -> Double? {
    let stated = packet?.value(XMPPacket.Namespace.appleGainMap, "HDRGainMapHeadroom").flatMap { Double($0) }
    if let stated, stated.isFinite, stated > 0 { return stated }
    return kind == .apple ? exif.flatMap { EXIFValues($0).appleHeadroom } : nil
  }

  /// Returns an XMP packet with nothing but the values that describe the map.
  func strippedPacket(headroom: Double?) -> String? {
    guard let packet else { return nil }
    var attributes = ""
    var elements = ""
    func add(_ prefix: String, _ properties: [String: [String]]) {
      for (name, values) in properties.sorted(by: { $0.key < $1.key }) {
        guard Self.names.contains(name), values.allSatisfy(Self.isHarmless), values.count <= 3 else {
          continue
        }
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
    if type.first == Self.appleType {
      attributes += " apdi:AuxiliaryImageType=\"\(Self.appleType)\""
    }
    return Self.packet(attributes, elements)
  }

  /// Makes an XMP packet from attributes and elements of its description.
  static func packet(_ attributes: String, _ elements: String) -> String {
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

  /// Returns whether a value can be copied: a number, a version or a truth value, which need no escapes.
  static func isHarmless(_ text: String) -> Bool {
    guard text.utf8.count <= maximumLength else { return false }
    return ["true", "false"].contains(text.lowercased())
      || text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
  }
}
