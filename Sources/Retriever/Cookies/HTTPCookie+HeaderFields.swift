#if !canImport(Darwin)
import HTTPSyntax
import Foundation

extension HTTPCookie {
  /// Returns the header fields that send `cookies`: one `Cookie` field, or none if there are no cookies.
  ///
  /// - Parameter cookies: the cookies to send, in this order. Their hosts are not checked.
  public class func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] {
    cookies.isEmpty ? [:] : ["Cookie": fieldValue(sending: cookies)]
  }

  /// Returns the cookies that the header fields of a response set.
  ///
  /// Several `Set-Cookie` fields may be joined with commas, as in `HTTPURLResponse.allHeaderFields`.
  ///
  /// - Parameters:
  ///   - headerFields: the fields of the response, with names in any case.
  ///   - url: the response's URL. A cookie without a domain is for its host, and a cookie without a path is for the
  ///     directory of its path.
  /// - Returns: the cookies in the order of the fields. They include cookies that `url` must not set, which
  ///   ``HTTPCookieStorage/setCookies(_:for:mainDocumentURL:)`` refuses.
  public class func cookies(withResponseHeaderFields headerFields: [String: String], for url: URL)
    -> [HTTPCookie]
  {
    let now = Date()
    return headerFields.filter { ASCII.equalIgnoringCase($0.key, "Set-Cookie") }
      .flatMap { SetCookieField.split($0.value) }
      .compactMap { SetCookieField.cookie($0, from: url, now: now).map(HTTPCookie.init) }
  }

  static func fieldValue(sending cookies: [HTTPCookie]) -> String {
    var value = ""
    for cookie in cookies {
      if !value.isEmpty { value += "; " }
      value += cookie.name
      value += "="
      value += cookie.value
    }
    return value
  }
}
#endif
