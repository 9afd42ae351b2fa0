import Foundation
import Retriever
import RetrieverImages
import TerminalProgram

// Option values for images and URLs. An invalid value is a usage error that names the option.
extension ParsedArguments {
  /// Parses a size: `320x200`, or `320` for a square.
  func size(_ option: String, most: Int) throws(UsageError) -> (width: Int, height: Int)? {
    guard let text = value(option) else { return nil }
    let sides = text.lowercased().split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard let width = sides.first ?? nil, let height = sides.last ?? nil, sides.count <= 2,
      (1...most).contains(width), (1...most).contains(height)
    else { throw UsageError("--\(option) must be a size in pixels such as 320x200, not “\(text)”.") }
    return (width, height)
  }

  /// Parses a colour: `white`, `black`, `transparent`, `#rrggbb` or `#rrggbbaa`.
  func color(_ option: String) throws(UsageError) -> ImagePixels.Pixel? {
    guard let text = value(option)?.lowercased() else { return nil }
    switch text {
    case "white": return .init(red: 255, green: 255, blue: 255)
    case "black": return .init(red: 0, green: 0, blue: 0)
    case "transparent": return .init(red: 0, green: 0, blue: 0, alpha: 0)
    default: break
    }
    let digits = text.drop { $0 == "#" }
    let isHexadecimal = digits.utf8.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit }
    guard isHexadecimal, digits.count == 6 || digits.count == 8, let number = UInt32(digits, radix: 16) else {
      throw UsageError("--\(option) must be a colour such as white, #ffcc00 or transparent, not “\(text)”.")
    }
    let color = digits.count == 6 ? number << 8 | 0xff : number
    func sample(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: color >> shift) }
    return .init(red: sample(24), green: sample(16), blue: sample(8), alpha: sample(0))
  }

  /// Parses an `http` or `https` URL. Without a scheme, it is `http` for this machine and `https` for all other
  /// hosts.
  static func webURL(_ text: String) throws(UsageError) -> URL {
    let hasScheme = text.contains("://")
    let host = text.prefix { $0 != "/" && $0 != ":" && $0 != "?" }
    let isHere = host == "localhost" || host.hasPrefix("127.") || text.hasPrefix("[::1]")
    let full = hasScheme ? text : (isHere ? "http://" : "https://") + text
    guard let url = URL(string: full), ["http", "https"].contains(url.scheme?.lowercased() ?? ""),
      let name = url.host, !name.isEmpty
    else {
      // The text may contain a password.
      let shown = URL(string: full).map { "“\(DisplayText.safe(Redaction.text(of: $0)))”" } ?? "The argument"
      throw UsageError("\(shown) is not a valid http or https URL.")
    }
    return url
  }

  func webURLs() throws(UsageError) -> [URL] {
    var urls: [URL] = []
    for operand in operands { urls.append(try Self.webURL(operand)) }
    return urls
  }
}
