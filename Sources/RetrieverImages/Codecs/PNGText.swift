import CImageCodecs
import Foundation

/// A text chunk of a PNG: `tEXt`, `zTXt` or `iTXt`.
struct PNGText {
  /// The maximum size of a text after it was inflated. A larger text is ignored.
  static let maximumBytes = 4 << 20
  /// The maximum number of bytes that deflate stores in one byte.
  private static let maximumRatio = 1_032

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

  /// Returns the bytes of the text; nil if they are damaged, too many, or over the budget.
  func bytes(within budget: inout RecordBudget) -> [UInt8]? {
    guard isCompressed else {
      guard stored.count <= Self.maximumBytes, budget.take(stored.count) else { return nil }
      return Array(stored)
    }
    let maximum = min(Self.maximumBytes, budget.left)
    guard maximum > 0 else { return nil }
    let inflated: [UInt8]? = stored.withUnsafeBytes { bytes in
      var output = codec_buffer()
      guard codec_inflate(bytes.bytes, bytes.count, maximum, &output) == .done else { return nil }
      defer { free(output.bytes) }
      return Array(UnsafeBufferPointer(start: output.bytes, count: output.count))
    }
    // Where the inflating of a damaged text ended is not known, so it costs what it can have been.
    _ = budget.take(inflated?.count ?? min(maximum, stored.count * Self.maximumRatio))
    return inflated
  }

  /// Returns the text without surrounding spaces; nil if it is empty, damaged, too long or over the budget.
  func text(within budget: inout RecordBudget) -> String? {
    guard let bytes = bytes(within: &budget) else { return nil }
    return name == "iTXt" ? MetadataText.decode(bytes) : MetadataText.trimmed(MetadataText.latin1(bytes))
  }
}
