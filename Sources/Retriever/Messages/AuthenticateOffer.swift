#if !canImport(Darwin)
import HTTPSyntax

/// One way to authenticate that a server offers in `WWW-Authenticate` or a proxy in `Proxy-Authenticate`.
package struct AuthenticateOffer: Sendable, Hashable {
  /// The scheme in lower case, such as `basic`.
  package var scheme: String

  /// The parameters by lower-case name. If a name occurs twice, the first value is used.
  package var parameters: [String: String] = [:]

  /// The token68 that some schemes send instead of parameters.
  package var token68: String?

  /// The name that the server gave to this protection space.
  package var realm: String? { parameters["realm"] }

  package init(scheme: String, parameters: [String: String] = [:], token68: String? = nil) {
    self.scheme = scheme
    self.parameters = parameters
    self.token68 = token68
  }

  /// The maximum number of offers, and of parameters in one offer. Any beyond that are ignored.
  static let maximumOffers = 32
  static let maximumParameters = 64

  /// Parses the offers of one or more header fields, in the order of the fields.
  ///
  /// A field may contain several challenges (RFC 9110, 11.6.1). Text that is not valid is skipped.
  package static func parse(_ fieldValues: [String]) -> [AuthenticateOffer] {
    var offers: [AuthenticateOffer] = []
    for value in fieldValues where offers.count < maximumOffers {
      // A parameter never continues a challenge of another field line.
      var parser = AuthenticateFieldParser(value)
      offers += parser.offers().prefix(maximumOffers - offers.count)
    }
    return offers
  }
}

/// Parses `challenge = auth-scheme [ 1*SP ( token68 / #auth-param ) ]` from one field.
///
/// Commas separate the challenges, and also the parameters of one challenge. Only what follows a word shows whether
/// it is a parameter's name (`=`) or the scheme of a new challenge.
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
        if offers[last].parameters.count < AuthenticateOffer.maximumParameters {
          let name = ASCII.lowercased(word)
          offers[last].parameters[name] = offers[last].parameters[name] ?? value
        }
      } else {
        guard offers.count < AuthenticateOffer.maximumOffers else { return offers }
        offers.append(AuthenticateOffer(scheme: ASCII.lowercased(word), token68: token68()))
      }
    }
  }

  /// The value after `=`. Returns `nil` and consumes nothing if no `=` follows.
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

  /// A quoted string without its quotes. A string that is not terminated extends to the end of the field.
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

  /// A token68 that extends to the next comma. Returns `nil` and consumes nothing if there is none.
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
