import Foundation

/// The main image of a HEIF file, with everything that its pixels need.
struct HEIFImage {
  var format: ImageFormat
  var picture: TiledPicture
  var alpha: TiledPicture?
  /// True if the colors are multiplied by alpha.
  var isPremultiplied = false
  /// The part that is shown.
  var area: FrameRectangle
  var orientation: ImageOrientation
  /// The colors that the file declares, apart from those in the coded data.
  var colors: CodedColors?
  var profile: Data?

  /// Returns the image; nil if the description of a grid has not arrived.
  init?(_ meta: HEIFMeta, store: ItemStore, limits: ImageLimits) throws(ImageError) {
    guard let item = meta.primary else { throw TiledPicture.damaged("it has no main image") }
    guard let picture = try TiledPicture(item, in: meta, store: store, limits: limits) else { return nil }
    self.picture = picture
    let properties = try HEIFProperties(of: item, in: meta)
    if let size = properties.size, size != picture.size {
      throw TiledPicture.damaged("its sizes are inconsistent")
    }
    // The properties of the first tile apply if the grid has none of its own.
    let first = try HEIFProperties(of: picture.tiles[0], in: meta)
    area = properties.crop ?? FrameRectangle(left: 0, top: 0, size: picture.size)
    orientation = properties.orientation
    colors = properties.colors ?? first.colors
    profile = (properties.profile ?? first.profile).map { Data($0) }
    format = picture.codings.contains(where: \.isAV1) ? .avif : .heic
    if let auxiliary = meta.alpha(of: item) {
      guard let alpha = try TiledPicture(auxiliary, in: meta, store: store, limits: limits) else {
        return nil
      }
      guard alpha.size == picture.size else {
        throw ImageError(.unsupported, "The image has another size than its alpha, which is not supported.")
      }
      self.alpha = alpha
      isPremultiplied = meta.targets(of: "prem", from: item).contains(auxiliary)
    }
    try limits.checkMemory(picture.memory + (alpha?.memory ?? 0))
  }

  var rowFormat: RowFormat {
    let isDeep = (picture.codings + (alpha?.codings ?? [])).contains { $0.depth > 8 }
    if alpha != nil { return isDeep ? .rgba16 : .rgba8 }
    if isMonochrome { return isDeep ? .grey16 : .grey8 }
    return isDeep ? .rgb16 : .rgb8
  }

  /// True if all colors are gray.
  var isMonochrome: Bool { picture.codings.allSatisfy(\.isMonochrome) }

  var header: ImageHeader {
    ImageHeader(
      format: format, size: area.size, orientation: orientation, hasAlpha: alpha != nil,
      profile: profile ?? colors?.profile(of: isMonochrome ? .grey : .rgb))
  }
}

extension TileCoding {
  fileprivate var isAV1: Bool {
    if case .av1 = self { true } else { false }
  }
}
