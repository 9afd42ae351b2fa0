#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// A host name (`example.com`), or all names below one (`*.example.com`), optionally on one port only
  /// (`example.com:8080`). `*` alone is every host. An address is no pattern, see ``AddressRange``.
  public struct HostPattern: Sendable, Hashable, LosslessStringConvertible {
    private let name: String
    private let includesSubdomains: Bool
    private let port: Int?

    /// Reads a pattern; `nil` when the text is not one.
    ///
    /// - Parameter description: The pattern. A star can stand only for the whole of the leading labels.
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
        // The host of a URL is in its ASCII form; a pattern must be too, or it would never match.
        guard let ascii = URL(string: "http://\(name)/")?.host else { return nil }
        self.name = ascii
      }
      self.includesSubdomains = includesSubdomains
      self.port = port
    }

    /// The pattern in the form it is read from.
    public var description: String {
      let star = includesSubdomains ? (name.isEmpty ? "*" : "*.") : ""
      return star + name + (port.map { ":\($0)" } ?? "")
    }

    /// - Parameters:
    ///   - host: A name that `normalized(_:)` returned.
    ///   - port: The port, or nil when it is not known: patterns with a port do not match then.
    func matches(_ host: String, port: Int?) -> Bool {
      if let wanted = self.port, wanted != port { return false }
      guard includesSubdomains else { return host == name }
      return name.isEmpty || (host.hasSuffix(name) && host.dropLast(name.count).hasSuffix("."))
    }

    /// A name in lower case without the dot that marks it as complete.
    static func normalized(_ host: some StringProtocol) -> String {
      let folded = ASCII.lowercased(host)
      return folded.count > 1 && folded.hasSuffix(".") ? String(folded.dropLast()) : folded
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
      byte > 0x20 && byte != 0x7F && !"*/:@?#[]\\%".utf8.contains(byte)
    }
  }
#endif
