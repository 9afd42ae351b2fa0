#if !canImport(Darwin)
import HTTPSyntax
import Foundation

/// Checks whether a request can be sent, before any work is done for it.
package struct RequestValidation {
  /// Returns the problem with `request`, or `nil` if it can be sent.
  ///
  /// The error's description says what to change. It never contains the value of a field.
  package static func problem(with request: URLRequest) -> URLError? {
    guard let url = request.url else {
      return error(.unsupportedURL, nil, "The request has no URL. Set its url before loading it.")
    }
    return problem(with: url) ?? problem(withMethodAndFieldsOf: request, url: url)
  }

  private static func problem(with url: URL) -> URLError? {
    guard let scheme = url.scheme else {
      return error(
        .unsupportedURL, url,
        "The URL has no scheme. Begin it with https:// or http://.")
    }
    guard ASCII.equalIgnoringCase(scheme, "https") || ASCII.equalIgnoringCase(scheme, "http") else {
      return error(
        .unsupportedURL, url,
        "URLs with the scheme \"\(scheme)\" are not supported. Use https or http.")
    }
    guard let host = url.host(percentEncoded: false), !host.isEmpty else {
      return error(
        .badURL, url, "The URL has no host. Add one after the two slashes, as in https://example.com/.")
    }
    guard isUsable(host: host) else {
      return error(
        .badURL, url,
        "The URL's host contains an invalid character. Check the spelling of the host.")
    }
    if let port = url.port, !(1...65535).contains(port) {
      return error(.badURL, url, "The URL's port \(port) is invalid. Use a number from 1 to 65535.")
    }
    return nil
  }

  /// Returns whether the host has no characters that could make another parser see another host.
  private static func isUsable(host: String) -> Bool {
    if host.utf8.contains(UInt8(ascii: ":")) {
      // An IPv6 address, optionally with a zone.
      let parts = host.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
      return parts[0].utf8.allSatisfy { byte in
        byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || ASCII.isHexadecimalDigit(byte)
      } && (parts.count == 1 || ASCII.isToken(parts[1]))
    }
    return !host.utf8.contains { byte in
      switch byte {
      case 0...0x20, 0x7F, UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: "<"),
        UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["), UInt8(ascii: "\\"),
        UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "|"):
        true
      default: false
      }
    }
  }

  private static func problem(withMethodAndFieldsOf request: URLRequest, url: URL) -> URLError? {
    let method = request.fields.httpMethod
    guard method == "GET" || ASCII.isToken(method) else {
      return error(
        .badURL, url,
        "The request's method is invalid. Use letters, digits and hyphens only, as in PROPFIND.")
    }
    guard let fields = request.fields.headerFields else { return nil }
    for (name, value) in fields.entries {
      guard ASCII.isToken(name) else {
        return error(
          .badURL, url,
          "The request has a header field whose name is empty or contains an invalid character. "
            + "Use letters, digits and hyphens only, without a colon.")
      }
      if value.utf8.contains(where: { $0 == 0x0D || $0 == 0x0A || $0 == 0 }) {
        return error(
          .badURL, url,
          "The value of the request's header field \(name) contains a line break or a NUL character. "
            + "Remove it.")
      }
    }
    return nil
  }

  private static func error(_ code: URLError.Code, _ url: URL?, _ message: String) -> URLError {
    URLError(code, message: message, url: url)
  }
}
#endif
