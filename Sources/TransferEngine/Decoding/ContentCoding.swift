import HTTPSyntax

/// A content coding (RFC 9110, 8.4.1) that the engine can decode.
enum ContentCoding: String, Sendable, CaseIterable {
  case gzip, deflate
  case brotli = "br"
  case zstandard = "zstd"

  /// The codings that a request asks for by default.
  static let defaultAcceptEncoding = allCases.map(\.rawValue).joined(separator: ", ")

  /// Returns the codings in a Content-Encoding value, in the order in which they were applied.
  ///
  /// Empty if there is nothing to decode, or if a coding is unknown. In that case the body is delivered unchanged.
  static func list(_ fieldValue: String) -> [ContentCoding] {
    var codings: [ContentCoding] = []
    for part in ASCII.listMembers(fieldValue) {
      switch ASCII.lowercased(part) {
      case "identity": continue
      case "x-gzip": codings.append(.gzip)
      case let name:
        guard let coding = ContentCoding(rawValue: name) else { return [] }
        codings.append(coding)
      }
    }
    return codings
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
