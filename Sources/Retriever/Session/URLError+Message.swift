#if !canImport(Darwin)
import Foundation
import TransferEngine

extension URLError {
  /// Creates an error with a message that a person can act on. The URL's name and password are removed, because
  /// errors are logged.
  package init(
    _ code: URLError.Code, message: String, suggestion: String? = nil, url: URL? = nil,
    underlying: (any Error)? = nil
  ) {
    var information: [String: Any] = [NSLocalizedDescriptionKey: message]
    if let suggestion { information[NSLocalizedRecoverySuggestionErrorKey] = suggestion }
    if let url = url.flatMap(Redaction.withoutCredentials) {
      information[NSURLErrorFailingURLErrorKey] = url
      // Written out, because Foundation's constant for this key, which older programs read, is deprecated.
      information["NSErrorFailingURLStringKey"] = url.absoluteString
    }
    if let underlying { information[NSUnderlyingErrorKey] = underlying }
    self.init(code, userInfo: information)
  }

  /// The error of a cancelled load.
  static func cancelled(_ url: URL?) -> URLError {
    URLError(.cancelled, message: "The load was cancelled.", url: url)
  }

  /// Converts the engine's failure to Apple's error codes.
  init(_ failure: TransferFailure, url: URL?) {
    let code: URLError.Code =
      switch failure.code {
      case .cancelled: .cancelled
      case .timedOut: .timedOut
      case .badURL: .badURL
      case .unsupportedScheme: .unsupportedURL
      case .hostNotFound: .cannotFindHost
      case .nameServiceFailed: .dnsLookupFailed
      case .cannotConnect, .proxyRefused: .cannotConnectToHost
      case .networkUnreachable: .notConnectedToInternet
      case .refusedByPolicy: .dataNotAllowed
      case .connectionLost: .networkConnectionLost
      case .badReply, .tooManyInformationalResponses, .headTooLarge: .badServerResponse
      case .bodyTooLarge: .dataLengthExceedsMaximum
      case .undecodableBody: .cannotDecodeContentData
      case .requestBodyFailed: .requestBodyStreamExhausted
      case .requestBodyNotRewindable: .requestBodyStreamExhausted
      case .secureConnectionFailed, .trustStoreUnreadable: .secureConnectionFailed
      case .certificateUntrusted: .serverCertificateUntrusted
      case .certificateExpired: .serverCertificateHasBadDate
      case .certificateNotYetValid: .serverCertificateNotYetValid
      case .certificateUnknownRoot: .serverCertificateHasUnknownRoot
      case .clientCertificateRejected: .clientCertificateRejected
      case .clientCertificateRequired: .clientCertificateRequired
      case .outOfMemory, .outOfDescriptors: .resourceUnavailable
      case .other: .unknown
      }
    let suggestion: String? =
      switch failure.code {
      case .certificateUnknownRoot:
        "If the server has a certificate of a private authority, set trustedCertificates of the session's configuration."
      default: nil
      }
    self.init(code, message: failure.message, suggestion: suggestion, url: url, underlying: failure)
  }
}
#endif
