import Foundation

@testable import RetrieverImages

/// Records the rows it receives.
final class RecordingConsumer: RowConsumer {
  private(set) var header: ImageHeader?
  private(set) var layout: RowLayout?
  private(set) var pixels: [UInt8] = []
  private(set) var rowCount = 0
  private let wanted: PixelSize?
  private let stopsAtRow: Int

  /// Asks for the size `wanted`, or the image's own size, and throws `cancelled` at a row.
  init(wanted: PixelSize? = nil, stopsAtRow: Int = .max) {
    self.wanted = wanted
    self.stopsAtRow = stopsAtRow
  }

  func begin(_ header: ImageHeader) throws(ImageError) -> PixelSize {
    guard self.header == nil else { throw ImageError(.invalidRequest, "begin was called twice") }
    self.header = header
    return wanted ?? header.size
  }

  func prepare(for rows: RowLayout) throws(ImageError) {
    guard header != nil, layout == nil else { throw ImageError(.invalidRequest, "prepare is out of order") }
    layout = rows
  }

  func take(_ row: UnsafeRawBufferPointer) throws(ImageError) {
    guard let layout, row.count == layout.bytesPerRow, rowCount < layout.size.height else {
      throw ImageError(.invalidRequest, "a row has the wrong length, or there are too many rows")
    }
    guard rowCount < stopsAtRow else { throw ImageError(.cancelled, "stopped") }
    rowCount += 1
    pixels.append(contentsOf: row)
  }
}

/// The result of decoding an image.
struct Decoding {
  var header: ImageHeader?
  var finalHeader: ImageHeader?
  var layout: RowLayout?
  var pixels: [UInt8]
  var rowCount: Int
  var isComplete: Bool
  var damage: [ImageDamage]
  var error: ImageError?

  /// Returns whether two results are equal. This is a Bool, because Swift Testing takes minutes to print large arrays.
  func isSame(as other: Decoding) -> Bool {
    header == other.header && layout == other.layout && pixels == other.pixels && error == other.error
      && isComplete == other.isComplete && finalHeader == other.finalHeader && damage == other.damage
  }
}

/// The way to cut a file into pieces.
enum Cut {
  case onePiece
  case pieces(of: Int)
  case random(seed: UInt64)
}

func decode(
  _ data: Data, cut: Cut = .onePiece, wanted: PixelSize? = nil, limits: ImageLimits = ImageLimits()
) -> Decoding {
  let consumer = RecordingConsumer(wanted: wanted)
  let decoder = makeImageDecoder(consumer: consumer, limits: limits)
  var failure: ImageError?
  do throws(ImageError) {
    try feed(data, cut: cut, to: decoder)
    try decoder.finish()
  } catch {
    failure = error
  }
  return Decoding(
    header: consumer.header, finalHeader: decoder.header, layout: consumer.layout, pixels: consumer.pixels,
    rowCount: consumer.rowCount, isComplete: decoder.isComplete, damage: decoder.damage, error: failure)
}

func feed(_ data: Data, cut: Cut, to decoder: any ImageDecoder) throws(ImageError) {
  var random = SeededGenerator(seed: 0)
  if case .random(let seed) = cut { random = SeededGenerator(seed: seed) }
  var offset = 0
  while offset < data.count {
    let size =
      switch cut {
      case .onePiece: data.count
      case .pieces(let size): size
      case .random: Int.random(in: 1...max(2, data.count / 8), using: &random)
      }
    // A copy of exactly this piece, so that AddressSanitizer detects reads past its end.
    let piece = [UInt8](data[offset..<min(offset + size, data.count)])
    let result = piece.withUnsafeBytes { bytes -> Result<Void, ImageError> in
      do throws(ImageError) {
        return .success(try decoder.feed(bytes))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
    offset += piece.count
  }
}

/// The SplitMix64 generator, which returns the same numbers in every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Returns a smooth picture with an edge and different channels.
func drawnPixels(size: PixelSize, format: RowFormat) -> [UInt8] {
  var pixels: [UInt8] = []
  pixels.reserveCapacity(size.pixelCount * format.channels)
  for y in 0..<size.height {
    for x in 0..<size.width {
      for channel in 0..<format.channels {
        let slope = channel.isMultiple(of: 2) ? x * 200 / size.width : y * 200 / size.height
        let edge = (x - size.width / 2) * (y - size.height / 3) > 0 ? 40 : 0
        pixels.append(UInt8(slope + edge))
      }
    }
  }
  return pixels
}

func drawnBitmap(width: Int, height: Int, format: RowFormat = .rgb8) -> Bitmap {
  let size = PixelSize(width: width, height: height)
  return Bitmap(size: size, format: format, pixels: drawnPixels(size: size, format: format))
}

/// Returns the largest and the mean difference of the samples.
func difference(_ first: [UInt8], _ second: [UInt8]) -> (maximum: Int, mean: Double) {
  guard first.count == second.count, !first.isEmpty else { return (.max, .infinity) }
  var maximum = 0
  var sum = 0
  for (one, other) in zip(first, second) {
    let distance = abs(Int(one) - Int(other))
    maximum = max(maximum, distance)
    sum += distance
  }
  return (maximum, Double(sum) / Double(first.count))
}

/// Returns the file with some of its bytes changed, removed or duplicated.
func mutated(_ data: Data, seed: UInt64) -> Data {
  var random = SeededGenerator(seed: seed)
  var bytes = [UInt8](data)
  for _ in 0..<Int.random(in: 1...6, using: &random) where bytes.count > 8 {
    let index = Int.random(in: 3..<bytes.count, using: &random)
    switch Int.random(in: 0..<5, using: &random) {
    case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
    case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 2: bytes[index] = [0x00, 0x7F, 0x80, 0xFF][Int.random(in: 0..<4, using: &random)]
    case 3: bytes.removeSubrange(index..<min(index + Int.random(in: 1...16, using: &random), bytes.count))
    default: bytes.insert(contentsOf: bytes[(index / 2)..<min(index / 2 + 16, bytes.count)], at: index)
    }
  }
  return Data(bytes)
}
