#if !canImport(Darwin)
import Foundation
import TransferEngine

/// Decides how a task continues that an earlier run of the program left. It has no side effects.
enum TakeUpRule {
  enum Action: Equatable, Sendable {
    /// Send the request from the beginning.
    case start
    /// Request the bytes from an offset on, if the file has not changed.
    case resume(offset: Int64, validator: String)
    /// The file is complete: deliver it.
    case deliver(StoredResponse)
    /// The delegate has received the file, but not the end of the task.
    case complete(StoredResponse)
    /// A request that is not idempotent was being sent.
    case failUnderWay
    /// The program cancelled the task.
    case failCancelled

    /// Whether the task only has to report to its delegate.
    var isOver: Bool {
      switch self {
      case .start, .resume: false
      case .deliver, .complete, .failUnderWay, .failCancelled: true
      }
    }
  }

  /// - Parameters:
  ///   - fileLength: The length of the download's file; nil if there is no such file.
  ///   - boot: The current run of the machine.
  static func action(for task: BackgroundTaskRecord, fileLength: Int64?, boot: String?) -> Action {
    if task.isCancelled { return .failCancelled }
    if let finished = task.finished {
      if let fileLength, fileLength == finished.length || task.isDelivering {
        return .deliver(finished.response)
      }
      // The program has moved the file.
      if task.isDelivering { return .complete(finished.response) }
      return task.isUnderWay ? .failUnderWay : .start
    }
    if let partial = task.partial, let fileLength {
      // After a power failure, the file may have bytes that were never written.
      let written =
        partial.boot != nil && partial.boot == boot ? fileLength : min(fileLength, partial.syncedLength)
      if let response = partial.response, let length = partial.length, length == written,
        written == fileLength,
        length > 0
      {
        return .deliver(response)
      }
      // Without a length, the file may be complete. The last byte is requested again, because no range begins at the end.
      let offset = partial.length == nil ? written - 1 : written
      if !task.isUnderWay, let validator = partial.validator, offset > 0, offset < partial.length ?? .max {
        return .resume(offset: offset, validator: validator)
      }
    }
    return task.isUnderWay ? .failUnderWay : .start
  }

  /// Whether a request may be sent again although it may have reached the server.
  static func mayRepeat(_ request: URLRequest) -> Bool {
    TransferRequest.isIdempotent(request.httpMethod ?? "GET")
  }
}
#endif
