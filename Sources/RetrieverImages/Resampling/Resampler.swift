/// Makes a thumbnail from rows that are pushed one by one, and hands on each of its rows as soon as the last
/// source row that counts for it was pushed.
///
/// It works in linear light, with alpha multiplied in, and holds some rows but never the image: the sums of
/// the thumbnail rows that are under way when it reduces, the source rows of one thumbnail row when it
/// enlarges. Rows are first weighted vertically, where neighbouring samples are neighbours in memory, and
/// only sums that are whole horizontally.
///
/// Kernels with negative parts overshoot on hard edges; what is below black or above white is clamped at the
/// end.
final class Resampler {
  /// What the emitted rows look like: `.rgb8`, or `.rgba8` with straight alpha when the source has alpha.
  let output: RowLayout
  /// How many source rows from the top are needed. The rest may be skipped, and pushing them does nothing.
  let rowsNeeded: Int
  /// How many source rows were pushed.
  private(set) var rowsPushed = 0
  /// How many rows were emitted.
  private(set) var rowsEmitted = 0

  private let source: RowLayout
  private let crop: PixelRect
  private let stage: Stage

  private enum Stage {
    case copying(CopyingStage)
    case reducing(ReducingStage)
    case enlarging(EnlargingStage)
  }

  /// True when the last row was emitted.
  var isComplete: Bool { rowsEmitted == output.size.height }

  /// A resampler for rows from the top of `source`.
  ///
  /// - Parameters:
  ///   - source: What the rows look like, in any format but CMYK.
  ///   - crop: The part of the source that becomes the thumbnail, nil for all. What is outside of it has no
  ///     influence.
  ///   - target: The thumbnail's size, smaller or larger.
  ///   - linearization: The image's curves.
  ///   - kernel: How much the neighbours of a pixel count.
  ///   - path: The instructions to use; those that the machine lacks are not used.
  /// - Throws: `invalidRequest` for a size that is empty or beyond a million, and for a crop that is empty or
  ///   not within the source; `outOfMemory`.
  init(
    source: RowLayout, crop: PixelRect? = nil, target: PixelSize, linearization: Linearization = .sRGB,
    kernel: ResamplingKernel = .catmullRom, path: ResamplingPath = .best
  ) throws(ImageError) {
    let crop = crop ?? PixelRect(source.size)
    try Self.check(source: source, crop: crop, target: target)
    self.source = source
    self.crop = crop
    output = RowLayout(size: target, format: source.format.hasAlpha ? .rgba8 : .rgb8)
    if crop.size == target, case .sRGB = linearization {
      stage = .copying(try CopyingStage(source: source.format, output: output))
      rowsNeeded = crop.y + crop.size.height
      return
    }
    let light = try LightSource(format: source.format, linearization: linearization, path: path)
    let vertical = ResamplingWeights(kernel: kernel, source: crop.size.height, target: target.height)
    let finishing = try FinishingStage(
      light: light, weights: ResamplingWeights(kernel: kernel, source: crop.size.width, target: target.width),
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

  /// Takes the next source row and emits the rows that are ready with it, from the top.
  ///
  /// - Parameters:
  ///   - row: The whole row, also where there is a crop; read during the call only.
  ///   - emit: Takes a row of the thumbnail, which is valid for the call only. When it throws, its row counts
  ///     as emitted.
  /// - Throws: What `emit` throws; `invalidRequest` for a row that is too short.
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

  /// Beyond it, products of sizes could not be trusted to fit everywhere.
  private static let largestDimension = 1 << 20

  private static func check(source: RowLayout, crop: PixelRect, target: PixelSize) throws(ImageError) {
    guard source.format != .cmyk8 else {
      throw ImageError(.invalidRequest, "CMYK has to become RGB before it is resampled.")
    }
    for size in [source.size, target] {
      guard size.width > 0, size.height > 0 else {
        throw ImageError(.invalidRequest, "A size of \(size.width) × \(size.height) is empty.")
      }
      guard size.width <= largestDimension, size.height <= largestDimension else {
        throw ImageError(.invalidRequest, "A size of \(size.width) × \(size.height) is too large.")
      }
    }
    guard crop.isWithin(source.size) else {
      throw ImageError(.invalidRequest, "The part to show is empty or not within the image.")
    }
  }
}
