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

/// Decodes one content coding: encoded bytes in, decoded bytes out, as far as both buffers reach.
protocol ContentDecoder: AnyObject {
  /// Decodes until the input is used up or the output is full, whichever comes first.
  ///
  /// If the output is full, more may follow, and another call with no input is enough to get it. After the end of the
  /// encoded stream, the decoder consumes and ignores all further input, unless the coding gives it a meaning.
  ///
  /// - Throws: `.undecodableBody` if the input is not valid. The decoder must not be used again after that.
  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress

  /// Whether the encoded stream has reached its proper end.
  var isComplete: Bool { get }
}

/// The number of bytes that one or more calls of a decoder consumed and produced.
struct DecodingProgress: Equatable {
  var consumed = 0
  var produced = 0
}

extension TransferFailure {
  static func corrupt(_ coding: ContentCoding, _ detail: String) -> TransferFailure {
    TransferFailure(
      .undecodableBody, message: "The body is not a valid \(coding.rawValue) stream: \(detail).")
  }

  static func truncated(_ coding: ContentCoding) -> TransferFailure {
    TransferFailure(
      .undecodableBody, message: "The body is incomplete: its \(coding.rawValue) stream ends too early.")
  }

  static func noMemory(for coding: ContentCoding) -> TransferFailure {
    TransferFailure(.outOfMemory, message: "Could not decode the \(coding.rawValue) body: out of memory.")
  }
}
