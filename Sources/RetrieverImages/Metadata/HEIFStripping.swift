/// Plans the copy of a HEIC or AVIF without its metadata.
///
/// Everything stays at its position, because the places of all data are stated as positions in the file. Boxes that are left
/// out become free space of the same size. Of the data, only that of the main image, of its opacity and of its gain map
/// is copied; zeros replace all other bytes. The `meta` box loses the items that are left out.
enum HEIFStripping {
  static func plan(_ source: any ByteSource) throws(ImageError) -> StrippingPlan {
    var boxes: [FileBox] = []
    var reader = FileBoxes(source, of: .heif)
    var problem: ImageError?
    do {
      while let box = try reader.next() { boxes.append(box) }
    } catch {
      if error.code == .unreadable { throw error }
      problem = error
    }
    guard !boxes.contains(where: { $0.type == "moov" }) else {
      throw ImageError(
        .unsupported,
        "Metadata of HEIF files with a sequence of images cannot be removed. Convert the image.")
    }
    guard let meta = boxes.first(where: { $0.type == "meta" }) else {
      throw problem ?? TiledPicture.damaged("it has no main image")
    }
    let (parts, description, removed) = try Self.parts(
      HEIFFile(source, meta), data: boxes.filter { $0.type == "mdat" }.map(\.content), problem)
    var plan = StrippingPlan()
    plan.leaveOut(removed)
    for (index, box) in boxes.enumerated() {
      switch box.type {
      case "ftyp" where index == 0: try plan.copy(box.range)
      case "meta" where box.range == meta.range:
        try plan.copy(box.head)
        try plan.make(description)
      case "mdat":
        try plan.copy(box.head)
        try copyData(box.content, parts, source, &plan)
      default: try clear(box, source, &plan)
      }
    }
    // What follows the last box has no effect on any position.
    if let last = boxes.last, last.range.upperBound < source.count { plan.leaveOut(.otherData) }
    guard plan.removed.isEmpty else { return plan }
    // Without metadata, the names of tables and the free space in the description stay too.
    var unchanged = StrippingPlan()
    try unchanged.copy(0..<source.count)
    return unchanged
  }

  /// Returns what stays, and the new content of the `meta` box.
  ///
  /// - Parameter problem: Why the file could not be read to its end. It matters if a part that stays is missing.
  private static func parts(
    _ file: HEIFFile, data: [Range<Int>], _ problem: ImageError?
  ) throws(ImageError) -> (parts: HEIFParts, description: [UInt8], removed: Set<StrippedImage.Record>) {
    do {
      let parts = try HEIFParts(file, data: data)
      var copy = HEIFMetaCopy(file, parts)
      let description = try copy.content()
      return (parts, description, parts.removed.union(copy.removed))
    } catch {
      throw error == HEIFMeta.invalidLocation ? problem ?? error : error
    }
  }

  /// Copies the kept parts of the data, and clears the bytes between them.
  private static func copyData(
    _ content: Range<Int>, _ parts: HEIFParts, _ source: any ByteSource, _ plan: inout StrippingPlan
  ) throws(ImageError) {
    var position = content.lowerBound
    for part in parts.file.pieces(in: content) {
      try clear(position..<part.range.lowerBound, parts, source, &plan)
      if let bytes = part.replacement { try plan.make(bytes) } else { try plan.copy(part.range) }
      position = part.range.upperBound
    }
    try clear(position..<content.upperBound, parts, source, &plan)
  }

  private static func clear(
    _ range: Range<Int>, _ parts: HEIFParts, _ source: any ByteSource, _ plan: inout StrippingPlan
  ) throws(ImageError) {
    if !plan.removed.contains(.otherData) {
      // The data of the items that are left out was reported already.
      for unknown in parts.file.removed.gaps(in: range) where try !source.isZero(unknown) {
        plan.leaveOut(.otherData)
        break
      }
    }
    try plan.clear(range.count)
  }

  /// Makes free space of a box.
  private static func clear(
    _ box: FileBox, _ source: any ByteSource, _ plan: inout StrippingPlan
  ) throws(ImageError) {
    var head = try source.bytes(box.head)
    guard head.count == box.head.count else { throw ImageError.truncated("HEIF") }
    head.replaceSubrange(4..<8, with: Array("free".utf8))
    let isFree = box.type == "free" || box.type == "skip"
    let isUnused = isFree ? try source.isZero(box.content) : false
    if !isUnused { plan.leaveOut(.otherData) }
    try plan.make(head)
    try plan.clear(box.content.count)
  }
}
