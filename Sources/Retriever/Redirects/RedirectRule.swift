#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// Creates the request that follows a redirect (RFC 9110, 15.4), without anything that another origin must not see.
package enum RedirectRule {
  /// The result of a response for the request that it answers.
  package enum Outcome: Sendable {
    /// The response is not a redirect, or has no location. It is the final response.
    case notARedirect

    /// The redirect leads to this request.
    case follow(URLRequest)

    /// The redirect must not be followed.
    case refuse(URLError)
  }

  /// The maximum number of redirects in a row. One more fails with `URLError.httpTooManyRedirects`.
  package static let maximumRedirects = 20

  /// Creates the next request.
  ///
  /// The caller counts redirects, asks the delegates, and adds the cookies of the new URL.
  ///
  /// - Parameter allowsWebSocket: Whether `ws` and `wss` are accepted too, and converted to `http` and `https`.
  package static func nextRequest(
    after request: URLRequest, response: HTTPURLResponse, allowsWebSocket: Bool = false
  ) -> Outcome {
    let status = response.statusCode
    guard [301, 302, 303, 307, 308].contains(status), let base = response.url ?? request.url else {
      return .notARedirect
    }
    let locations = response.headerFields.values(for: "Location").map { String(ASCII.trimmed($0)) }
    guard let location = locations.first(where: { !$0.isEmpty }) else { return .notARedirect }
    // It is unclear which of two was meant, and an attacker may have added one of them.
    guard locations.allSatisfy({ $0 == location }) else {
      return .refuse(
        error(.redirectToNonExistentLocation, base, "The server redirected to several URLs."))
    }
    switch destination(location, from: base, allowsWebSocket) {
    case .failure(let error): return .refuse(error)
    case .success(let url): return .follow(rewrite(request, status: status, from: base, to: url))
    }
  }

  private static func destination(
    _ location: String, from base: URL, _ allowsWebSocket: Bool
  ) -> Result<URL, URLError> {
    guard var url = URL(string: location, relativeTo: base)?.absoluteURL else {
      return .failure(
        error(.redirectToNonExistentLocation, base, "The server redirected to something that is not a URL.")
      )
    }
    if allowsWebSocket { url = URLRequest.httpURL(forWebSocket: url) }
    let scheme = ASCII.lowercased(url.scheme ?? "")
    guard scheme == "http" || scheme == "https" else {
      return .failure(
        error(
          .unsupportedURL, base,
          "The server redirected to a URL with scheme \"\(scheme)\"; only http and https are supported."))
    }
    guard let origin = Origin(url), 0...65_535 ~= origin.port else {
      return .failure(
        error(
          .redirectToNonExistentLocation, base, "The server redirected to a URL without a usable host."))
    }
    return .success(inheritingFragment(url, from: base))
  }

  /// Keeps the fragment of the original URL, unless the redirect has its own (RFC 9110, 10.2.2).
  private static func inheritingFragment(_ url: URL, from base: URL) -> URL {
    guard url.fragment == nil, let fragment = base.fragment(percentEncoded: true),
      var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    else { return url }
    components.percentEncodedFragment = fragment
    return components.url ?? url
  }

  private static func rewrite(_ request: URLRequest, status: Int, from base: URL, to url: URL) -> URLRequest {
    var next = request
    var fields = request.headerFields
    next.url = url
    if request.mainDocumentURL == request.url { next.mainDocumentURL = url }

    let method = ASCII.uppercased(request.httpMethod ?? "GET")
    let becomesGet =
      switch status {
      case 301, 302: method == "POST"
      case 303: method != "HEAD" && method != "GET"
      default: false
      }
    if becomesGet { next.httpMethod = "GET" }
    // A GET with a body keeps it on 301, 302, 307 and 308, and loses it on 303.
    if becomesGet || status == 303 {
      next.httpBody = nil
      next.httpBodyStream = nil
      fields.removeAll(where: describesBody)
    }
    if Origin(base) != Origin(url) {
      // The fields that describe a body that is not sent again have already been removed.
      let isDowngrade = isDowngrade(from: base, to: url)
      fields.removeAll { !RedirectFields.mayCross($0, hasBody: true, isDowngrade: isDowngrade) }
    }
    // Writing unchanged fields would only replace a missing list with an empty one.
    if fields.count != request.headerFields.count { next.headerFields = fields }
    return next
  }

  /// Whether a redirect leads from an encrypted connection to an unencrypted one.
  static func isDowngrade(from base: URL, to url: URL) -> Bool {
    ASCII.lowercased(base.scheme ?? "") == "https" && ASCII.lowercased(url.scheme ?? "") == "http"
  }

  private static func describesBody(_ name: String) -> Bool {
    let folded = ASCII.lowercased(name)
    return folded.hasPrefix("content-")
      || ["transfer-encoding", "expect", "trailer", "digest", "repr-digest"].contains(folded)
  }

  private static func error(_ code: URLError.Code, _ url: URL, _ message: String) -> URLError {
    URLError(code, message: message, url: url)
  }
}

/// The header fields that follow a redirect to another origin: the ones listed here, and no others.
///
/// A list of secret names would never be complete, because programs name their secrets as they like. The list
/// therefore contains the fields that are known to reveal nothing about the sender.
enum RedirectFields {
  /// The client's preferences and capabilities, and the conditions of RFC 9110 and RFC 9111.
  static let harmless: Set<String> = [
    "accept", "accept-charset", "accept-encoding", "accept-language", "cache-control", "dnt", "if-match",
    "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "pragma", "range", "sec-gpc",
    "user-agent",
  ]

  /// The fields that describe a body, which are harmless if the body is sent too.
  static let describingBody: Set<String> = [
    "content-digest", "content-disposition", "content-encoding", "content-language", "content-length",
    "content-md5", "content-type", "digest", "expect", "repr-digest",
  ]

  /// Whether a field follows a redirect to another origin.
  ///
  /// - Parameters:
  ///   - name: the field's name.
  ///   - hasBody: whether the body is sent too.
  ///   - isDowngrade: whether the redirect leads from https to http, where anyone could read the page's address.
  static func mayCross(_ name: String, hasBody: Bool, isDowngrade: Bool) -> Bool {
    let folded = ASCII.lowercased(name)
    if folded == "referer" { return !isDowngrade }
    return harmless.contains(folded) || (hasBody && describingBody.contains(folded))
  }
}
#endif
