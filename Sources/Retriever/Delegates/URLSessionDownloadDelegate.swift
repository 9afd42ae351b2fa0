#if !canImport(Darwin)
  import Foundation

  /// Receives the progress and the file of download tasks that were made without a completion handler.
  public protocol URLSessionDownloadDelegate: URLSessionTaskDelegate {
    /// The file is complete. It is removed when this returns: move or open it before.
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL)

    /// Bytes were written. `totalBytesExpectedToWrite` is `NSURLSessionTransferSizeUnknown` when the server did not say.
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
      totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64)

    /// A resumed download goes on behind the bytes it already has.
    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didResumeAtOffset fileOffset: Int64,
      expectedTotalBytes: Int64)
  }

  extension URLSessionDownloadDelegate {
    /// Does nothing: the file is removed.
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

  /// The length of a transfer is not known.
  public let NSURLSessionTransferSizeUnknown: Int64 = -1
#endif
