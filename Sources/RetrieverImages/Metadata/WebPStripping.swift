/// Plans the copy of a WebP without its metadata. The chunks of pixels, animation and colors are copied unchanged; all
/// others are left out, also unknown ones.
enum WebPStripping {
  /// The size of the data in a VP8X chunk that has a meaning.
  private static let featuresSize = 10
  /// The size of the data in an ANIM chunk that has a meaning.
  private static let animationSize = 6

  static func plan(_ source: any ByteSource) throws(ImageError) -> StrippingPlan {
    var body = StrippingPlan()
    var features: (index: Int, bytes: [UInt8])?
    var orientation: ImageOrientation?
    var (hasEXIF, hasInvalidProfile) = (false, false)
    var end = 12
    var order = WebPChunkOrder()
    var chunks = try RIFFChunks(source)
    while let chunk = try chunks.next() {
      end = chunk.range.upperBound
      let isUsed = order.uses(chunk.name)
      switch chunk.name {
      case "VP8X" where isUsed:
        guard chunk.data.count >= featuresSize else { throw WebPFile.damaged("its VP8X chunk is too short") }
        var bytes = try source.bytes(chunk.data.prefix(featuresSize))
        order.readFlags(bytes[0])
        bytes[0] &= ~(WebPFile.exifFlag | WebPFile.xmpFlag)
        bytes = Array("VP8X".utf8) + little(featuresSize) + bytes
        features = (try body.make(bytes), bytes)
        if chunk.data.count > featuresSize { body.leaveOut(.otherData) }
      case "ANIM" where isUsed && chunk.data.count > animationSize:
        body.leaveOut(.otherData)
        try body.make(Array("ANIM".utf8) + little(animationSize))
        try body.copy(chunk.data.prefix(animationSize))
      case "ICCP" where isUsed:
        guard let profile = try profile(chunk, source) else {
          body.leaveOut(.otherData)
          hasInvalidProfile = true
          continue
        }
        if profile.count == chunk.data.count {
          try copy(chunk, into: &body)
        } else {
          body.leaveOut(.otherData)
          try body.make(WebPFile.chunk("ICCP", profile))
        }
      case "ICCP", "ANIM", "ALPH", "VP8 ", "VP8L":
        if isUsed { try copy(chunk, into: &body) } else { body.leaveOut(.otherData) }
      case "ANMF":
        if isUsed { try copyFrame(chunk, source, &order, into: &body) } else { body.leaveOut(.otherData) }
      case "EXIF":
        guard chunk.data.count <= MetadataRecords.maximumBytes else {
          body.leaveOut(.exif)
          continue
        }
        let exif = MinimalEXIF(try source.bytes(chunk.data))
        // Our decoders ignore the orientation of an animation, but others may not.
        if isUsed || order.isAnimated && !hasEXIF {
          orientation = exif.orientation
        } else {
          body.leaveOut(.exif)
        }
        hasEXIF = true
        body.leaveOut(exif.leftOut)
      case "XMP ": body.leaveOut(.xmp)
      default: body.leaveOut(.otherData)
      }
    }
    if end < source.count { body.leaveOut(.otherData) }
    if hasInvalidProfile { features?.bytes[8] &= ~WebPFile.profileFlag }
    let tiff = MinimalEXIF.tiff(orientation)
    if tiff != nil { features?.bytes[8] |= WebPFile.exifFlag }
    if let features { body.replace(features.index, with: features.bytes) }
    if let tiff, features != nil {
      try body.make(Array("EXIF".utf8) + little(tiff.count) + tiff)
    }
    guard body.byteCount + 4 <= Int(UInt32.max) else {
      throw ImageError(.tooLarge, "The WebP image is larger than its format allows.")
    }
    var plan = StrippingPlan()
    try plan.make(Array("RIFF".utf8) + little(body.byteCount + 4) + Array("WEBP".utf8))
    try plan.add(body)
    return plan
  }

  /// Returns a color profile of the size that it states; nil if it is invalid.
  private static func profile(
    _ chunk: RIFFChunks.Chunk, _ source: any ByteSource
  ) throws(ImageError) -> [UInt8]? {
    guard chunk.data.count <= RecordBudget.maximumBytes else { return nil }
    let profile = try source.bytes(chunk.data)
    return ICCHeader.statedSize(of: profile).map { Array(profile.prefix($0)) }
  }

  /// Copies a chunk with its padding, which is added if it is missing at the end of the file.
  private static func copy(_ chunk: RIFFChunks.Chunk, into plan: inout StrippingPlan) throws(ImageError) {
    try plan.copy(chunk.range)
    if !chunk.range.count.isMultiple(of: 2) { try plan.make([0]) }
  }

  /// Copies a frame of an animation without unknown chunks in it.
  private static func copyFrame(
    _ frame: RIFFChunks.Chunk, _ source: any ByteSource, _ order: inout WebPChunkOrder,
    into plan: inout StrippingPlan
  ) throws(ImageError) {
    let headSize = RIFFChunkParser.frameHeadSize
    guard frame.data.count >= headSize else {
      throw WebPFile.damaged("a frame header is too short")
    }
    let first = frame.data.lowerBound
    var contents = StrippingPlan()
    try contents.copy(first..<first + headSize)
    var chunks = RIFFChunks(source, (first + headSize)..<frame.data.upperBound)
    while let chunk = try chunks.next() {
      if order.uses(chunk.name, isInFrame: true) {
        try copy(chunk, into: &contents)
      } else {
        plan.leaveOut(.otherData)
      }
    }
    if contents.byteCount == frame.data.count { return try copy(frame, into: &plan) }
    try plan.make(Array("ANMF".utf8) + little(contents.byteCount))
    try plan.add(contents)
  }

  private static func little(_ value: Int) -> [UInt8] { BigEndian.bytes(value, 4).reversed() }
}
