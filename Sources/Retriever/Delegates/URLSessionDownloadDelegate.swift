#if !canImport(Darwin)
import Foundation

/// Receives the progress and the file of download tasks that were created without a completion handler.
public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
  /// The file is complete. It is removed when this method returns: move or open it before.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

  /// Bytes were written. `totalBytesExpectedToWrite` is `NSURLSessionTransferSizeUnknown` if the server did not send
  /// it.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

  /// A resumed download continues after the bytes that it already has.
  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64)
}

extension URLSessionDownloadDelegate {
  /// Does nothing, so the file is removed.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    DelegateProbe.reachedDefault(.didFinishDownloading, of: self)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
    totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
  ) {
    DelegateProbe.reachedDefault(.didWriteData, of: self)
  }

  /// Does nothing.
  public func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
    expectedTotalBytes: Int64
  ) {
    DelegateProbe.reachedDefault(.didResumeAtOffset, of: self)
  }
}

/// The value for an unknown length of a transfer.
public let NSURLSessionTransferSizeUnknown: Int64 = -1
#endif
