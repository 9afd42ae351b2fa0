import Foundation

/// The records with metadata that a file contains, as stored.
struct MetadataRecords {
  /// The maximum size of one record. Larger ones are ignored, before memory is allocated for them.
  static let maximumBytes = 4 << 20
  /// The maximum number of chunks or blocks of a file.
  static let maximumParts = 1_000_000
  /// The maximum number of texts and comments.
  static let maximumTexts = 1_000

  var format: ImageFormat
  /// The size as stored; nil if the data ends before it.
  var size: PixelSize?
  /// The contents of EXIF data: a TIFF file without images.
  var exif: TIFFReader?
  var xmp: XMPPacket?
  var iptc: IPTCRecord?
  var profile: Data?
  /// The texts of a PNG by their keywords, in the order of the file.
  var texts: [(keyword: String, text: String)] = []
  var comments: [String] = []
  /// Pixels per inch, as the file states them outside of EXIF.
  var resolution: ImageMetadata.Resolution?
  /// The time of the last change that a PNG states.
  var modified: ImageMetadata.Timestamp?
  /// The orientation that the decoder applies: of a PNG, from any of its places; of a HEIC or AVIF, not that of EXIF data.
  var orientation: ImageOrientation?
  var gainMap: GainMap?
  /// The bytes of records that may still be read.
  var budget = RecordBudget()
  /// Why the file could not be read to its end.
  var problem: ImageError?

  /// Reads the records of a file. Damage after the size of the image ends the reading, and is not an error.
  static func read(_ source: any ByteSource) throws(ImageError) -> MetadataRecords {
    var records = MetadataRecords(format: try source.format())
    guard let reader = readers[records.format] else {
      throw ImageError(
        .unsupported, "Metadata of \(records.format.rawValue.uppercased()) images is not supported.")
    }
    do {
      try reader(&records, source)
    } catch {
      // An error of the disk is not damage of the image.
      if error.code == .unreadable { throw error }
      records.problem = error
    }
    guard records.size != nil else {
      throw records.problem ?? .truncated(records.format.rawValue.uppercased())
    }
    return records
  }

  private typealias Reader = @Sendable (inout MetadataRecords, any ByteSource) throws(ImageError) -> Void

  private static let readers: [ImageFormat: Reader] = [
    .jpeg: { (records, source) throws(ImageError) in try records.readJPEG(source) },
    .png: { (records, source) throws(ImageError) in try records.readPNG(source) },
    .webp: { (records, source) throws(ImageError) in try records.readWebP(source) },
    .gif: { (records, source) throws(ImageError) in try records.readGIF(source) },
    .heic: { (records, source) throws(ImageError) in try records.readHEIF(source) },
    .avif: { (records, source) throws(ImageError) in try records.readHEIF(source) },
  ]

  /// Reads a record; nil if it is too large, or over the budget.
  mutating func record(_ range: Range<Int>, in source: any ByteSource) throws(ImageError) -> [UInt8]? {
    guard range.count <= Self.maximumBytes, budget.take(range.count) else { return nil }
    return try source.bytes(range)
  }

  /// Takes EXIF data, as any format contains it: TIFF data with or without an `Exif` signature.
  mutating func takeEXIF(_ bytes: [UInt8]) {
    if exif == nil { exif = TIFFReader(bytes) }
  }

  /// Takes an XMP packet, as any format contains it. Properties of an earlier packet take precedence.
  mutating func takeXMP(_ bytes: some Collection<UInt8>) {
    let packet = XMPPacket(bytes)
    if xmp == nil { xmp = packet } else { xmp?.add(packet) }
  }

  /// Takes an IPTC record, with or without the resources of Photoshop around it.
  mutating func takeIPTC(_ bytes: some Collection<UInt8>) {
    guard iptc == nil else { return }
    iptc = bytes.first == 0x1C ? IPTCRecord(bytes) : IPTCRecord(photoshop: bytes)
  }

  mutating func takeComment(_ bytes: some Collection<UInt8>) {
    guard comments.count < Self.maximumTexts, let text = MetadataText.decode(bytes) else { return }
    comments.append(text)
  }
}

extension ImageError {
  static func tooManyParts(_ format: String) -> ImageError {
    ImageError(
      .tooLarge, "The \(format) image has more parts than the maximum of \(MetadataRecords.maximumParts).")
  }
}
