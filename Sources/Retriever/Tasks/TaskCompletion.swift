#if !canImport(Darwin)
import Foundation
import TransferEngine

/// The receiver of a task's result, and the form of the result.
enum TaskCompletion: Sendable {
  /// The session's delegate and its methods.
  case delegate
  case dataHandler(@Sendable (Data?, URLResponse?, (any Error)?) -> Void)
  case downloadHandler(@Sendable (URL?, URLResponse?, (any Error)?) -> Void)
  case data(UnsafeContinuation<(Data, URLResponse), any Error>)
  case download(UnsafeContinuation<(URL, URLResponse), any Error>)
  /// The caller of `bytes(for:)`, resumed by the head, or by an earlier error.
  case head(UnsafeContinuation<URLResponse, any Error>)

  /// Whether a caller awaits the result. Handlers and delegates are called on the delegate queue in order.
  var isAwaited: Bool {
    switch self {
    case .data, .download, .head: true
    case .delegate, .dataHandler, .downloadHandler: false
    }
  }
}

/// The destination of a task's body. Until the task completes, only the transfer's thread uses a sink.
enum BodySink: Sendable {
  /// Memory, for a body that is delivered at the end.
  case memory
  /// The delegate, which receives the body in parts.
  case delegate(DelegateBody)
  /// One reader, which receives the body as it arrives.
  case channel(BodyChannel)
  case file(DownloadFile)
  /// A WebSocket connection, which also provides the bytes to send.
  case webSocket(WebSocketConnection)
  /// A connection that the program reads and writes.
  case stream(StreamConnection)
}
#endif
