/// The properties of an XMP packet, which is RDF in XML.
///
/// Simple properties and lists of texts are read; of nested structures, only the items of a container directory, which
/// lists the parts of a picture with a gain map.
struct XMPPacket {
  /// The namespaces of the properties that this library uses.
  enum Namespace {
    static let dublinCore = "http://purl.org/dc/elements/1.1/"
    static let xmp = "http://ns.adobe.com/xap/1.0/"
    static let xmpNote = "http://ns.adobe.com/xmp/note/"
    static let tiff = "http://ns.adobe.com/tiff/1.0/"
    static let exif = "http://ns.adobe.com/exif/1.0/"
    static let exifExtended = "http://cipa.jp/exif/1.0/"
    static let lens = "http://ns.adobe.com/exif/1.0/aux/"
    static let photoshop = "http://ns.adobe.com/photoshop/1.0/"
    static let gainMap = "http://ns.adobe.com/hdr-gain-map/1.0/"
    static let appleGainMap = "http://ns.apple.com/HDRGainMap/1.0/"
    static let applePixels = "http://ns.apple.com/pixeldatainfo/1.0/"
    static let containerItem = "http://ns.google.com/photos/1.0/container/item/"
  }

  static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
  private static let language = XMLName(namespace: "http://www.w3.org/XML/1998/namespace", local: "lang")
  private static let maximumValues = 4_096

  /// The values of each property. The default language of a translated text is the first value.
  private var properties: [XMLName: [String]] = [:]
  /// The attributes of each item of a container directory, by their local names.
  private(set) var items: [[String: String]] = []

  private var valueCount = 0

  /// Reads a packet up to its end or to the first place that is not XML.
  init(_ bytes: some Collection<UInt8>) {
    var scanner = XMLScanner(bytes)
    var position = Position()
    while let event = scanner.next(), valueCount < Self.maximumValues {
      switch event {
      case .start(let name, let attributes): start(name, attributes, &position)
      case .text(let text): position.append(text)
      case .end: end(&position)
      }
    }
  }

  /// Returns all values of a property; empty if it does not exist.
  func values(_ namespace: String, _ name: String) -> [String] {
    properties[XMLName(namespace: namespace, local: name)] ?? []
  }

  /// Returns the first value of a property that is not empty.
  func value(_ namespace: String, _ name: String) -> String? {
    values(namespace, name).lazy.compactMap { MetadataText.trimmed($0) }.first
  }

  /// Returns whether the packet has properties of a namespace.
  func uses(_ namespace: String) -> Bool { properties.keys.contains { $0.namespace == namespace } }

  /// All properties of a namespace, by their local names.
  func properties(of namespace: String) -> [String: [String]] {
    var found: [String: [String]] = [:]
    for (name, values) in properties where name.namespace == namespace { found[name.local] = values }
    return found
  }

  /// Takes the properties that this packet does not have from another one, such as the extension of a JPEG's packet.
  mutating func add(_ other: XMPPacket) {
    properties.merge(other.properties) { own, _ in own }
    items += other.items
  }

  // MARK: Reading

  /// A place in the tree: RDF, a description, a property, a list, and an entry of the list.
  private struct Position {
    var path: [XMLName] = []
    /// The depth of the innermost `rdf:RDF`.
    var rdf: Int?
    var text = ""
    var isDefaultLanguage = false
    /// The number of values that the current property already has.
    var listed = 0

    /// The number of elements within `rdf:RDF`.
    var depth: Int? { rdf.map { path.count - $0 } }
    /// The name of the current property.
    var property: XMLName? {
      guard let rdf, path.count >= rdf + 2,
        path[rdf] == XMLName(namespace: XMPPacket.rdf, local: "Description")
      else { return nil }
      return path[rdf + 1]
    }
    var isEntry: Bool {
      depth == 4 && path.last == XMLName(namespace: XMPPacket.rdf, local: "li")
    }

    mutating func append(_ more: String) {
      guard depth == 2 || isEntry, text.utf8.count < MetadataText.maximumBytes else { return }
      text += more
    }
  }

  private mutating func start(_ name: XMLName, _ attributes: [XMLName: String], _ position: inout Position) {
    position.path.append(name)
    if name == XMLName(namespace: Self.rdf, local: "RDF"), position.rdf == nil {
      position.rdf = position.path.count
      return
    }
    let item = attributes.filter { $0.key.namespace == Namespace.containerItem }
    if !item.isEmpty {
      valueCount += 1
      items.append(Dictionary(item.map { ($0.key.local, $0.value) }) { first, _ in first })
    }
    switch position.depth {
    case 1 where name == XMLName(namespace: Self.rdf, local: "Description"):
      for (key, value) in attributes where !key.namespace.isEmpty && key.namespace != Self.rdf {
        add(value, to: key, isFirst: false)
      }
    case 2:
      position.text = ""
      position.listed = 0
    case 4:
      position.text = ""
      position.isDefaultLanguage = attributes[Self.language] == "x-default"
    default: break
    }
  }

  private mutating func end(_ position: inout Position) {
    if let property = position.property {
      if position.isEntry {
        add(position.text, to: property, isFirst: position.isDefaultLanguage)
        position.listed += 1
        position.text = ""
      } else if position.depth == 2, position.listed == 0, MetadataText.trimmed(position.text) != nil {
        add(position.text, to: property, isFirst: false)
      }
    }
    if position.depth == 0 { position.rdf = nil }
    _ = position.path.popLast()
  }

  private mutating func add(_ value: String, to name: XMLName, isFirst: Bool) {
    valueCount += 1
    if isFirst {
      properties[name, default: []].insert(value, at: 0)
    } else {
      properties[name, default: []].append(value)
    }
  }
}
