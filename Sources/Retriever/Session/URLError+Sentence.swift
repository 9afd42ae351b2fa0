#if !canImport(Darwin)
  import Foundation
  import TransferEngine

  extension URLError {
    /// An error with a sentence that a person can act on. Errors are logged: a name and password in the URL are left out.
    package init(_ code: URLError.Code, sentence: String, url: URL? = nil, underlying: (any Error)? = nil) {
      var information: [String: Any] = [NSLocalizedDescriptionKey: sentence]
      if let url = url.flatMap(Redaction.withoutCredentials) {
        information[NSURLErrorFailingURLErrorKey] = url
        // Spelled out: Foundation's constant for this key, which older programs read, is deprecated.
        information["NSErrorFailingURLStringKey"] = url.absoluteString
      }
      if let underlying { information[NSUnderlyingErrorKey] = underlying }
      self.init(code, userInfo: information)
    }

    /// A cancelled load's error.
    static func cancelled(_ url: URL?) -> URLError {
      URLError(.cancelled, sentence: "The load was cancelled.", url: url)
    }

    /// What the engine's failure is in Apple's codes.
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
        case .outOfMemory, .outOfDescriptors: .resourceUnavailable
        case .other: .unknown
        }
      self.init(code, sentence: failure.message, url: url, underlying: failure)
    }
  }
#endif
