import HTTPSyntax

/// The alternatives for HTTP/3 that the fields `Alt-Svc` of a response list (RFC 7838, 3). It has no side effects.
///
/// Alternatives for other protocols and parameters other than `ma` are ignored. The value `clear` lists none.
struct AlternativeServiceField: Equatable, Sendable {
  struct Service: Equatable, Sendable {
    /// In lower case; empty for the host of the response.
    var host: String
    var port: UInt16
    /// How long the alternative may be used.
    var maximumAge: Duration = .seconds(86_400)
  }

  /// In the server's order of preference.
  private(set) var services: [Service] = []

  /// A longer value is ignored.
  static let maximumBytes = 8 << 10
  /// Alternatives after these are ignored.
  static let maximumServices = 16
  /// A longer age counts as this one.
  static let maximumAge = Duration.seconds(30 * 86_400)

  /// Returns nil if the value is not valid. Several fields are one value, joined with commas.
  init?(_ value: String) {
    guard value.utf8.count <= Self.maximumBytes else { return nil }
    if ASCII.trimmed(value) == "clear" { return }
    var scanner = Scanner(bytes: Array(value.utf8))
    var hasMember = false
    while true {
      scanner.skipBlanks()
      if scanner.isAtEnd { break }
      // Lists may have empty members (RFC 9110, 5.6.1).
      if scanner.take(",") { continue }
      guard let service = scanner.takeMember() else { return nil }
      hasMember = true
      if case .usable(let service) = service, services.count < Self.maximumServices {
        services.append(service)
      }
      scanner.skipBlanks()
      guard scanner.isAtEnd || scanner.take(",") else { return nil }
    }
    guard hasMember else { return nil }
  }

  private enum Member {
    case usable(Service)
    case ignored
  }

  private struct Scanner {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }

    mutating func skipBlanks() {
      while index < bytes.count, ASCII.isBlank(bytes[index]) { index += 1 }
    }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
      guard index < bytes.count, bytes[index] == UInt8(ascii: character) else { return false }
      index += 1
      return true
    }

    mutating func takeToken() -> String? {
      let start = index
      while index < bytes.count, ASCII.isTokenCharacter(bytes[index]) { index += 1 }
      return index == start ? nil : String(decoding: bytes[start..<index], as: UTF8.self)
    }

    mutating func takeQuoted() -> String? {
      guard take("\"") else { return nil }
      var content: [UInt8] = []
      while index < bytes.count {
        let byte = bytes[index]
        index += 1
        if byte == UInt8(ascii: "\"") { return String(decoding: content, as: UTF8.self) }
        if byte == UInt8(ascii: "\\") {
          guard index < bytes.count else { return nil }
          content.append(bytes[index])
          index += 1
        } else {
          content.append(byte)
        }
      }
      return nil
    }

    /// Takes a member like `h3=":443"; ma=3600`.
    mutating func takeMember() -> Member? {
      guard let name = takeToken(), take("="), let authority = takeQuoted() else { return nil }
      var service = name == "h3" ? Self.service(authority) : nil
      while true {
        let end = index
        skipBlanks()
        guard take(";") else {
          index = end
          break
        }
        skipBlanks()
        guard let parameter = takeToken(), take("=") else { return nil }
        let value = index < bytes.count && bytes[index] == UInt8(ascii: "\"") ? takeQuoted() : takeToken()
        guard let value else { return nil }
        guard ASCII.equalIgnoringCase(parameter, "ma") else { continue }
        guard value.utf8.allSatisfy(ASCII.isDigit), !value.isEmpty else {
          service = nil
          continue
        }
        // A number that is too large for 64 bits is also too old.
        service?.maximumAge = Int64(value).map { min(.seconds($0), maximumAge) } ?? maximumAge
      }
      return service.map(Member.usable) ?? .ignored
    }

    /// Parses `host:port` or `:port`. The port is mandatory.
    private static func service(_ authority: String) -> Service? {
      if authority.hasPrefix(":") {
        return HostAndPort("x" + authority)?.port.map { Service(host: "", port: $0) }
      }
      guard let place = HostAndPort(authority), let port = place.port else { return nil }
      return Service(host: place.host, port: port)
    }
  }
}
