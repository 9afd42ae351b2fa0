/// Makes a thumbnail from rows that are pushed one by one. It emits each row of the thumbnail as soon as the last
/// source row that contributes to it is pushed.
///
/// The resampler works in linear light with premultiplied alpha. It keeps only some rows, never the complete image:
/// when it reduces, the sums of the unfinished thumbnail rows; when it enlarges, the source rows of one thumbnail row.
/// Rows are weighted vertically first, because neighboring samples are adjacent in memory then. Only complete sums are
/// weighted horizontally.
///
/// Kernels with negative parts overshoot at hard edges. Values below black or above white are clamped at the end.
final class Resampler {
  /// The size and format of the emitted rows: `.rgb8`, or `.rgba8` with straight alpha if the source has alpha.
  let output: RowLayout
  /// The number of source rows needed, from the top. The rest may be skipped; pushing more rows has no effect.
  let rowsNeeded: Int
  /// The number of source rows pushed so far.
  private(set) var rowsPushed = 0
  /// The number of rows emitted so far.
  private(set) var rowsEmitted = 0

  private let source: RowLayout
  private let crop: PixelRect
  private let stage: Stage

  private enum Stage {
    case copying(CopyingStage)
    case reducing(ReducingStage)
    case enlarging(EnlargingStage)
  }

  /// True after the last row was emitted.
  var isComplete: Bool { rowsEmitted == output.size.height }

  /// Creates a resampler for rows from the top of `source`.
  ///
  /// - Parameters:
  ///   - source: The size and format of the rows. The format may not be CMYK.
  ///   - area: The part of the source to make the thumbnail from; nil for the complete source. Pixels outside it have
  ///     no influence.
  ///   - target: The thumbnail's size, smaller or larger.
  ///   - linearization: The image's curves.
  ///   - kernel: The filter that weights the neighbors of a pixel.
  ///   - path: The instruction set to use. If the machine lacks it, the best available one is used.
  /// - Throws: `invalidRequest` for a size that is empty or larger than a million, and for a part that is empty or extends
  ///   beyond the source; `outOfMemory`.
  init(
    source: RowLayout, area: SourceArea? = nil, target: PixelSize, linearization: Linearization = .sRGB,
    kernel: ResamplingKernel = .catmullRom, path: ResamplingPath = .best
  ) throws(ImageError) {
    let area = area ?? SourceArea(PixelRect(source.size))
    let crop = area.pixels
    try Self.check(source: source, crop: crop, target: target)
    self.source = source
    self.crop = crop
    output = RowLayout(size: target, format: source.format.hasAlpha ? .rgba8 : .rgb8)
    if crop.size == target, area.isExact, case .sRGB = linearization {
      stage = .copying(try CopyingStage(source: source.format, output: output))
      rowsNeeded = crop.y + crop.size.height
      return
    }
    let light = try LightSource(format: source.format, linearization: linearization, path: path)
    let vertical = ResamplingWeights(kernel: kernel, source: area.rows, target: target.height)
    let finishing = try FinishingStage(
      light: light, weights: ResamplingWeights(kernel: kernel, source: area.columns, target: target.width),
      sourceWidth: crop.size.width, output: output, path: path.kernelValue)
    if vertical.enlarges {
      stage = .enlarging(
        try EnlargingStage(light: light, weights: vertical, width: crop.size.width, finishing: finishing))
    } else {
      stage = .reducing(
        try ReducingStage(
          light: light, weights: vertical, width: crop.size.width,
          bytesPerRow: crop.size.width * source.format.bytesPerPixel, finishing: finishing))
    }
    rowsNeeded = crop.y + Int(vertical.ends.last ?? 0)
  }

  /// Reads the next source row and emits the rows that it completes, from the top.
  ///
  /// - Parameters:
  ///   - row: The complete row, even if there is a crop rectangle. It is read only during the call.
  ///   - emit: Receives a row of the thumbnail, which is valid only during the call. If it throws, the row counts as
  ///     emitted.
  /// - Throws: The error that `emit` throws; `invalidRequest` for a row that is too short.
  func push(
    _ row: UnsafeRawBufferPointer, emit: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    guard row.count >= source.bytesPerRow, let base = row.baseAddress else {
      throw ImageError(.invalidRequest, "A row of \(row.count) bytes is too short for the image.")
    }
    let index = rowsPushed - crop.y
    guard rowsPushed < rowsNeeded else { return }
    rowsPushed += 1
    guard index >= 0 else { return }
    let part = base + crop.x * source.format.bytesPerPixel
    let counting: (UnsafeRawBufferPointer) throws(ImageError) -> Void = { row throws(ImageError) in
      self.rowsEmitted += 1
      try emit(row)
    }
    switch stage {
    case .copying(let stage): try stage.push(part, emit: counting)
    case .reducing(let stage): try stage.push(part, index: index, emit: counting)
    case .enlarging(let stage): try stage.push(part, index: index, emit: counting)
    }
  }

  /// The maximum width and height. With larger values, products of sizes might overflow.
  private static let maximumDimension = 1 << 20

  private static func check(source: RowLayout, crop: PixelRect, target: PixelSize) throws(ImageError) {
    guard source.format != .cmyk8 else {
      throw ImageError(.invalidRequest, "Could not resample CMYK rows. Convert them to RGB first.")
    }
    for size in [source.size, target] {
      guard size.width > 0, size.height > 0 else {
        throw ImageError(.invalidRequest, "The size \(size.width) × \(size.height) is empty.")
      }
      guard size.width <= maximumDimension, size.height <= maximumDimension else {
        throw ImageError(.invalidRequest, "The size \(size.width) × \(size.height) is too large.")
      }
    }
    guard crop.isWithin(source.size) else {
      throw ImageError(.invalidRequest, "The crop rectangle is empty or extends beyond the image.")
    }
  }
}
