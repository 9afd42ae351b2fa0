#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// A host name (`example.com`), or all names below one (`*.example.com`), optionally with a port
/// (`example.com:8080`). `*` alone matches every host. An address is not a valid pattern; see ``AddressRange``.
public struct HostPattern: Sendable, Hashable, LosslessStringConvertible {
  private let name: String
  private let includesSubdomains: Bool
  private let port: Int?

  /// Parses a pattern; `nil` if the text is not a valid pattern.
  ///
  /// - Parameter description: The pattern. A star can replace only complete leading labels.
  public init?(_ description: String) {
    var text = description[...]
    var port: Int?
    if let colon = text.lastIndex(of: ":") {
      guard let number = ASCII.number(text[text.index(after: colon)...]), 1...65_535 ~= number else {
        return nil
      }
      port = Int(number)
      text = text[..<colon]
    }
    var includesSubdomains = false
    if text == "*" {
      includesSubdomains = true
      text = ""
    } else if text.hasPrefix("*.") {
      includesSubdomains = true
      text = text.dropFirst(2)
      guard !text.isEmpty else { return nil }
    } else if text.isEmpty {
      return nil
    }
    let name = HostPattern.normalized(text)
    guard name.utf8.allSatisfy(Self.isNameByte), IPAddress(host: name) == nil else { return nil }
    if name.utf8.allSatisfy({ $0 < 0x80 }) {
      self.name = name
    } else {
      // The host of a URL is in ASCII form, so the pattern must be too. Otherwise it would never match.
      guard let ascii = URL(string: "http://\(name)/")?.host else { return nil }
      self.name = ascii
    }
    self.includesSubdomains = includesSubdomains
    self.port = port
  }

  /// The pattern in the form that `init(_:)` accepts.
  public var description: String {
    let star = includesSubdomains ? (name.isEmpty ? "*" : "*.") : ""
    return star + name + (port.map { ":\($0)" } ?? "")
  }

  /// - Parameters:
  ///   - host: A name that `normalized(_:)` returned.
  ///   - port: The port, or nil if it is unknown: patterns with a port then do not match.
  func matches(_ host: String, port: Int?) -> Bool {
    if let wanted = self.port, wanted != port { return false }
    guard includesSubdomains else { return host == name }
    return name.isEmpty || (host.hasSuffix(name) && host.dropLast(name.count).hasSuffix("."))
  }

  /// The name in lower case, without the final dot of a fully qualified name.
  static func normalized(_ host: some StringProtocol) -> String {
    let folded = ASCII.lowercased(host)
    return folded.count > 1 && folded.hasSuffix(".") ? String(folded.dropLast()) : folded
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != 0x7F && !"*/:@?#[]\\%".utf8.contains(byte)
  }
}
#endif
