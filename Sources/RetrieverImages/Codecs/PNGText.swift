import CImageCodecs
import Foundation

/// A text chunk of a PNG: `tEXt`, `zTXt` or `iTXt`.
struct PNGText {
  /// The maximum size of a text after it was inflated. A larger text is ignored.
  static let maximumBytes = 4 << 20

  let keyword: String
  private let name: String
  private let isCompressed: Bool
  private let stored: ArraySlice<UInt8>

  /// Returns nil if the chunk is of another kind, or invalid.
  init?(name: String, data: some Collection<UInt8>) {
    let data = Array(data)
    guard ["tEXt", "zTXt", "iTXt"].contains(name), let end = data.firstIndex(of: 0), (1...79).contains(end)
    else { return nil }
    keyword = MetadataText.latin1(data[..<end])
    self.name = name
    let rest = data[(end + 1)...]
    switch name {
    case "zTXt":
      guard rest.first == 0 else { return nil }
      isCompressed = true
      stored = rest.dropFirst()
    case "iTXt":
      guard let flag = rest.first, rest.count >= 2 else { return nil }
      isCompressed = flag != 0
      guard !isCompressed || rest[rest.startIndex + 1] == 0 else { return nil }
      // The language and the translated keyword come before the text.
      let language = rest.dropFirst(2)
      guard let languageEnd = language.firstIndex(of: 0) else { return nil }
      let translated = language[(languageEnd + 1)...]
      guard let translatedEnd = translated.firstIndex(of: 0) else { return nil }
      stored = translated[(translatedEnd + 1)...]
    default:
      isCompressed = false
      stored = rest
    }
  }

  /// Returns the bytes of the text; nil if they are damaged or too many.
  func bytes() -> [UInt8]? {
    guard isCompressed else { return stored.count <= Self.maximumBytes ? Array(stored) : nil }
    return stored.withUnsafeBytes { bytes in
      var output = codec_buffer()
      guard codec_inflate(bytes.bytes, bytes.count, Self.maximumBytes, &output) == .done else { return nil }
      defer { free(output.bytes) }
      return Array(UnsafeBufferPointer(start: output.bytes, count: output.count))
    }
  }

  /// Returns the text without surrounding spaces; nil if it is empty, damaged or too long.
  func text() -> String? {
    guard let bytes = bytes() else { return nil }
    return name == "iTXt" ? MetadataText.decode(bytes) : MetadataText.trimmed(MetadataText.latin1(bytes))
  }
}
