import CCompression
import Foundation
import HTTPService
import HTTPSyntax

/// The coding of a body, as in `Content-Encoding`.
enum ContentCoding: String, Sendable, Hashable, CaseIterable {
  case identity
  case gzip
  case brotli = "br"

  /// Chooses a coding from the field `Accept-Encoding` (RFC 9110, section 12.5.3): Brotli, then gzip, unless the client
  /// prefers the other one.
  init(acceptedBy fields: HTTPFields) {
    var qualities: [Substring: Int] = [:]
    for member in fields.listMembers("Accept-Encoding").prefix(32) {
      let parts = member.split(separator: ";", maxSplits: 1)
      guard let name = parts.first.map({ ASCII.lowercased(ASCII.trimmed($0)) }) else { continue }
      qualities[Substring(name)] = parts.count > 1 ? Self.quality(parts[1]) : 1000
    }
    let others = qualities["*"] ?? 0
    let (brotli, gzip) = (qualities["br"] ?? others, qualities["gzip"] ?? others)
    self = max(brotli, gzip) == 0 ? .identity : brotli >= gzip ? .brotli : .gzip
  }

  /// Parses a weight in thousandths. An invalid weight is 0, so that nothing is sent that the client may not accept.
  private static func quality(_ parameter: Substring) -> Int {
    let text = ASCII.trimmed(parameter)
    guard text.hasPrefix("q=") || text.hasPrefix("Q="), text.utf8.count <= 7,
      text.utf8.dropFirst(2).allSatisfy({ ASCII.isDigit($0) || $0 == UInt8(ascii: ".") }),
      let weight = Double(String(text.dropFirst(2))), weight <= 1
    else { return 0 }
    return Int(weight * 1000)
  }

  /// How much time a compression may take.
  enum Effort: Sendable {
    /// For bytes that are replaced soon.
    case moderate
    /// For bytes that never change.
    case best
  }

  /// Returns the bytes in this coding, or nil if they would not be smaller or memory is exhausted.
  func encoded(_ data: Data, effort: Effort) -> Data? {
    var count = 0
    let bytes = data.withUnsafeBytes { buffer -> UnsafeMutablePointer<UInt8>? in
      let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
      switch self {
      case .identity: return nil
      case .gzip: return ccompression_gzip(start, buffer.count, effort == .best ? 9 : 6, &count)
      case .brotli: return ccompression_brotli(start, buffer.count, effort == .best ? 11 : 5, &count)
      }
    }
    guard let bytes else { return nil }
    defer { free(bytes) }
    return count < data.count ? Data(bytes: bytes, count: count) : nil
  }
}
