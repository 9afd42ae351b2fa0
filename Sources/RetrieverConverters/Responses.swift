#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Retriever

extension Retriever.URLResponse {
  /// Creates a copy of a response of FoundationNetworking: an ``Retriever/HTTPURLResponse`` of an HTTP response.
  public static func converted(_ response: FoundationNetworking.URLResponse) -> Retriever.URLResponse? {
    if let response = response as? FoundationNetworking.HTTPURLResponse {
      return Retriever.HTTPURLResponse(response)
    }
    guard let url = response.url else { return nil }
    return Retriever.URLResponse(
      url: url, mimeType: response.mimeType, expectedContentLength: Int(response.expectedContentLength),
      textEncodingName: response.textEncodingName)
  }
}

extension Retriever.HTTPURLResponse {
  /// Creates a copy of a response of FoundationNetworking, which does not know the version of HTTP.
  public convenience init?(_ response: FoundationNetworking.HTTPURLResponse) {
    guard let url = response.url else { return nil }
    self.init(
      url: url, statusCode: response.statusCode, httpVersion: nil,
      headerFields: Fields.texts(of: response.allHeaderFields))
  }
}

extension FoundationNetworking.URLResponse {
  /// Creates a copy of a response of Retriever: a `FoundationNetworking.HTTPURLResponse` of an HTTP response.
  public static func converted(_ response: Retriever.URLResponse) -> FoundationNetworking.URLResponse? {
    if let response = response as? Retriever.HTTPURLResponse {
      return FoundationNetworking.HTTPURLResponse(response)
    }
    guard let url = response.url else { return nil }
    return FoundationNetworking.URLResponse(
      url: url, mimeType: response.mimeType, expectedContentLength: Int(response.expectedContentLength),
      textEncodingName: response.textEncodingName)
  }
}

extension FoundationNetworking.HTTPURLResponse {
  /// Creates a copy of a response of Retriever.
  public convenience init?(_ response: Retriever.HTTPURLResponse) {
    guard let url = response.url else { return nil }
    self.init(
      url: url, statusCode: response.statusCode, httpVersion: nil,
      headerFields: Fields.texts(of: response.allHeaderFields))
  }
}

extension Retriever.CachedURLResponse {
  /// Creates a copy of a stored response of FoundationNetworking; nil if its response has no URL.
  public convenience init?(_ stored: FoundationNetworking.CachedURLResponse) {
    guard let response = Retriever.URLResponse.converted(stored.response) else { return nil }
    self.init(
      response: response, data: stored.data, userInfo: stored.userInfo,
      storagePolicy: Retriever.URLCache.StoragePolicy(rawValue: stored.storagePolicy.rawValue) ?? .notAllowed)
  }
}

extension FoundationNetworking.CachedURLResponse {
  /// Creates a copy of a stored response of Retriever; nil if its response has no URL.
  public convenience init?(_ stored: Retriever.CachedURLResponse) {
    guard let response = FoundationNetworking.URLResponse.converted(stored.response) else { return nil }
    self.init(
      response: response, data: stored.data, userInfo: stored.userInfo,
      storagePolicy: FoundationNetworking.URLCache.StoragePolicy(rawValue: stored.storagePolicy.rawValue)
        ?? .notAllowed)
  }
}

private enum Fields {
  static func texts(of fields: [AnyHashable: Any]) -> [String: String] {
    fields.reduce(into: [:]) { texts, field in
      if let name = field.key as? String { texts[name] = field.value as? String }
    }
  }
}
#endif
