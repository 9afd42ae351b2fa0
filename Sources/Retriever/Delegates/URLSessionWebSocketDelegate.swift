#if !canImport(Darwin)
import Foundation

/// Receives events of WebSocket tasks.
public protocol URLSessionWebSocketDelegate: URLSessionTaskDelegate {
  /// The connection is open.
  ///
  /// - Parameters:
  ///   - session: the session of the task.
  ///   - webSocketTask: the task.
  ///   - protocol: the subprotocol that the server selected; nil for none.
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?)

  /// The server sent a Close frame.
  func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?)
}

extension URLSessionWebSocketDelegate {
  /// Does nothing.
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask, didOpenWithProtocol protocol: String?
  ) {
    DelegateProbe.reachedDefault(.didOpenWithProtocol, of: self)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
    didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
  ) {
    DelegateProbe.reachedDefault(.didCloseWith, of: self)
  }
}
#endif
