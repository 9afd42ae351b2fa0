/// A content coding (RFC 9110, 8.4.1) that the engine can take back.
enum ContentCoding: String, Sendable, CaseIterable {
  case gzip, deflate
  case brotli = "br"
  case zstandard = "zstd"

  /// What a request asks for unless told otherwise.
  static let everyName = allCases.map(\.rawValue).joined(separator: ", ")

  /// The codings that a Content-Encoding value lists, in the order they were applied.
  ///
  /// Empty when there is nothing to undo, or when one of them is unknown: then the body is given as it came.
  static func list(_ fieldValue: String) -> [ContentCoding] {
    var codings: [ContentCoding] = []
    for part in fieldValue.utf8.split(separator: UInt8(ascii: ",")) {
      let name = part.filter { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }.map(lowercased)
      switch String(decoding: name, as: UTF8.self) {
      case "", "identity": continue
      case "x-gzip": codings.append(.gzip)
      case let name:
        guard let coding = ContentCoding(rawValue: name) else { return [] }
        codings.append(coding)
      }
    }
    return codings
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }

  func makeDecoder() throws(TransferFailure) -> any ContentDecoder {
    switch self {
    case .gzip: try GzipDecoder()
    case .deflate: try DeflateDecoder()
    case .brotli: try BrotliDecoder()
    case .zstandard: try ZstandardDecoder()
    }
  }
}
