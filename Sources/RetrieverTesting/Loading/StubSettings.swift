import Foundation
import HTTPSyntax
import Retriever

/// What a session would do with requests and responses on the network, and stubs do in its place.
struct StubSettings: Sendable {
  let configuration: URLSessionConfiguration

  /// The header fields of a request, with those that the session adds.
  func headers(of request: URLRequest, to url: URL) -> [String: String] {
    var headers = request.allHTTPHeaderFields ?? [:]
    func contains(_ name: String) -> Bool {
      headers.keys.contains { ASCII.equalIgnoringCase($0, name) }
    }
    for (name, value) in configuration.httpAdditionalHeaders ?? [:] where !contains("\(name)") {
      headers["\(name)"] = "\(value)"
    }
    if request.httpShouldHandleCookies, configuration.httpShouldSetCookies, !contains("Cookie"),
      let cookies = configuration.httpCookieStorage?.cookies(for: url), !cookies.isEmpty
    {
      headers.merge(HTTPCookie.requestHeaderFields(with: cookies)) { own, _ in own }
    }
    return headers
  }

  /// Stores the cookies of a response.
  func storeCookies(of fields: [(name: String, value: String)], from url: URL, mainDocument: URL?) {
    guard let storage = configuration.httpCookieStorage, configuration.httpCookieAcceptPolicy != .never else {
      return
    }
    for field in fields where ASCII.equalIgnoringCase(field.name, "Set-Cookie") {
      let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": field.value], for: url)
      storage.setCookies(cookies, for: url, mainDocumentURL: mainDocument)
    }
  }

  /// The time that a request may go without progress.
  func timeout(of request: URLRequest) -> Duration {
    // The default of a request means that the session's time-out counts.
    let seconds =
      request.timeoutInterval == 60 ? configuration.timeoutIntervalForRequest : request.timeoutInterval
    return .seconds(min(max(0, seconds), 1_000_000_000))
  }

  func proposedCredential(for space: URLProtectionSpace) -> URLCredential? {
    configuration.urlCredentialStorage?.defaultCredential(for: space)
  }
}
