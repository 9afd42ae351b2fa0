#if !canImport(Darwin)
  import HTTPSyntax

  /// One way to authenticate that a server offers in `WWW-Authenticate`, or a proxy in `Proxy-Authenticate`.
  package struct AuthenticateOffer: Sendable, Hashable {
    /// The scheme in lower case, such as `basic`.
    package var scheme: String

    /// The parameters by lower-case name; of two with one name the first counts.
    package var parameters: [String: String] = [:]

    /// What some schemes send instead of parameters.
    package var token68: String?

    /// The name that the server gave the protected part of itself.
    package var realm: String? { parameters["realm"] }

    package init(scheme: String, parameters: [String: String] = [:], token68: String? = nil) {
      self.scheme = scheme
      self.parameters = parameters
      self.token68 = token68
    }

    /// More offers, or more parameters of one, than any honest server sends are left out.
    static let offerLimit = 32
    static let parameterLimit = 64

    /// Reads the offers of one or more header fields in the order in which they were made.
    ///
    /// A field may hold several challenges (RFC 9110, 11.6.1); what cannot be read is skipped.
    package static func parse(_ fieldValues: [String]) -> [AuthenticateOffer] {
      var offers: [AuthenticateOffer] = []
      for value in fieldValues where offers.count < offerLimit {
        // A parameter never continues a challenge of another field line.
        var parser = AuthenticateFieldParser(value)
        offers += parser.offers().prefix(offerLimit - offers.count)
      }
      return offers
    }
  }

  /// Reads `challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]` from one field.
  ///
  /// Both the list of challenges and the parameters of one are separated by commas, so that only what follows
  /// a word tells whether it is the name of a parameter (`=`) or the scheme of a new challenge.
  private struct AuthenticateFieldParser {
    private let bytes: [UInt8]
    private var position = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    mutating func offers() -> [AuthenticateOffer] {
      var offers: [AuthenticateOffer] = []
      while true {
        skip { $0 == .comma || ASCII.isBlank($0) }
        guard position < bytes.count else { return offers }
        guard let word = token() else {
          skipPastComma()
          continue
        }
        if let value = parameterValue() {
          guard let last = offers.indices.last else { continue }
          if offers[last].parameters.count < AuthenticateOffer.parameterLimit {
            let name = ASCII.lowercased(word)
            offers[last].parameters[name] = offers[last].parameters[name] ?? value
          }
        } else {
          guard offers.count < AuthenticateOffer.offerLimit else { return offers }
          offers.append(AuthenticateOffer(scheme: ASCII.lowercased(word), token68: token68()))
        }
      }
    }

    /// The value after `=`, or nil, with nothing consumed, when no `=` follows.
    private mutating func parameterValue() -> String? {
      let start = position
      skip(ASCII.isBlank)
      guard position < bytes.count, bytes[position] == .equals else {
        position = start
        return nil
      }
      position += 1
      skip(ASCII.isBlank)
      if position < bytes.count, bytes[position] == .quote { return quotedString() }
      let value = take { $0 != .comma && !ASCII.isBlank($0) }
      return String(decoding: value, as: UTF8.self)
    }

    /// A quoted string without its quotes; one that is never closed goes to the end of the field.
    private mutating func quotedString() -> String {
      position += 1
      var content: [UInt8] = []
      while position < bytes.count, bytes[position] != .quote {
        if bytes[position] == .backslash, position + 1 < bytes.count { position += 1 }
        content.append(bytes[position])
        position += 1
      }
      position = min(position + 1, bytes.count)
      return String(decoding: content, as: UTF8.self)
    }

    /// A token68 that is all there is up to the next comma, or nil with nothing consumed.
    private mutating func token68() -> String? {
      let start = position
      skip(ASCII.isBlank)
      guard position > start else { return nil }
      let first = position
      skip(\.isToken68)
      guard position > first else {
        position = start
        return nil
      }
      skip { $0 == .equals }
      let end = position
      skip(ASCII.isBlank)
      guard position == bytes.count || bytes[position] == .comma else {
        position = start
        return nil
      }
      return String(decoding: bytes[first..<end], as: UTF8.self)
    }

    private mutating func token() -> String? {
      let word = take(ASCII.isTokenCharacter)
      return word.isEmpty ? nil : String(decoding: word, as: UTF8.self)
    }

    private mutating func skipPastComma() {
      skip { $0 != .comma }
    }

    private mutating func skip(_ matches: (UInt8) -> Bool) { _ = take(matches) }

    private mutating func take(_ matches: (UInt8) -> Bool) -> ArraySlice<UInt8> {
      let start = position
      while position < bytes.count, matches(bytes[position]) { position += 1 }
      return bytes[start..<position]
    }
  }

  extension UInt8 {
    fileprivate static var comma: UInt8 { UInt8(ascii: ",") }
    fileprivate static var equals: UInt8 { UInt8(ascii: "=") }
    fileprivate static var quote: UInt8 { UInt8(ascii: "\"") }
    fileprivate static var backslash: UInt8 { UInt8(ascii: "\\") }

    fileprivate var isToken68: Bool {
      switch self {
      case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "+"),
        UInt8(ascii: "/"):
        true
      default:
        ASCII.isDigit(self) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= ASCII.lowercased(self)
      }
    }
  }
#endif
