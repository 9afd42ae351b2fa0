#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation

  /// Makes the request that follows a redirect (RFC 9110, 15.4), without what another origin must not see.
  package enum RedirectRule {
    /// What a response means for the request it answers.
    package enum Outcome: Sendable {
      /// The response is not a redirect, or does not say where to: it is the answer.
      case notARedirect

      /// This is the next request.
      case follow(URLRequest)

      /// The redirect must not be followed.
      case refuse(URLError)
    }

    /// How many redirects in a row are followed; one more fails with `URLError.httpTooManyRedirects`.
    package static let limit = 20

    /// Makes the next request.
    ///
    /// The caller counts redirects, asks the delegates, and adds the cookies of the new URL.
    package static func nextRequest(after request: URLRequest, response: HTTPURLResponse) -> Outcome {
      let status = response.statusCode
      guard [301, 302, 303, 307, 308].contains(status), let base = response.url ?? request.url else {
        return .notARedirect
      }
      let locations = response.headerFields.values(for: "Location").map { String(ASCII.trimmed($0)) }
      guard let location = locations.first(where: { !$0.isEmpty }) else { return .notARedirect }
      // Nobody can say which of two was meant, and a header that an attacker added could be either.
      guard locations.allSatisfy({ $0 == location }) else {
        return .refuse(
          error(.redirectToNonExistentLocation, base, "The server redirected to several places at once."))
      }
      switch destination(location, from: base) {
      case .failure(let error): return .refuse(error)
      case .success(let url): return .follow(rewrite(request, status: status, from: base, to: url))
      }
    }

    private static func destination(_ location: String, from base: URL) -> Result<URL, URLError> {
      guard let url = URL(string: location, relativeTo: base)?.absoluteURL else {
        return .failure(
          error(.redirectToNonExistentLocation, base, "The server redirected to something that is not a URL.")
        )
      }
      let scheme = ASCII.lowercased(url.scheme ?? "")
      guard scheme == "http" || scheme == "https" else {
        return .failure(
          error(
            .unsupportedURL, base,
            "The server redirected to a URL of the scheme \"\(scheme)\"; only http and https are followed."))
      }
      guard let origin = Origin(url), 0...65_535 ~= origin.port else {
        return .failure(
          error(
            .redirectToNonExistentLocation, base, "The server redirected to a URL without a usable host."))
      }
      return .success(inheritingFragment(url, from: base))
    }

    /// A fragment of the original URL still holds, unless the redirect names one of its own (RFC 9110, 10.2.2).
    private static func inheritingFragment(_ url: URL, from base: URL) -> URL {
      guard url.fragment == nil, let fragment = base.fragment(percentEncoded: true),
        var components = URLComponents(url: url, resolvingAgainstBaseURL: true)
      else { return url }
      components.percentEncodedFragment = fragment
      return components.url ?? url
    }

    private static func rewrite(_ request: URLRequest, status: Int, from base: URL, to url: URL) -> URLRequest
    {
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
      // A GET that had a body keeps it on 301, 302, 307 and 308; after 303 there is none to send.
      if becomesGet || status == 303 {
        next.httpBody = nil
        next.httpBodyStream = nil
        fields.removeAll(where: describesBody)
      }
      if Origin(base) != Origin(url) {
        // What describes a body that is not sent again is gone already.
        let isDowngrade = isDowngrade(from: base, to: url)
        fields.removeAll { !RedirectFields.mayCross($0, hasBody: true, isDowngrade: isDowngrade) }
      }
      // Without fields there is nothing to write: that would only make an empty list where there was none.
      if fields.count != request.headerFields.count { next.headerFields = fields }
      return next
    }

    /// Whether a redirect leads from an encrypted connection to a plain one.
    static func isDowngrade(from base: URL, to url: URL) -> Bool {
      ASCII.lowercased(base.scheme ?? "") == "https" && ASCII.lowercased(url.scheme ?? "") == "http"
    }

    private static func describesBody(_ name: String) -> Bool {
      let folded = ASCII.lowercased(name)
      return folded.hasPrefix("content-")
        || ["transfer-encoding", "expect", "trailer", "digest", "repr-digest"].contains(folded)
    }

    private static func error(_ code: URLError.Code, _ url: URL, _ sentence: String) -> URLError {
      URLError(code, sentence: sentence, url: url)
    }
  }
#endif
