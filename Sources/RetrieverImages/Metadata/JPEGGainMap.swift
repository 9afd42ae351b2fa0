import Foundation

/// The place of the gain map in a JPEG, which is a second JPEG after the first one.
struct JPEGGainMap {
  private static let maximumImages = 16

  let description: GainMapDescription
  /// The bytes of the second image.
  let range: Range<Int>
  let segments: JPEGSegments
  /// The description by ISO 21496-1, without its signature.
  private let iso: [UInt8]?

  /// Returns the gain map of an image; nil if it has none.
  ///
  /// The index of a multi-picture file says where it is. Files without one have a container directory in their XMP packet.
  static func find(
    _ source: any ByteSource, _ image: JPEGSegments, primary: XMPPacket?, exif: TIFFReader?
  ) throws(ImageError) -> JPEGGainMap? {
    guard let scan = image.scan else { return nil }
    var candidates: [Range<Int>] = []
    for segment in image.segments where segment.marker == 0xE2 {
      guard try JPEGApplication.kind(of: segment, in: source) == .multiPicture else { continue }
      candidates = MultiPictureIndex.images(
        try source.bytes(segment.payload), at: segment.payload.lowerBound)
      break
    }
    if candidates.isEmpty, let place = primary.flatMap({ containerItem($0, end: source.count) }) {
      candidates = [place]
    }
    for range in candidates.prefix(maximumImages)
    where range.lowerBound > scan && range.upperBound <= source.count {
      if let map = try JPEGGainMap(source, range) { return map }
    }
    return nil
  }

  /// Returns the place of the container item that is a gain map: the items follow each other up to the end of the file.
  private static func containerItem(_ packet: XMPPacket, end: Int) -> Range<Int>? {
    var upper = end
    for item in packet.items.dropFirst().reversed() {
      guard let length = item["Length"].flatMap({ Int($0) }), length > 0, length < upper else { return nil }
      if item["Semantic"] == "GainMap" { return (upper - length)..<upper }
      upper -= length
    }
    return nil
  }

  /// Returns nil if the image in this range is not a gain map.
  private init?(_ source: any ByteSource, _ range: Range<Int>) throws(ImageError) {
    segments = try JPEGSegments(source, at: range.lowerBound)
    guard let scan = segments.scan, scan < range.upperBound else { return nil }
    var packet: XMPPacket?
    var iso: [UInt8]?
    for segment in segments.segments {
      let kind = try JPEGApplication.kind(of: segment, in: source)
      guard let kind, kind == .xmp || kind == .gainMapVersion else { continue }
      let contents = try source.bytes(segment.payload).dropFirst(kind.signature.count)
      if kind == .xmp { packet = packet ?? XMPPacket(contents) } else { iso = iso ?? Array(contents) }
    }
    let isApple =
      packet.map {
        $0.uses(XMPPacket.Namespace.appleGainMap)
          || $0.value(XMPPacket.Namespace.applePixels, "AuxiliaryImageType") == GainMapDescription.appleType
      } ?? false
    guard isApple || iso != nil || packet?.uses(XMPPacket.Namespace.gainMap) == true else { return nil }
    description = GainMapDescription(kind: isApple && iso == nil ? .apple : .ultraHDR, packet: packet)
    self.iso = iso
    self.range = range
  }

  /// Returns the map with its parameters; nil if it is too large.
  func gainMap(_ source: any ByteSource, exif: TIFFReader?) throws(ImageError) -> GainMap? {
    guard range.count <= GainMap.maximumBytes, let size = try segments.size(source) else { return nil }
    return GainMap(
      kind: description.kind, data: Data(try source.bytes(range)), pixelWidth: size.width,
      pixelHeight: size.height,
      parameters: description.packet.flatMap { GainMap.Parameters($0) }
        ?? iso.flatMap { GainMap.Parameters(iso: $0) },
      headroom: description.headroom(exif))
  }
}

/// The index of a file with several JPEG images (CIPA DC-007): an APP2 segment of the first image.
enum MultiPictureIndex {
  /// The size of a segment that ``segment(primary:position:others:)`` makes for one other image.
  static let segmentSize = 90

  /// Returns the places of the images after the first one. They may be outside of the file.
  ///
  /// - Parameters:
  ///   - payload: The contents of the segment, with its signature.
  ///   - position: The position of the contents in the file.
  static func images(_ payload: [UInt8], at position: Int) -> [Range<Int>] {
    let signature = JPEGApplication.multiPicture.signature.count
    guard let tiff = TIFFReader(payload.dropFirst(signature)), let entries = tiff.first?.value(0xB002) else {
      return []
    }
    let base = position + signature
    return (1..<max(1, entries.bytes.count / 16)).compactMap { index in
      let entry = entries.offset + 16 * index
      guard let size = tiff.number(at: entry + 4, size: 4), let offset = tiff.number(at: entry + 8, size: 4),
        size > 0, offset > 0
      else { return nil }
      return (base + offset)..<(base + offset + size)
    }
  }

  /// Makes a segment for a file with two images.
  ///
  /// - Parameters:
  ///   - first: The size of the first image.
  ///   - second: The size of the second image, which follows the first one immediately.
  ///   - position: The position of the segment in the file.
  static func segment(first: Int, second: Int, position: Int) throws(ImageError) -> [UInt8] {
    // Offsets count from the TIFF header, which follows the marker, the length and the signature.
    let header = position + 8
    guard first + second <= Int(UInt32.max) else {
      throw ImageError(.tooLarge, "The JPEG image is too large for an index of several pictures.")
    }
    func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      BigEndian.bytes(tag, 2) + BigEndian.bytes(type, 2) + BigEndian.bytes(count, 4) + value
    }
    let tiff =
      Array("MM\0*".utf8) + BigEndian.bytes(8, 4) + BigEndian.bytes(3, 2)
      + entry(0xB000, 7, 4, Array("0100".utf8)) + entry(0xB001, 4, 1, BigEndian.bytes(2, 4))
      + entry(0xB002, 7, 32, BigEndian.bytes(50, 4)) + BigEndian.bytes(0, 4)
      + BigEndian.bytes(0x030000, 4) + BigEndian.bytes(first, 4) + [UInt8](repeating: 0, count: 8)
      + BigEndian.bytes(0, 4) + BigEndian.bytes(second, 4) + BigEndian.bytes(first - header, 4)
      + [UInt8](repeating: 0, count: 4)
    return JPEGWriting.segment(0xE2, JPEGApplication.multiPicture.signature + tiff)
  }
}
