#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  extension HTTPCookie {
    /// The header fields that send `cookies`: one called `Cookie`, or none when there are no cookies.
    ///
    /// - Parameter cookies: what to send, in this order. Whether they are for the same host is not asked.
    public class func requestHeaderFields(with cookies: [HTTPCookie]) -> [String: String] {
      cookies.isEmpty ? [:] : ["Cookie": fieldValue(sending: cookies)]
    }

    /// The cookies that the header fields of a response set.
    ///
    /// Several `Set-Cookie` fields may be joined with commas, as `HTTPURLResponse.allHeaderFields` has them.
    ///
    /// - Parameters:
    ///   - headerFields: the fields of the response; the case of a name does not matter.
    ///   - url: where the response is from: a cookie that names no domain is for its host, and one that names no path
    ///     for the directory of its path.
    /// - Returns: the cookies in the order of the fields, also those that `url` has no right to set:
    ///   ``HTTPCookieStorage/setCookies(_:for:mainDocumentURL:)`` refuses these.
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
