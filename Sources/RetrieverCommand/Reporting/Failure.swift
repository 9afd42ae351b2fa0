import Foundation
import Retriever
import RetrieverImages
import TerminalProgram

// Failures of transfers and images.
extension Failure {
  static func httpStatus(_ response: HTTPURLResponse) -> Failure {
    let phrase = HTTPURLResponse.localizedString(forStatusCode: response.statusCode)
    let advice = response.statusCode == 401 ? " Use --user NAME, or add the host to ~/.netrc." : ""
    return Failure(.httpStatus, "The server answered \(response.statusCode) (\(phrase)).\(advice)")
  }

  static func tooLarge(_ limit: Int64) -> Failure {
    Failure(
      .tooLarge, "The data exceeds the limit of \(ByteText.exact(limit)). Raise --max-size to allow more.")
  }

  /// Converts any error that a library throws.
  package init(_ error: any Error) {
    switch error {
    case let error as URLError: self.init(Self.status(of: error.code), Self.message(of: error))
    case let error as ImageError: self.init(Self.status(of: error.code), error.description)
    case let error as StreamingError: self.init(.failure, error.description)
    default: self.init(general: error)
    }
  }

  private static func message(of error: URLError) -> String {
    let text = error.userInfo[NSLocalizedDescriptionKey] as? String ?? error.localizedDescription
    guard error.code == .serverCertificateHasUnknownRoot else { return text }
    return text + " Use --ca-file FILE if the server has a certificate of a private authority."
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
    case .unreadable: .fileSystem
    case .cancelled: .interrupted
    case .unreadableFile: .fileSystem
    case .outOfMemory, .invalidRequest: .failure
    default: .notAnImage
    }
  }
}
