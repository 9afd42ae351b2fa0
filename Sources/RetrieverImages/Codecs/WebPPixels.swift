import CImageCodecs
import Foundation

/// The pixels of one frame, decoded with libwebp.
final class WebPPixels {
  /// The rows decoded so far.
  struct Area {
    var rows = 0
    fileprivate var start: UnsafePointer<UInt8>?
    fileprivate var bytesPerRow = 0

    func row(_ index: Int, count: Int) -> UnsafeRawBufferPointer? {
      guard let start, count <= bytesPerRow, index < rows else { return nil }
      return UnsafeRawBufferPointer(start: start + index * bytesPerRow, count: count)
    }
  }

  /// True after all chunks of the frame were read.
  var hasEnded = false

  private let reader: OpaquePointer
  private var isDone: Bool
  // All bytes so far. If libwebp collected them, it would copy all of them again for each piece.
  private var storage: UnsafeMutableRawPointer?
  private var capacity = 0
  private var count = 0
  private var passed = 0
  // The number of new bytes for a call to libwebp, except at the end of a chunk. libwebp decodes some parts again from
  // their start with each call (for lossless images, eight complete rows), so small pieces are joined.
  private let batchSize: Int

  /// - Parameter isSkipped: True if nothing is decoded, because only the orientation after the pixels is needed.
  init(hasAlpha: Bool, isLossless: Bool, isReduced: Bool, isSkipped: Bool) throws(ImageError) {
    guard let reader = codec_webp_decoder_make(hasAlpha, isReduced) else {
      throw .codec(.out_of_memory, format: "WebP", message: "")
    }
    self.reader = reader
    isDone = isSkipped
    batchSize = isLossless ? 262_144 : 4_096
  }

  deinit {
    codec_webp_decoder_free(reader)
    free(storage)
  }

  func feed(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    var rest = bytes[...]
    while !rest.isEmpty, !isDone {
      // For damaged data, the rows that libwebp delivers depend on the calls. So their number of bytes does not depend on
      // the pieces that arrive.
      let step = min(rest.count, passed + batchSize - count)
      try keep(UnsafeRawBufferPointer(rebasing: rest.prefix(step)))
      rest = rest.dropFirst(step)
      if count - passed == batchSize { try flush() }
    }
  }

  private func keep(_ bytes: UnsafeRawBufferPointer) throws(ImageError) {
    guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
    // The bytes are those that were fed, whose number is limited, so the sum cannot overflow.
    let needed = count + bytes.count
    if needed > capacity {
      let wanted = max(needed, capacity * 2, batchSize)
      guard let grown = realloc(storage, wanted) else { throw .noMemory(bytes: wanted) }
      storage = grown
      capacity = wanted
    }
    guard let storage else { return }
    memcpy(storage + count, base, bytes.count)
    count = needed
  }

  /// Passes the bytes that were held back to libwebp.
  func flush() throws(ImageError) {
    guard !isDone, passed < count, let storage else { return }
    passed = count
    let result = codec_webp_decoder_update(reader, storage.assumingMemoryBound(to: UInt8.self), count)
    switch result {
    case .done: isDone = true
    case .needs_input: return
    default:
      throw .codec(result, format: "WebP", message: String(cString: codec_webp_decoder_message(reader)))
    }
  }

  /// Adds the padding byte of a chunk with an odd size.
  func pad() throws(ImageError) {
    var zero: UInt8 = 0
    let result = withUnsafeBytes(of: &zero) { bytes -> Result<Void, ImageError> in
      do throws(ImageError) {
        return .success(try feed(bytes))
      } catch {
        return .failure(error)
      }
    }
    try result.get()
  }

  var area: Area {
    var width: UInt32 = 0
    var rows: UInt32 = 0
    var bytesPerRow = 0
    let start = codec_webp_decoder_pixels(reader, &width, &rows, &bytesPerRow)
    return start == nil ? Area() : Area(rows: Int(rows), start: start, bytesPerRow: bytesPerRow)
  }
}
