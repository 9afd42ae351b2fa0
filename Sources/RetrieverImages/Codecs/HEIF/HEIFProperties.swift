import Foundation

/// The properties of an item of a HEIF file, as far as they matter for its pixels.
struct HEIFProperties {
  var size: PixelSize?
  var coding: TileCoding?
  var profile: ArraySlice<UInt8>?
  var colors: CodedColors?
  var orientation = ImageOrientation.up
  /// The part of the image that is shown, before the orientation is applied.
  var crop: FrameRectangle?
  /// The meaning of an auxiliary image, as a URN.
  var auxiliaryType: String?

  /// - Parameter ignoresUnsupported: True if the properties are not for decoding, so that features that the decoder does
  ///   not support do not matter.
  init(of item: UInt32, in meta: HEIFMeta, ignoresUnsupported: Bool = false) throws(ImageError) {
    var cleanAperture: CleanAperture?
    for association in meta.associations[item] ?? [] {
      guard meta.properties.indices.contains(association.index) else {
        throw ImageError(.corrupt, "The image is damaged: a property does not exist.")
      }
      let property = meta.properties[association.index]
      var content = property.content
      switch property.type {
      case "ispe":
        _ = try content.version()
        size = PixelSize(width: Int(try content.long()), height: Int(try content.long()))
      case "hvcC" where ignoresUnsupported, "av1C" where ignoresUnsupported: break
      case "hvcC", "av1C": coding = try meta.codings[association.index]?.get()
      case "colr": try readColors(&content)
      case "irot": orientation = orientation.rotated(quarterTurnsLeft: Int(try content.byte()) & 3)
      case "imir": orientation = orientation.mirrored(swapsSides: try content.byte() & 1 == 1)
      case "clap":
        guard orientation == .up else {
          if ignoresUnsupported { continue }
          throw ImageError(.unsupported, "The image is cropped after it is rotated, which is not supported.")
        }
        cleanAperture = try CleanAperture(&content)
      case "auxC":
        _ = try content.version()
        auxiliaryType = content.text()
      case let type where association.isEssential && !ignoresUnsupported && !Self.ignored.contains(type):
        throw ImageError(.unsupported, "The image uses an unsupported feature: the property \(type).")
      default: break
      }
    }
    if let size, let cleanAperture { crop = try cleanAperture.rectangle(in: size) }
  }

  /// Properties that do not change the pixels, or repeat what the coded data says.
  static let ignored: Set<FourCharacterCode> = [
    "pixi", "pasp", "clli", "mdcv", "cclv", "amve", "udes",
  ]

  /// True if the image is the opacity of another one.
  var isAlpha: Bool {
    auxiliaryType == "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha"
      || auxiliaryType == "urn:mpeg:hevc:2015:auxid:1"
  }

  private mutating func readColors(_ reader: inout BoxReader) throws(ImageError) {
    switch try reader.code() {
    case "prof", "rICC": profile = reader.rest
    case "nclx":
      let (primaries, transfer, matrix) = (try reader.short(), try reader.short(), try reader.short())
      colors = CodedColors(
        primaries: primaries, transfer: transfer, matrix: matrix, isFullRange: try reader.byte() & 0x80 != 0)
    default: break
    }
  }
}

/// The part of an image that is shown, as fractions. The offset is that of its middle from the image's middle.
private struct CleanAperture {
  var width: Double
  var height: Double
  var horizontalOffset: Double
  var verticalOffset: Double

  init(_ reader: inout BoxReader) throws(ImageError) {
    func fraction(isSigned: Bool) throws(ImageError) -> Double {
      let (numerator, denominator) = (try reader.long(), try reader.long())
      guard denominator != 0 else { return .nan }
      return (isSigned ? Double(Int32(bitPattern: numerator)) : Double(numerator)) / Double(denominator)
    }
    width = try fraction(isSigned: false)
    height = try fraction(isSigned: false)
    horizontalOffset = try fraction(isSigned: true)
    verticalOffset = try fraction(isSigned: true)
  }

  /// Returns the part in complete pixels.
  func rectangle(in size: PixelSize) throws(ImageError) -> FrameRectangle {
    let left = (horizontalOffset + (Double(size.width) - width) / 2).rounded()
    let top = (verticalOffset + (Double(size.height) - height) / 2).rounded()
    let (columns, rows) = (width.rounded(), height.rounded())
    // NaN fails each comparison.
    guard left >= 0, top >= 0, columns >= 1, rows >= 1, left + columns <= Double(size.width),
      top + rows <= Double(size.height)
    else { throw ImageError(.corrupt, "The image is damaged: the part that it shows is outside of it.") }
    return FrameRectangle(
      left: Int(left), top: Int(top), size: PixelSize(width: Int(columns), height: Int(rows)))
  }
}

extension ImageOrientation {
  // Every orientation is a mirroring of left and right, or none, and then quarter turns to the right.
  private static let byMirrorAndTurns: [[ImageOrientation]] = [
    [.up, .right, .down, .left], [.upMirrored, .rightMirrored, .downMirrored, .leftMirrored],
  ]

  private var mirrorAndTurns: (mirror: Int, turns: Int) {
    for (mirror, orientations) in Self.byMirrorAndTurns.enumerated() {
      if let turns = orientations.firstIndex(of: self) { return (mirror, turns) }
    }
    return (0, 0)
  }

  /// Returns this orientation, followed by a rotation to the left.
  func rotated(quarterTurnsLeft: Int) -> ImageOrientation {
    let (mirror, turns) = mirrorAndTurns
    return Self.byMirrorAndTurns[mirror][(turns + 4 - quarterTurnsLeft & 3) & 3]
  }

  /// Returns this orientation, followed by a mirroring that swaps left and right, or top and bottom.
  func mirrored(swapsSides: Bool) -> ImageOrientation {
    let (mirror, turns) = mirrorAndTurns
    return Self.byMirrorAndTurns[1 - mirror][((swapsSides ? 4 : 6) - turns) & 3]
  }
}
