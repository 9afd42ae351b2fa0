import Foundation

/// The gain map of a HEIC or AVIF: an image that a `tmap` item combines with the main image (ISO 21496-1), or an auxiliary
/// image, as Apple's cameras write it.
struct HEIFGainMap {
  let description: GainMapDescription
  /// The image of the map.
  let item: UInt32
  /// The item with the parameters of ISO 21496-1.
  let toneMap: UInt32?
  /// The item with the XMP packet of the map.
  let packetItem: UInt32?

  /// Returns nil if the main image has no gain map.
  init?(_ file: HEIFFile) throws(ImageError) {
    let meta = file.meta
    toneMap = meta.sources(of: "dimg", to: file.primary).first { item in
      let inputs = meta.targets(of: "dimg", from: item)
      return meta.types[item] == "tmap" && inputs.count == 2 && inputs[0] == file.primary
        && inputs[1] != file.primary
    }
    let auxiliary = meta.sources(of: "auxl", to: file.primary).first { item in
      let properties = try? HEIFProperties(of: item, in: meta, ignoresUnsupported: true)
      return properties?.auxiliaryType == GainMapDescription.appleType
    }
    guard let item = toneMap.map({ meta.targets(of: "dimg", from: $0)[1] }) ?? auxiliary else { return nil }
    self.item = item
    var packetItem: UInt32?
    var packet: XMPPacket?
    for item in file.descriptions(of: item) where packet == nil && file.description(item) == .xmp {
      packetItem = item
      packet = try file.data(of: item, maximum: MetadataRecords.maximumBytes).map { XMPPacket($0) }
    }
    self.packetItem = packet == nil ? nil : packetItem
    description = GainMapDescription(kind: toneMap == nil ? .apple : .ultraHDR, packet: packet)
  }

  /// Returns the map with its parameters; nil if it is too large.
  func gainMap(_ file: HEIFFile, exif: TIFFReader?) throws(ImageError) -> GainMap? {
    let properties = try HEIFProperties(of: item, in: file.meta, ignoresUnsupported: true)
    guard let size = properties.size, let data = try HEIFWriting.file(of: item, in: file) else { return nil }
    // The data begins with a version, which is 0.
    let iso = try toneMap.flatMap { (item) throws(ImageError) in try file.data(of: item, maximum: 4_096) }
    let parameters = iso.flatMap { $0.first == 0 ? GainMap.Parameters(iso: $0.dropFirst()) : nil }
    return GainMap(
      kind: description.kind, data: Data(data), pixelWidth: size.width, pixelHeight: size.height,
      parameters: parameters ?? description.packet.flatMap { GainMap.Parameters($0) },
      headroom: description.headroom(exif))
  }
}
