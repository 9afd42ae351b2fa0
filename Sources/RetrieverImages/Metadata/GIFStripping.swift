/// Plans the copy of a GIF without its comments, its texts, its XMP packet and the data of other applications. The
/// frames, their times and the number of repetitions stay.
enum GIFStripping {
  private static let kept = ["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]

  static func plan(_ source: any ByteSource) throws(ImageError) -> StrippingPlan {
    var plan = StrippingPlan()
    var blocks = try GIFBlocks(source)
    try plan.copy(blocks.header)
    while let block = try blocks.next() {
      switch block.kind {
      case .frame, .graphicControl: try plan.copy(block.range)
      case .application(let name) where kept.contains(name): try plan.copy(block.range)
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
}
