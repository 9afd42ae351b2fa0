/// Plans the copy of a GIF without its comments, its texts, its XMP packet and the data of other applications. The
/// frames, their times and the number of repetitions stay.
enum GIFStripping {
  private static let repetitions = ["NETSCAPE2.0", "ANIMEXTS1.0"]
  private static let profile = "ICCRGBG1012"
  /// The sizes of complete blocks with one piece of data of 4 and 3 bytes.
  private static let (controlSize, repetitionSize) = (8, 19)

  static func plan(_ source: any ByteSource) throws(ImageError) -> StrippingPlan {
    var plan = StrippingPlan()
    var blocks = try GIFBlocks(source)
    try plan.copy(blocks.header)
    while let block = try blocks.next() {
      switch block.kind {
      case .frame: try plan.copy(block.range)
      case .graphicControl: try copy(block.range, of: controlSize, from: source, into: &plan)
      case .application(profile):
        if try isProfile(block, source) { try plan.copy(block.range) } else { plan.leaveOut(.otherData) }
      case .application(let name) where repetitions.contains(name):
        try copy(block.range, of: repetitionSize, from: source, into: &plan)
      case .application("XMP DataXMP"): plan.leaveOut(.xmp)
      case .comment: plan.leaveOut(.comment)
      // No decoder in use shows these texts.
      case .plainText: plan.leaveOut(.text)
      case .application, .unknownExtension: plan.leaveOut(.otherData)
      case .trailer:
        if block.range.isEmpty { try plan.make([0x3B]) } else { try plan.copy(block.range) }
        if block.range.upperBound < source.count { plan.leaveOut(.otherData) }
      }
    }
    return plan
  }

  private static func isProfile(
    _ block: GIFBlocks.Block, _ source: any ByteSource
  ) throws(ImageError) -> Bool {
    guard block.range.count <= MetadataRecords.maximumBytes else { return false }
    let profile = try GIFBlocks.joined(source, block, isApplication: true)
    return ICCHeader.statedSize(of: profile) == profile.count
  }

  /// Copies a block that has one piece of data. Decoders skip what follows it, so that could be anything.
  private static func copy(
    _ range: Range<Int>, of size: Int, from source: any ByteSource, into plan: inout StrippingPlan
  ) throws(ImageError) {
    if range.count == size { return try plan.copy(range) }
    plan.leaveOut(.otherData)
    let head = size == controlSize ? 3 : 15
    let bytes = try source.bytes(range.prefix(size - 1))
    // A shorter piece has no meaning.
    guard bytes.count == size - 1, Int(bytes[head - 1]) >= size - 1 - head else { return }
    try plan.make(bytes[..<(head - 1)] + [UInt8(size - 1 - head)] + bytes[head...] + [0])
  }
}
