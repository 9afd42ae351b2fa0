import HTTPSyntax
import Foundation
import Retriever

/// A request, checked, with what the pipeline knows it by.
struct RequestPlan: Sendable {
  let request: URLRequest
  let resource: ImageResource
  let host: String
  let form: ImageForm

  /// Fields that change which image is meant but tell no secret: with others nothing is written to disk.
  private static let harmlessFields: Set<String> = [
    "accept", "accept-language", "user-agent", "referer", "origin", "dpr", "width", "viewport-width",
    "save-data",
  ]

  init(_ request: ImageRequest, _ configuration: ImagePipeline.Configuration) throws {
    guard let url = request.urlRequest.url else {
      throw URLError(.badURL, sentence: "The request for an image has no URL.")
    }
    if let target = request.target, target.width < 1 || target.height < 1 {
      throw ImageError(
        .invalidRequest, "A thumbnail of \(target.width) by \(target.height) pixels cannot be made.")
    }
    guard request.urlRequest.httpMethod ?? "GET" == "GET" else {
      throw ImageError(.invalidRequest, "Images are fetched with GET, not with another method.")
    }
    guard request.urlRequest.httpBody == nil, request.urlRequest.httpBodyStream == nil else {
      throw ImageError(
        .invalidRequest, "An image is known by its URL and header fields; its request has no body.")
    }
    switch url.scheme.map({ ASCII.lowercased($0) }) {
    case "http", "https":
      host = Origin(url).map { "\($0.scheme)://\($0.host):\($0.port)" } ?? ""
    case "file" where configuration.allowsFileURLs:
      host = "file:"
    default:
      throw URLError(
        .unsupportedURL,
        sentence: "Images are fetched from http and https URLs, not from \(url.scheme ?? "others").",
        url: url)
    }
    self.request = request.urlRequest
    resource = ImageResource(identity: Self.identity(url, request.urlRequest))
    form = ImageForm(request.target)
  }

  /// Whether what the server sends may lie on disk: not if the request, or the session that sends it, says who asks,
  /// or carries a secret.
  static func isStorable(_ request: URLRequest, by session: URLSessionConfiguration) -> Bool {
    guard let url = request.url, !url.isFileURL, url.user == nil, url.password == nil else { return false }
    let names =
      (request.allHTTPHeaderFields ?? [:]).keys + (session.httpAdditionalHeaders ?? [:]).keys.map { "\($0)" }
    guard names.allSatisfy({ harmlessFields.contains(ASCII.lowercased($0)) }) else { return false }
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
