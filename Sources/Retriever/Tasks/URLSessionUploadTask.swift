#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

/// A task that sends a body.
///
/// If the server supports resumable uploads, an upload from memory, from a file or from the delegate's stream can be
/// resumed after an interruption. <doc:UploadsThatResume> has the details.
open class URLSessionUploadTask: URLSessionDataTask, @unchecked Sendable {
  /// Cancels the task and passes the data for resuming it to a handler.
  ///
  /// - Parameter completionHandler: receives the resume data. It is nil if the server has not offered to resume the
  ///   upload, if the upload had not started, or if it was complete.
  open func cancel(byProducingResumeData completionHandler: @escaping @Sendable (Data?) -> Void) {
    cancelProducingResumeData(for: completionHandler)
  }

  /// Cancels the task and returns the data for resuming it; nil if it cannot be resumed.
  @discardableResult
  open func cancelByProducingResumeData() async -> Data? {
    await withUnsafeContinuation { continuation in
      cancel(byProducingResumeData: { continuation.resume(returning: $0) })
    }
  }

  /// Creates the task that resumes an upload. Without resume data, it has no URL and must be failed.
  convenience init(session: URLSession, resuming resume: UploadResumeData?) {
    guard let resume else {
      var request = URLRequest(url: URL(fileURLWithPath: "/"))
      request.url = nil
      self.init(session: session, request: request)
      return
    }
    let upload = ResumableUpload(resume)
    self.init(session: session, request: resume.request)
    lockedState.withLock { state in
      state.upload = upload
      state.startURL = resume.start
      state.bodyLength = resume.length ?? NSURLSessionTransferSizeUnknown
      state.continueUpload(.retrieve)
    }
  }
}
#endif
