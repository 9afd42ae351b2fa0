import Foundation
import Glibc
import Retriever
import RetrieverImages

/// What went wrong, as it is told: one sentence, one exit status, no secrets.
package struct Failure: Error, Sendable, Equatable {
  package let status: ExitStatus
  package let message: String

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = DisplayText.safe(message)
  }

  /// A failed system call on a file.
  static func file(_ problem: String, _ code: Int32) -> Failure {
    if code == EPIPE { return Failure(.outputClosed, "the reader of the output went away") }
    if code == ECANCELED { return .cancelled }
    return Failure(.fileSystem, "\(problem): \(String(cString: strerror(code)))")
  }

  static let cancelled = Failure(.interrupted, "cancelled")

  static func httpStatus(_ response: HTTPURLResponse) -> Failure {
    let phrase = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
    var message = "the server answered \(response.statusCode) (\(phrase))"
    if response.statusCode == 401 {
      message += "; give --user NAME, or put the host into ~/.netrc"
    }
    return Failure(.httpStatus, message)
  }

  static func tooLarge(_ limit: Int64) -> Failure {
    Failure(.tooLarge, "more than \(ByteText.exact(limit)) came, which is all that --max-size allows")
  }

  /// Any error that a library throws.
  package init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let usage as UsageError: self.init(.usage, usage.message)
    case let error as URLError: self.init(Self.status(of: error.code), Self.sentence(of: error))
    case let error as ImageError: self.init(Self.status(of: error.code), Self.withoutStop(error.message))
    case is CancellationError: self = .cancelled
    case let error as StreamingError: self.init(.failure, error.description)
    case let error as CocoaError: self.init(.fileSystem, Self.sentence(of: error))
    default: self.init(.failure, error.localizedDescription)
    }
  }

  private static func sentence(of error: URLError) -> String {
    let text = error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
    return withoutStop(text)
  }

  private static func withoutStop(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  private static func sentence(of error: CocoaError) -> String {
    let text = error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
    let reason = (error.userInfo[NSUnderlyingErrorKey] as? POSIXError)
      .map { " " + String(cString: strerror($0.code.rawValue)) }
    return text + (reason ?? "")
  }

  private static func status(of code: URLError.Code) -> ExitStatus {
    switch code {
    case .cannotFindHost, .dnsLookupFailed: .hostNotFound
    case .timedOut: .timedOut
    case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
      .serverCertificateNotYetValid, .serverCertificateHasUnknownRoot, .clientCertificateRejected,
      .clientCertificateRequired:
      .security
    case .cannotConnectToHost, .networkConnectionLost, .notConnectedToInternet, .cannotParseResponse,
      .badServerResponse, .cannotDecodeContentData, .cannotDecodeRawData, .httpTooManyRedirects,
      .redirectToNonExistentLocation, .dataNotAllowed, .resourceUnavailable, .requestBodyStreamExhausted:
      .connection
    case .badURL, .unsupportedURL: .usage
    case .fileDoesNotExist, .fileIsDirectory, .noPermissionsToReadFile, .cannotCreateFile, .cannotOpenFile,
      .cannotWriteToFile, .cannotCloseFile, .cannotMoveFile, .cannotRemoveFile:
      .fileSystem
    case .dataLengthExceedsMaximum: .tooLarge
    case .cancelled: .interrupted
    case .userAuthenticationRequired, .userCancelledAuthentication: .httpStatus
    default: .failure
    }
  }

  private static func status(of code: ImageError.Code) -> ExitStatus {
    switch code {
    case .tooLarge: .tooLarge
    case .cancelled: .interrupted
    case .outOfMemory, .invalidRequest: .failure
    default: .notAnImage
    }
  }
}
