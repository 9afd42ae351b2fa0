#if !canImport(Darwin)
import Foundation

/// Receives events of stream tasks.
public protocol URLSessionStreamDelegate: URLSessionTaskDelegate {
  /// The read side is closed, by the server or by ``URLSessionStreamTask/closeRead()``.
  ///
  /// This may be called while nothing is being read. There may still be unread bytes: read until the end to get them.
  func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask)

  /// The write side is closed. Further writes fail.
  func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask)

  /// A better route to the server has been found.
  ///
  /// - Important: Linux does not report better routes, so this method is never called.
  func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask)

  /// The connection now belongs to two streams, because of ``URLSessionStreamTask/captureStreams()``.
  ///
  /// All reads and writes before that call have completed. The task has ended, and no other method is called for it. The
  /// streams are not open yet. They keep working after the session has been invalidated.
  func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
    outputStream: OutputStream)
}

extension URLSessionStreamDelegate {
  /// Does nothing.
  public func urlSession(_ session: URLSession, readClosedFor streamTask: URLSessionStreamTask) {
    DelegateProbe.reachedDefault(.readClosed, of: self)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, writeClosedFor streamTask: URLSessionStreamTask) {
    DelegateProbe.reachedDefault(.writeClosed, of: self)
  }

  /// Does nothing.
  public func urlSession(_ session: URLSession, betterRouteDiscoveredFor streamTask: URLSessionStreamTask) {}

  /// Does nothing, so the connection is closed.
  public func urlSession(
    _ session: URLSession, streamTask: URLSessionStreamTask, didBecome inputStream: InputStream,
    outputStream: OutputStream
  ) {
    DelegateProbe.reachedDefault(.didBecomeStreams, of: self)
  }
}
#endif
