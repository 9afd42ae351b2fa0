import HTTPSyntax
import Foundation
import Retriever

/// A validated request with its identity and host.
struct RequestPlan: Sendable {
  let request: URLRequest
  let resource: ImageResource
  let host: String
  let form: ImageForm

  /// Header fields that select the image but are not secret. With any other field, nothing is written to disk.
  private static let nonIdentifyingFields: Set<String> = [
    "accept", "accept-language", "user-agent", "referer", "origin", "dpr", "width", "viewport-width",
    "save-data",
  ]

  init(_ request: ImageRequest, _ configuration: ImagePipeline.Configuration) throws {
    guard let url = request.urlRequest.url else {
      throw URLError(.badURL, message: "The image request has no URL.")
    }
    if let target = request.target { try ThumbnailGeometry.check(target) }
    guard request.urlRequest.httpMethod ?? "GET" == "GET" else {
      throw ImageError(.invalidRequest, "An image request must use the GET method.")
    }
    guard request.urlRequest.httpBody == nil, request.urlRequest.httpBodyStream == nil else {
      throw ImageError(
        .invalidRequest, "An image request must not have a body.")
    }
    switch url.scheme.map({ ASCII.lowercased($0) }) {
    case "http", "https":
      host = Origin(url).map { "\($0.scheme)://\($0.host):\($0.port)" } ?? ""
    case "file" where configuration.allowsFileURLs:
      host = "file:"
    default:
      throw URLError(
        .unsupportedURL,
        message: "The scheme \(url.scheme ?? "(none)") is not supported. Use an http or https URL.",
        url: url)
    }
    self.request = request.urlRequest
    resource = ImageResource(identity: Self.identity(url, request.urlRequest))
    form = ImageForm(request.target)
  }

  /// Returns whether the response may be stored on disk. This is not the case if the request, or the session that
  /// sends it, identifies the user or contains a secret.
  static func isStorable(_ request: URLRequest, by session: URLSessionConfiguration) -> Bool {
    guard let url = request.url, !url.isFileURL, url.user == nil, url.password == nil else { return false }
    let names =
      (request.allHTTPHeaderFields ?? [:]).keys + (session.httpAdditionalHeaders ?? [:]).keys.map { "\($0)" }
    guard names.allSatisfy({ nonIdentifyingFields.contains(ASCII.lowercased($0)) }) else { return false }
    if session.httpShouldSetCookies, session.httpCookieStorage?.cookies(for: url)?.isEmpty == false {
      return false
    }
    let host = url.host ?? ""
    return session.urlCredentialStorage?.allCredentials.keys.contains {
      ASCII.equalIgnoringCase($0.host, host)
    } != true
  }

  private static func identity(_ url: URL, _ request: URLRequest) -> String {
    let address = url.absoluteString
    var identity = String(address.prefix { $0 != "#" })
    for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      identity += "\n\(ASCII.lowercased(name)): \(value)"
    }
    return identity
  }
}
