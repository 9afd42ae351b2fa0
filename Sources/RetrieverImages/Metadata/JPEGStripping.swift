import Foundation

/// Plans the copy of a JPEG without its metadata.
///
/// The tables, the frame and the compressed pixels are copied unchanged, with the color profile and Adobe's color
/// transform. Of EXIF data, only the orientation remains. Of the images after the first one, only a gain map remains,
/// whose own metadata is removed too.
enum JPEGStripping {
  /// The number of bytes in an Adobe segment that have a meaning: the last one is the color transform.
  private static let adobeSize = 12

  static func plan(_ source: any ByteSource) throws(ImageError) -> StrippingPlan {
    let image = try JPEGSegments(source)
    if let problem = image.problem { throw problem }
    let records = try primaryRecords(source, image)
    let map = try JPEGGainMap.find(source, image, primary: records.xmp, exif: records.exif)
    guard let map, let (mapPlan, head) = try copy(of: map, source, records.xmp, exif: records.exif) else {
      var (plan, _, end) = try strip(
        source, image, start: 0, limit: source.count, adding: [], isMapped: false)
      if end < source.count { plan.leaveOut(.otherData) }
      return plan
    }
    let index = [UInt8](repeating: 0, count: MultiPictureIndex.segmentSize)
    var (plan, added, end) = try strip(
      source, image, start: 0, limit: map.range.lowerBound, adding: head + index, isMapped: true)
    let segment = try MultiPictureIndex.segment(
      first: plan.byteCount, second: mapPlan.byteCount, position: plan.position(of: added) + head.count)
    plan.replace(added, with: head + segment)
    if end < map.range.lowerBound || map.range.upperBound < source.count { plan.leaveOut(.otherData) }
    try plan.add(mapPlan)
    return plan
  }

  /// Plans the copy of a gain map.
  ///
  /// - Returns: The plan, and the segment of the main image that says where the map is; nil if the map is damaged, and left out.
  private static func copy(
    of map: JPEGGainMap, _ source: any ByteSource, _ primary: XMPPacket?, exif: TIFFReader?
  ) throws(ImageError) -> (plan: StrippingPlan, head: [UInt8])? {
    let headroom = map.description.headroom(exif)
    let packet = map.description.strippedPacket(headroom: headroom).map { JPEGWriting.xmp($0) } ?? []
    do throws(ImageError) {
      var (plan, _, end) = try strip(
        source, map.segments, start: map.range.lowerBound, limit: map.range.upperBound, adding: packet,
        isMapped: true)
      if end < map.range.upperBound { plan.leaveOut(.otherData) }
      let version = primary?.value(XMPPacket.Namespace.gainMap, "Version")
      let head = version.map {
        JPEGWriting.xmp(JPEGGainMap.primaryPacket(version: $0, length: plan.byteCount))
      }
      return (plan, head ?? [])
    } catch {
      guard error.code == .unsupported else { throw error }
      return nil
    }
  }

  /// Returns the segments of the color profile without bytes that belong to no profile; nil if they stay as they are.
  private static func profile(
    _ image: JPEGSegments, _ source: any ByteSource
  ) throws(ImageError) -> [UInt8]? {
    var parts: [[UInt8]] = []
    for segment in image.segments where segment.marker == 0xE2 {
      guard try JPEGApplication.kind(of: segment, in: source) == .profile else { continue }
      guard parts.count < 255 else { return [] }
      parts.append(try source.bytes(segment.payload))
    }
    guard let profile = MetadataRecords.profile(parts), let size = ICCHeader.statedSize(of: profile) else {
      return []
    }
    return size < profile.count ? JPEGWriting.profile(profile.prefix(size)) : nil
  }

  /// Returns the records that say where a gain map is and what it means.
  private static func primaryRecords(
    _ source: any ByteSource, _ image: JPEGSegments
  ) throws(ImageError) -> (xmp: XMPPacket?, exif: TIFFReader?) {
    var records: (xmp: XMPPacket?, exif: TIFFReader?)
    for segment in image.segments where segment.marker == 0xE1 {
      let kind = try JPEGApplication.kind(of: segment, in: source)
      guard let kind, kind == .xmp || kind == .exif else { continue }
      let contents = try source.bytes(segment.payload).dropFirst(kind.signature.count)
      if kind == .xmp { records.xmp = records.xmp ?? XMPPacket(contents) }
      if kind == .exif { records.exif = records.exif ?? TIFFReader(contents) }
    }
    return records
  }

  /// Plans the copy of one image.
  ///
  /// - Parameters:
  ///   - start: The position of the image in the file.
  ///   - limit: The position where the image ends at the latest.
  ///   - segments: New segments.
  ///   - isMapped: Whether segments that describe a gain map stay.
  /// - Returns: The plan, the index of its part with the new segments, and the end of the image in the file.
  private static func strip(
    _ source: any ByteSource, _ image: JPEGSegments, start: Int, limit: Int, adding segments: [UInt8],
    isMapped: Bool
  ) throws(ImageError) -> (plan: StrippingPlan, added: Int, end: Int) {
    guard let scan = image.scan else { throw image.problem ?? .truncated("JPEG") }
    var plan = StrippingPlan()
    if image.hasUnknownBytes { plan.leaveOut(.otherData) }
    try plan.copy(start..<start + 2)
    var copied = StrippingPlan()
    var newProfile = try profile(image, source)
    var jfif: [UInt8] = []
    var orientation: ImageOrientation?
    var (hasEXIF, hasVersion, hasIndex) = (false, false, false)
    for segment in image.segments {
      let kind = try JPEGApplication.kind(of: segment, in: source)
      switch kind {
      case .jfif:
        let fields = try source.bytes(segment.payload)
        guard jfif.isEmpty, fields.count >= 14 else {
          if fields.count > 14 { plan.leaveOut(.thumbnail) }
          continue
        }
        // The last two fields are the size of a thumbnail, which follows.
        if fields.count > 14 { plan.leaveOut(.thumbnail) }
        jfif = JPEGWriting.segment(0xE0, Array(fields[..<12]) + [0, 0])
      case .exif:
        let exif = MinimalEXIF(try source.bytes(segment.payload))
        // As in the decoder, only the first one counts.
        if hasEXIF { plan.leaveOut(.exif) } else { orientation = exif.orientation }
        hasEXIF = true
        plan.leaveOut(exif.leftOut)
      case .profile:
        guard let profile = newProfile else {
          try copied.copy(segment.start..<segment.payload.upperBound)
          continue
        }
        if !profile.isEmpty { try copied.make(profile) }
        newProfile = []
        plan.leaveOut(.otherData)
      case .adobe where segment.payload.count > adobeSize:
        let fields = try source.bytes(segment.payload).prefix(adobeSize)
        try copied.make(JPEGWriting.segment(0xEE, Array(fields)))
        plan.leaveOut(.otherData)
      case .adobe: try copied.copy(segment.start..<segment.payload.upperBound)
      case .gainMapVersion where isMapped && !hasVersion:
        hasVersion = true
        let size = try versionSize(segment.payload, source)
        if segment.payload.count > size { plan.leaveOut(.otherData) }
        try copied.make(JPEGWriting.segment(0xE2, Array(try source.bytes(segment.payload).prefix(size))))
      case .xmp where segments.starts(with: try source.bytes(segment.start..<segment.payload.upperBound)):
        break
      case .xmp, .extendedXMP: plan.leaveOut(.xmp)
      case .photoshop: plan.leaveOut(.iptc)
      case .multiPicture where isMapped && !hasIndex: hasIndex = true
      case .multiPicture, .gainMapVersion: plan.leaveOut(.otherData)
      case nil:
        if JPEGSegments.isNeeded(segment.marker, count: segment.payload.count) {
          try copied.copy(segment.start..<segment.payload.upperBound)
        } else {
          plan.leaveOut(segment.marker == 0xFE ? .comment : .otherData)
        }
      }
    }
    let exif = MinimalEXIF.tiff(orientation).map {
      JPEGWriting.segment(0xE1, JPEGApplication.exif.signature + $0)
    }
    try plan.make(jfif + (exif ?? []))
    let added = try plan.make(segments)
    try plan.add(copied)
    let end = try copyScans(source, from: scan, limit: limit, into: &plan)
    return (plan, added, end)
  }

  /// The number of bytes of a description of a gain map that have a meaning.
  private static func versionSize(_ payload: Range<Int>, _ source: any ByteSource) throws(ImageError) -> Int {
    let signature = JPEGApplication.gainMapVersion.signature.count
    let contents = try source.bytes(payload).dropFirst(signature)
    return signature + (GainMap.Parameters.isoSize(of: contents) ?? 4)
  }

  /// Copies the scans and the tables between them, without anything that decoders do not need. Returns the end of the
  /// image.
  ///
  /// - Throws: ``ImageError/Code/unsupported`` if the end is missing or damaged.
  private static func copyScans(
    _ source: any ByteSource, from scan: Int, limit: Int, into plan: inout StrippingPlan
  ) throws(ImageError) -> Int {
    var start = scan
    var offset = scan
    var count = 0
    var isAfterSegment = true
    while let found = try nextMarker(source, from: offset, limit: limit) {
      let (position, marker) = (found.position, found.marker)
      if isAfterSegment, found.start > offset {
        // Decoders skip what is between two segments.
        try plan.copy(start..<offset)
        plan.leaveOut(.otherData)
        start = found.start
      }
      if marker == 0xD9 {
        try plan.copy(start..<position + 2)
        return position + 2
      }
      count += 1
      guard count <= JPEGSegments.maximumSegments else { throw .tooManySegments }
      guard let field = try source.exactly(2, at: position + 2), position + 4 <= limit else { break }
      let end = position + 2 + (Int(field[0]) << 8 | Int(field[1]))
      guard end >= position + 4, end <= limit else { break }
      if !JPEGSegments.isNeeded(marker, count: end - position - 4) {
        try plan.copy(start..<found.start)
        plan.leaveOut(marker == 0xFE ? .comment : .otherData)
        start = end
      }
      offset = end
      // Compressed pixels follow the header of a scan.
      isAfterSegment = marker != 0xDA
    }
    // Decoders tolerate this. But what follows the pixels looks like pixels, so it cannot be left out.
    throw .noEndOfJPEG
  }

  /// Finds the next marker that is not part of the compressed pixels.
  ///
  /// - Returns: The marker and its position, and the start of the fill bytes before it, which are also 0xFF.
  private static func nextMarker(
    _ source: any ByteSource, from first: Int, limit: Int
  ) throws(ImageError) -> (start: Int, position: Int, marker: UInt8)? {
    // The next marker is either near or far.
    var pieceSize = 4 << 10
    var offset = first
    var fill: Range<Int>?
    while offset < limit - 1 {
      // The last byte is read again with the next piece, because it may be the first byte of a marker.
      let piece = try source.bytes(offset..<min(offset + pieceSize, limit))
      guard piece.count >= 2 else { return nil }
      var index = 0
      while let found = next(0xFF, in: piece, from: index), found < piece.count - 1 {
        let position = offset + found
        let start = fill?.upperBound == position ? fill?.lowerBound ?? position : position
        fill = start..<position + 1
        let marker = piece[found + 1]
        // 0 is an escaped 0xFF, 0xFF a fill byte, and the others restart the decoder.
        if marker != 0, marker != 0xFF, marker != 0x01, !(0xD0...0xD8).contains(marker) {
          return (start, position, marker)
        }
        index = found + 1
      }
      offset += piece.count - 1
      pieceSize = 256 << 10
    }
    return nil
  }

  private static func next(_ byte: UInt8, in bytes: [UInt8], from index: Int) -> Int? {
    bytes.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress, index < bytes.count,
        let found = memchr(base + index, Int32(byte), bytes.count - index)
      else { return nil }
      return base.distance(to: UnsafeRawPointer(found))
    }
  }
}

extension ImageError {
  fileprivate static let noEndOfJPEG = ImageError(
    .unsupported,
    "The JPEG image has no valid end, so data after its pixels cannot be found. Save it again in an image editor."
  )
}
