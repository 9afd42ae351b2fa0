import HTTPSyntax

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
