#if !canImport(Darwin)
import Foundation

extension WebSocketEnd {
  /// The error for what can no longer be sent or received.
  func error(url: URL?) -> URLError {
    switch self {
    case .closed(let frame):
      let code = frame.code.map { "with code \($0)" } ?? "without a code"
      return URLError(
        .networkConnectionLost, message: "The server closed the WebSocket connection \(code).", url: url,
        underlying: POSIXError(.ENOTCONN))
    case .cancelled:
      return URLError(.cancelled, message: "The WebSocket connection was closed by this program.", url: url)
    case .failed(let failure):
      let code: URLError.Code =
        switch failure.code {
        case .protocolError: .badServerResponse
        case .invalidText: .cannotDecodeContentData
        case .messageTooBig: .dataLengthExceedsMaximum
        case .internalError: .resourceUnavailable
        }
      return URLError(code, message: failure.message, url: url)
    case .lost:
      return URLError(
        .networkConnectionLost,
        message: "The WebSocket connection ended without a Close frame of the server.", url: url)
    case .timedOut:
      return URLError(
        .timedOut, message: "The server did not answer the Close frame in time.", url: url)
    case .transport(let error): return error
    }
  }
}
#endif
