import CImageCodecs
import Foundation

/// Writes JPEG with libjpeg-turbo, without any metadata.
enum JPEGEncoder {
  /// Returns the bitmap as a JPEG. Transparent pixels are drawn over white.
  ///
  /// Below a quality of 0.9, chroma has half the resolution in both directions; from 0.9 on, it has the full
  /// resolution, and the quantization tables are those of the JPEG standard. The Huffman tables are optimized only if
  /// `isProgressive`, because that costs nothing extra then.
  static func encode(
    _ bitmap: Bitmap, quality: Double, isProgressive: Bool
  ) throws(ImageError) -> Data {
    let percent = quality.isFinite ? (quality * 100).rounded() : 80
    var encoding = codec_jpeg_encoding()
    encoding.quality = Int32(min(max(percent, 1), 100))
    encoding.is_progressive = isProgressive
    encoding.halves_chroma = encoding.quality < 90
    encoding.uses_flat_tables = encoding.quality < 90
    return try encode(bitmap.pixels, size: bitmap.size, format: bitmap.format, as: encoding)
  }

  /// Returns the rows as a JPEG in any form that libjpeg writes.
  static func encode(
    _ pixels: [UInt8], size: PixelSize, format: RowFormat, as form: codec_jpeg_encoding
  ) throws(ImageError) -> Data {
    guard format.bytesPerSample == 1, (1...65_500).contains(size.width), (1...65_500).contains(size.height),
      pixels.count == size.pixelCount * format.bytesPerPixel
    else {
      throw ImageError(
        .invalidRequest,
        "A JPEG of \(size.width) by \(size.height) pixels cannot be made from \(pixels.count) bytes.")
    }
    var encoding = form
    encoding.width = UInt32(size.width)
    encoding.height = UInt32(size.height)
    encoding.channels = Int32(format.channels)
    encoding.is_cmyk = format == .cmyk8
    return try EncodedBytes.collect(format: "JPEG") { output, message in
      pixels.withUnsafeBytes { codec_jpeg_encode($0.bytes, &encoding, output, message) }
    }
  }
}

/// Takes ownership of the output of an encoder in C.
enum EncodedBytes {
  static func collect(
    format: String,
    _ encode: (UnsafeMutablePointer<codec_buffer>, UnsafeMutablePointer<CChar>) -> codec_result
  ) throws(ImageError) -> Data {
    var output = codec_buffer()
    let message = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CODEC_MESSAGE_SIZE))
    message.initialize(repeating: 0, count: Int(CODEC_MESSAGE_SIZE))
    defer { message.deallocate() }
    let result = encode(&output, message)
    guard result == .done, let bytes = output.bytes else {
      throw result == .out_of_memory
        ? .codec(result, format: format, message: "")
        : ImageError(.invalidRequest, "Could not encode the \(format) image: \(String(cString: message)).")
    }
    return Data(bytesNoCopy: bytes, count: output.count, deallocator: .free)
  }
}
