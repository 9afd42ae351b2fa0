#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// The protocol classes of the library, for `data:` and `file:` URLs.
enum BuiltInProtocols {
  static let all: [URLProtocol.Type] = [DataURLProtocol.self, FileURLProtocol.self]

  /// Returns the class for a URL; nil for the network.
  static func protocolClass(for url: URL) -> URLProtocol.Type? {
    // Most URLs begin with "http", and need no more than a look at that.
    guard let scheme = url.scheme, scheme.utf8.first != UInt8(ascii: "h") else { return nil }
    if ASCII.equalIgnoringCase(scheme, "data") { return DataURLProtocol.self }
    return ASCII.equalIgnoringCase(scheme, "file") ? FileURLProtocol.self : nil
  }
}
#endif
