#if !canImport(Darwin)
import Foundation
import FoundationNetworking
import Retriever

extension Retriever.URLRequest {
  /// Creates a copy of a request of FoundationNetworking. A body stream is shared, not copied. Pipelining is not copied, because
  /// it is never used.
  public init?(_ request: FoundationNetworking.URLRequest) {
    guard let url = request.url else { return nil }
    self.init(
      url: url, cachePolicy: CachePolicy(request.cachePolicy), timeoutInterval: request.timeoutInterval)
    mainDocumentURL = request.mainDocumentURL
    networkServiceType = NetworkServiceType(request.networkServiceType)
    allowsCellularAccess = request.allowsCellularAccess
    httpMethod = request.httpMethod
    allHTTPHeaderFields = request.allHTTPHeaderFields
    if let stream = request.httpBodyStream { httpBodyStream = stream } else { httpBody = request.httpBody }
    httpShouldHandleCookies = request.httpShouldHandleCookies
  }
}

extension FoundationNetworking.URLRequest {
  /// Creates a copy of a request of Retriever. A body stream is shared, not copied. What FoundationNetworking lacks, such
  /// as `assumesHTTP3Capable`, is lost.
  public init?(_ request: Retriever.URLRequest) {
    guard let url = request.url else { return nil }
    self.init(
      url: url, cachePolicy: CachePolicy(request.cachePolicy), timeoutInterval: request.timeoutInterval)
    mainDocumentURL = request.mainDocumentURL
    networkServiceType = NetworkServiceType(request.networkServiceType)
    allowsCellularAccess = request.allowsCellularAccess
    httpMethod = request.httpMethod
    allHTTPHeaderFields = request.allHTTPHeaderFields
    if let stream = request.httpBodyStream { httpBodyStream = stream } else { httpBody = request.httpBody }
    httpShouldHandleCookies = request.httpShouldHandleCookies
  }
}

// The numbers of these cases differ between the two modules: Retriever has Apple's.

extension Retriever.URLRequest.CachePolicy {
  init(_ policy: FoundationNetworking.NSURLRequest.CachePolicy) {
    self =
      switch policy {
      case .useProtocolCachePolicy: .useProtocolCachePolicy
      case .reloadIgnoringLocalCacheData: .reloadIgnoringLocalCacheData
      case .reloadIgnoringLocalAndRemoteCacheData: .reloadIgnoringLocalAndRemoteCacheData
      case .returnCacheDataElseLoad: .returnCacheDataElseLoad
      case .returnCacheDataDontLoad: .returnCacheDataDontLoad
      case .reloadRevalidatingCacheData: .reloadRevalidatingCacheData
      }
  }
}

extension FoundationNetworking.NSURLRequest.CachePolicy {
  init(_ policy: Retriever.URLRequest.CachePolicy) {
    self =
      switch policy {
      case .useProtocolCachePolicy: .useProtocolCachePolicy
      case .reloadIgnoringLocalCacheData: .reloadIgnoringLocalCacheData
      case .reloadIgnoringLocalAndRemoteCacheData: .reloadIgnoringLocalAndRemoteCacheData
      case .returnCacheDataElseLoad: .returnCacheDataElseLoad
      case .returnCacheDataDontLoad: .returnCacheDataDontLoad
      case .reloadRevalidatingCacheData: .reloadRevalidatingCacheData
      }
  }
}

extension Retriever.URLRequest.NetworkServiceType {
  init(_ type: FoundationNetworking.NSURLRequest.NetworkServiceType) {
    self =
      switch type {
      case .default: .default
      case .voip: .voip
      case .video: .video
      case .background: .background
      case .voice: .voice
      case .networkServiceTypeCallSignaling: .callSignaling
      }
  }
}

extension FoundationNetworking.NSURLRequest.NetworkServiceType {
  /// Types that FoundationNetworking lacks become the default.
  init(_ type: Retriever.URLRequest.NetworkServiceType) {
    self =
      switch type {
      case .voip: .voip
      case .video, .avStreaming, .responsiveAV: .video
      case .background: .background
      case .voice: .voice
      case .callSignaling: .networkServiceTypeCallSignaling
      case .default, .responsiveData: .default
      }
  }
}
#endif
