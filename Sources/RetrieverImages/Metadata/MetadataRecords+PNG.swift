import Foundation

extension MetadataRecords {
  /// Reads the chunks of a PNG, also those after the pixels. The pixels are not read.
  mutating func readPNG(_ source: any ByteSource) throws(ImageError) {
    var chunks = PNGChunks(source)
    var orientations = PNGOrientation()
    var exifProfile: [UInt8]?
    defer {
      if let exifProfile { takeEXIF(exifProfile) }
      orientation = orientations.value
    }
    var isAfterColors = false
    while let chunk = try chunks.next() {
      if chunk.name == "IDAT" { orientations.beginPixels() }
      if chunk.name == "IDAT" || chunk.name == "PLTE" { isAfterColors = true }
      guard Self.pngNames.contains(chunk.name), chunk.data.count <= Self.maximumBytes else { continue }
      let data = try source.bytes(chunk.data)
      if PNGOrientation.reads(chunk.name) { orientations.take(chunk.name, data) }
      switch chunk.name {
      case "IHDR" where data.count >= 8:
        size = PixelSize(width: Self.number(data, 0), height: Self.number(data, 4))
      case "pHYs" where data.count >= 9:
        resolution = ImageMetadata.Resolution(
          horizontal: Double(Self.number(data, 0)), vertical: Double(Self.number(data, 4)),
          unit: data[8] == 1 ? .meter : nil)
      case "tIME" where data.count >= 7:
        modified = ImageMetadata.Timestamp(
          year: Int(data[0]) << 8 | Int(data[1]), month: Int(data[2]), day: Int(data[3]), hour: Int(data[4]),
          minute: Int(data[5]), second: Int(data[6]), secondsFromGMT: 0)
      case "eXIf": takeEXIF(data)
      // As in the decoder, a profile after the colors that it describes does not count.
      case "iCCP": if !isAfterColors { takeProfile(data) }
      default:
        guard let text = PNGText(name: chunk.name, data: data) else { continue }
        take(text, &exifProfile)
      }
    }
  }

  private static let pngNames: Set<String> = ["IHDR", "pHYs", "tIME", "eXIf", "iCCP", "tEXt", "zTXt", "iTXt"]

  private mutating func take(_ text: PNGText, _ exifProfile: inout [UInt8]?) {
    if text.keyword == "XML:com.adobe.xmp" {
      if let packet = text.bytes(within: &budget) { takeXMP(packet) }
    } else if let kind = ImageMagickProfile.kind(text.keyword) {
      guard let digits = text.bytes(within: &budget), let bytes = ImageMagickProfile.decode(digits) else {
        return
      }
      switch kind {
      case "exif": exifProfile = exifProfile ?? bytes
      case "app1":
        let signature = JPEGApplication.xmp.signature
        if bytes.starts(with: signature) {
          takeXMP(bytes.dropFirst(signature.count))
        } else {
          exifProfile = exifProfile ?? bytes
        }
      case "xmp": takeXMP(bytes)
      case "iptc", "8bim": takeIPTC(bytes)
      default: break
      }
    } else if texts.count < Self.maximumTexts, let value = text.text(within: &budget) {
      texts.append((text.keyword, value))
    }
  }

  /// Reads an iCCP chunk: the name of the profile, a zero, the compression method and the compressed profile.
  private mutating func takeProfile(_ data: [UInt8]) {
    // The chunk has the same form as a compressed text. As in the decoder, the last one counts.
    guard let text = PNGText(name: "zTXt", data: data) else { return }
    profile = text.bytes(within: &budget).map { Data($0) }
  }

  private static func number(_ data: [UInt8], _ offset: Int) -> Int {
    data[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
