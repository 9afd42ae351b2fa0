#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// Loads `data:` URLs (RFC 2397).
final class DataURLProtocol: URLProtocol {
  override class func canInit(with request: URLRequest) -> Bool {
    request.url?.scheme.map { ASCII.equalIgnoringCase($0, "data") } ?? false
  }

  override func startLoading() {
    guard let url = request.url, let content = DataURL(url.absoluteString) else {
      client?.urlProtocol(
        self,
        didFailWithError: URLError(
          .badURL, message: "The data URL is not valid. It must have the form data:type;base64,content."))
      return
    }
    let response = URLResponse(
      url: url, mimeType: content.mimeType, expectedContentLength: content.data.count,
      textEncodingName: content.charset)
    client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    client?.urlProtocol(self, didLoad: content.data)
    client?.urlProtocolDidFinishLoading(self)
  }
}

/// The content of a `data:` URL.
struct DataURL {
  let mimeType: String
  let charset: String?
  let data: Data

  /// Parses a URL. Returns nil if it has no comma, or if its base64 is not valid.
  init?(_ text: String) {
    guard let colon = text.firstIndex(of: ":"), let comma = text[colon...].firstIndex(of: ",") else {
      return nil
    }
    var type = text[text.index(after: colon)..<comma]
    // A fragment is not part of the content.
    let encoded = text[text.index(after: comma)...].prefix { $0 != "#" }
    let marker = type.lastIndex(of: ";").map { type[type.index(after: $0)...] }
    let isBase64 = marker.map { ASCII.equalIgnoringCase(ASCII.trimmed($0), "base64") } ?? false
    if isBase64, let semicolon = type.lastIndex(of: ";") { type = type[..<semicolon] }
    guard let content = PercentEncoding.bytes(of: encoded.utf8) else { return nil }
    if isBase64 {
      guard let decoded = Self.base64(content) else { return nil }
      data = decoded
    } else {
      data = Data(content)
    }
    let parameters = HeaderParameters(type.first == ";" ? "text/plain" + type : String(type))
    if parameters.value.contains("/") {
      mimeType = parameters.value
      charset = parameters["charset"].map { ASCII.lowercased($0) }
    } else {
      mimeType = "text/plain"
      charset = "us-ascii"
    }
  }

  /// Decodes base64 as browsers do: white space is ignored, and the padding may be missing.
  private static func base64(_ content: [UInt8]) -> Data? {
    var text = content.filter { ![0x09, 0x0A, 0x0C, 0x0D, 0x20].contains($0) }
    guard text.count % 4 != 1 else { return nil }
    while text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
    return Data(base64Encoded: Data(text))
  }
}
#endif
