import Foundation

extension MetadataRecords {
  /// Reads the segments before the first scan, and the gain map after the pixels. The pixels are not read.
  mutating func readJPEG(_ source: any ByteSource) throws(ImageError) {
    let found = try JPEGSegments(source)
    size = try found.size(source)
    var profileParts: [[UInt8]] = []
    var extensionParts: [[UInt8]] = []
    for segment in found.segments {
      if segment.marker == 0xFE { takeComment(try source.bytes(segment.payload)) }
      guard let kind = try JPEGApplication.kind(of: segment, in: source) else { continue }
      let payload = try source.bytes(segment.payload)
      let contents = payload.dropFirst(kind.signature.count)
      switch kind {
      case .jfif: resolution = resolution ?? Self.jfifResolution(contents)
      case .exif:
        // As in the decoder, only the first one counts.
        orientation = orientation ?? EXIFOrientation.read(payload) ?? .up
        takeEXIF(Array(contents))
      case .xmp: if budget.take(contents.count) { takeXMP(contents) }
      case .extendedXMP: extensionParts.append(payload)
      case .profile: profileParts.append(payload)
      case .photoshop: takeIPTC(contents)
      case .multiPicture, .gainMapVersion, .adobe: break
      }
    }
    profile = Self.profile(profileParts)
    takeExtension(extensionParts)
    problem = found.problem
    gainMap = try JPEGGainMap.find(source, found, primary: xmp, exif: exif)?.gainMap(source, exif: exif)
  }

  private static func jfifResolution(_ contents: ArraySlice<UInt8>) -> ImageMetadata.Resolution? {
    // The version, the unit, and two densities.
    let fields = Array(contents.prefix(7))
    guard fields.count == 7 else { return nil }
    return ImageMetadata.Resolution(
      horizontal: Double(Int(fields[3]) << 8 | Int(fields[4])),
      vertical: Double(Int(fields[5]) << 8 | Int(fields[6])),
      unit: fields[2] == 1 ? .inch : fields[2] == 2 ? .centimeter : nil)
  }

  /// Joins the segments of a color profile.
  static func profile(_ parts: [[UInt8]]) -> Data? {
    var joined: [UnsafeRawBufferPointer] = []
    func join(_ rest: ArraySlice<[UInt8]>) -> Data? {
      guard let part = rest.first else { return ICCSegments.join(joined) }
      return part.withUnsafeBytes { bytes in
        joined.append(bytes)
        return join(rest.dropFirst())
      }
    }
    return parts.count <= 255 ? join(parts[...]) : nil
  }

  /// Joins the parts of an extended XMP packet: each has an identifier, the total length, and its own position.
  private mutating func takeExtension(_ parts: [[UInt8]]) {
    let head = JPEGApplication.extendedXMP.signature.count
    guard let first = parts.first, first.count >= head + 40,
      let wanted = xmp?.value(XMPPacket.Namespace.xmpNote, "HasExtendedXMP")
    else { return }
    func number(_ part: [UInt8], _ offset: Int) -> Int {
      part[(head + offset)..<(head + offset + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    let total = number(first, 32)
    guard total > 0, total <= Self.maximumBytes else { return }
    var packet = [UInt8](repeating: 0x20, count: total)
    for part in parts where part.count > head + 40 && part[head..<head + 32].elementsEqual(wanted.utf8) {
      let offset = number(part, 36)
      let contents = part[(head + 40)...]
      guard number(part, 32) == total, offset <= total - contents.count else { return }
      packet.replaceSubrange(offset..<offset + contents.count, with: contents)
    }
    takeXMP(packet)
  }
}
