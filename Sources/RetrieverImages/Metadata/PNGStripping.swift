import CImageCodecs

/// Plans the copy of a PNG without its metadata. The chunks that decoders need for pixels, colors and animation are copied
/// unchanged; all others are left out, also unknown ones.
enum PNGStripping {
  /// A chunk `IEND` with its checksum.
  private static let emptyEnd: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]

  static func plan(_ source: any ByteSource) throws(ImageError) -> StrippingPlan {
    var before = StrippingPlan()
    var after = StrippingPlan()
    var orientation = PNGOrientation()
    var budget = RecordBudget()
    var kept = PNGKeptChunks()
    var hasEnd = false
    var end = 8
    try before.copy(0..<8)
    var chunks = PNGChunks(source)
    // Decoders tolerate a missing IEND.
    while end < source.count || !kept.hasPixels, let chunk = try chunks.next() {
      end = chunk.range.upperBound
      if chunk.name == "IEND" { hasEnd = true }
      if PNGOrientation.reads(chunk.name), chunk.data.count <= MetadataRecords.maximumBytes {
        orientation.take(chunk.name, try source.bytes(chunk.data))
      }
      if chunk.name == "IDAT" { orientation.beginPixels() }
      if chunk.name == "IEND", !chunk.data.isEmpty {
        // Decoders stop before its data.
        before.leaveOut(.otherData)
        try after.make(emptyEnd)
        continue
      }
      switch try kept.decide(on: chunk, in: source) {
      case .copy: if kept.hasPixels { try after.copy(chunk.range) } else { try before.copy(chunk.range) }
      case .replace(let data):
        try before.make(made(chunk.name, data))
        before.leaveOut(.otherData)
      case .leaveOut: try leaveOut(chunk, source, &budget, &before)
      }
    }
    guard kept.hasPixels else { throw ImageError(.corrupt, "The PNG image is damaged: it has no pixels.") }
    if end < source.count { before.leaveOut(.otherData) }
    if !hasEnd { try after.make(emptyEnd) }
    if let tiff = MinimalEXIF.tiff(orientation.value) {
      try before.make(made("eXIf", tiff))
    }
    try before.add(after)
    return before
  }

  private static func made(_ name: String, _ data: [UInt8]) -> [UInt8] {
    let body = Array(name.utf8) + data
    let checksum = body.withUnsafeBytes { codec_crc32($0.bytes, $0.count) }
    return BigEndian.bytes(data.count, 4) + body + BigEndian.bytes(Int(checksum), 4)
  }

  private static func leaveOut(
    _ chunk: PNGChunks.Chunk, _ source: any ByteSource, _ budget: inout RecordBudget,
    _ plan: inout StrippingPlan
  ) throws(ImageError) {
    switch chunk.name {
    case "eXIf":
      guard chunk.data.count <= MetadataRecords.maximumBytes, budget.take(chunk.data.count) else {
        return plan.leaveOut(.exif)
      }
      plan.leaveOut(MinimalEXIF(try source.bytes(chunk.data)).leftOut)
    case "tIME": plan.leaveOut(.time)
    case "tEXt", "zTXt", "iTXt":
      guard chunk.data.count <= MetadataRecords.maximumBytes else { return plan.leaveOut(.text) }
      let keyword = PNGText(name: chunk.name, data: try source.bytes(chunk.data))?.keyword ?? ""
      switch ImageMagickProfile.kind(keyword) {
      case "exif", "app1": plan.leaveOut(.exif)
      case "iptc", "8bim": plan.leaveOut(.iptc)
      default: plan.leaveOut(keyword == "XML:com.adobe.xmp" ? .xmp : .text)
      }
    default: plan.leaveOut(.otherData)
    }
  }
}
