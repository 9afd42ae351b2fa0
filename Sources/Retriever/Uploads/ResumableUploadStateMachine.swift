#if !canImport(Darwin)
import Foundation

/// The exchange of one resumable upload: takes an event and returns an action. It knows no task, no file and no clock.
///
/// The server's offset alone decides which bytes are sent again. An offset is checked against what the server has
/// acknowledged before and against what was sent to it, because both prove a wrong offset.
struct ResumableUploadStateMachine: Sendable, Equatable {
  /// What is known about the upload resource, the server's side of the upload.
  struct Resource: Sendable, Equatable {
    var url: URL
    /// The number of bytes that the server has acknowledged. Its offset must not decrease.
    var acknowledged: Int64 = 0
    /// The number of bytes that were passed to connections. The server cannot have more.
    var sent: Int64 = 0
  }

  enum Action: Sendable, Equatable {
    /// Continue without a change. After an interruption: the upload fails with the error of its request.
    case none
    /// The response is the task's response.
    case deliver
    /// Ask the upload resource for its offset.
    case retrieve
    /// Send the body from this offset to its end.
    case append(from: Int64)
    case fail(Problem)
  }

  enum Problem: Sendable, Equatable {
    /// Two interim responses to one request named different upload resources.
    case changedLocation
    /// The response to a question for the offset has no valid offset.
    case missingOffset
    /// The offset is lower than an earlier one.
    case decreasedOffset(Int64, acknowledged: Int64)
    /// The server claims to have bytes that were never sent.
    case excessiveOffset(Int64, sent: Int64)
    /// The server reports a complete upload, although bytes are missing.
    case shortUpload(Int64, length: Int64)
    /// The server received the last byte, and says that the upload is not complete.
    case neverComplete
    /// The upload resource does not exist any more.
    case gone(status: Int)
    /// The server does not report an offset.
    case refused(status: Int)
  }

  /// The number of resumptions in a row without a new byte at the server.
  static let maximumFruitlessAttempts = 3
  /// The number of resumptions of one task.
  static let maximumAttempts = 100

  private enum Phase: Sendable, Equatable {
    /// The request that creates the upload is being sent. No upload resource is known.
    case creating
    /// The same request, and the server has named its upload resource.
    case created
    /// The upload resource is asked for its offset.
    case retrieving
    /// The rest of the body is being sent, from this offset.
    case appending(from: Int64)
    /// A response has arrived, or the upload has failed for good.
    case over
  }

  private var phase = Phase.creating
  /// Valid in the phases created, retrieving and appending.
  private var resource: Resource?
  private var sent: Int64 = 0
  /// The length of the body, if it is known.
  let length: Int64?
  private var attempts = 0
  private var fruitlessAttempts = 0
  private var lastOffset: Int64 = 0

  /// Creates the machine of an upload that begins.
  init(length: Int64?) { self.length = length }

  /// Creates the machine of an upload that was interrupted. It begins with the question for the offset.
  init(resuming resource: Resource, length: Int64?) {
    self.length = length
    self.resource = resource
    sent = resource.sent
    lastOffset = resource.acknowledged
    phase = .retrieving
  }

  /// What a later task needs to resume the upload; nil if it cannot be resumed.
  var resumption: Resource? {
    guard phase != .over, var resource else { return nil }
    resource.sent = sent
    return resource
  }

  /// Whether the request that creates the upload is sent.
  var isCreating: Bool { phase == .creating || phase == .created }

  var isRetrieving: Bool { phase == .retrieving }

  /// The offset of the body that is being sent: 0 for the request that creates the upload, nil if no body is sent.
  var offset: Int64? {
    switch phase {
    case .creating, .created: 0
    case .appending(let offset): offset
    case .retrieving, .over: nil
    }
  }

  // MARK: Events

  /// The request that creates the upload is about to be sent, for the first time, or again after a challenge or a
  /// redirect. The server then creates another upload resource.
  mutating func create() {
    guard isCreating else { return }
    phase = .creating
    resource = nil
    sent = 0
  }

  /// This number of bytes, counted from the beginning of the body, was passed to the connection.
  mutating func sent(upTo total: Int64) { sent = max(sent, total) }

  /// An interim response with status 104 has arrived.
  ///
  /// - Parameters:
  ///   - location: The upload resource, if the response names a usable one.
  ///   - offset: The number of bytes that the server has processed, if the response has a valid one.
  mutating func interim(location: URL?, offset: Int64?) -> Action {
    switch phase {
    case .creating:
      guard let location else { return .none }
      phase = .created
      resource = Resource(url: location)
    case .created:
      if let location, location != resource?.url { return fail(.changedLocation) }
    case .appending: break
    case .retrieving, .over: return .none
    }
    if let offset, offset <= sent { acknowledge(offset) }
    return .none
  }

  /// The upload resource has moved. The next requests are sent to the new URL.
  mutating func moved(to url: URL) {
    switch phase {
    case .retrieving, .appending: resource?.url = url
    case .creating, .created, .over: break
    }
  }

  /// The head of a final response has arrived, which is neither a challenge nor a redirect.
  ///
  /// - Parameters:
  ///   - status: The status of the response.
  ///   - offset: The server's offset, if the response has a valid one.
  ///   - isComplete: Whether the server has the complete body; nil if it does not say.
  mutating func responded(status: Int, offset: Int64?, isComplete: Bool?) -> Action {
    switch phase {
    case .creating: return deliver()
    case .created, .appending:
      let isConflict = status == 409 && offset != nil && phase != .created
      let isPartial = 200..<300 ~= status && isComplete == false
      guard isConflict || isPartial else { return deliver() }
      if tryAgain() { return .retrieve }
      return isPartial ? fail(.neverComplete) : deliver()
    case .retrieving: return retrieved(status: status, offset: offset, isComplete: isComplete)
    case .over: return .none
    }
  }

  private mutating func retrieved(status: Int, offset: Int64?, isComplete: Bool?) -> Action {
    guard 200..<300 ~= status else {
      if status == 404 || status == 410 { return fail(.gone(status: status)) }
      // The server may answer later.
      if status >= 500 || [408, 423, 425, 429].contains(status) { return .fail(.refused(status: status)) }
      return fail(.refused(status: status))
    }
    guard let offset else { return fail(.missingOffset) }
    let acknowledged = resource?.acknowledged ?? 0
    guard offset >= acknowledged else {
      return fail(.decreasedOffset(offset, acknowledged: acknowledged))
    }
    guard offset <= min(sent, length ?? .max) else {
      return fail(.excessiveOffset(offset, sent: min(sent, length ?? .max)))
    }
    acknowledge(offset)
    if offset > lastOffset { fruitlessAttempts = 0 }
    lastOffset = offset
    guard isComplete == true else {
      phase = .appending(from: offset)
      return .append(from: offset)
    }
    if let length, offset < length { return fail(.shortUpload(offset, length: length)) }
    return deliver()
  }

  /// The connection was lost before the head of a final response arrived.
  ///
  /// - Parameter mayRetry: Whether this kind of failure may be momentary.
  mutating func interrupted(mayRetry: Bool) -> Action {
    switch phase {
    case .creating, .over: .none
    case .created, .retrieving, .appending: mayRetry && tryAgain() ? .retrieve : .none
    }
  }

  /// The task delivers a response. Nothing can be resumed any more.
  mutating func finish() { phase = .over }

  // MARK: Actions

  private mutating func tryAgain() -> Bool {
    guard attempts < Self.maximumAttempts, fruitlessAttempts < Self.maximumFruitlessAttempts else {
      return false
    }
    attempts += 1
    fruitlessAttempts += 1
    phase = .retrieving
    return true
  }

  private mutating func acknowledge(_ offset: Int64) {
    if let known = resource?.acknowledged, offset > known { resource?.acknowledged = offset }
  }

  private mutating func deliver() -> Action {
    phase = .over
    return .deliver
  }

  private mutating func fail(_ problem: Problem) -> Action {
    phase = .over
    return .fail(problem)
  }
}

extension URLError {
  /// Creates the error of an upload that cannot be resumed.
  init(_ problem: ResumableUploadStateMachine.Problem, url: URL?) {
    let (code, message): (URLError.Code, String) =
      switch problem {
      case .changedLocation:
        (.badServerResponse, "The server named two upload resources for one upload.")
      case .missingOffset:
        (.badServerResponse, "The server did not report how many bytes of the upload it has.")
      case .decreasedOffset(let offset, let acknowledged):
        (
          .badServerResponse,
          "The server has lost a part of the upload: it reports \(offset) bytes, and \(acknowledged) before."
        )
      case .excessiveOffset(let offset, let sent):
        (
          .badServerResponse,
          "The server reports \(offset) bytes of the upload, but only \(sent) bytes were sent."
        )
      case .shortUpload(let offset, let length):
        (
          .badServerResponse,
          "The server reports a complete upload, but it has only \(offset) of \(length) bytes."
        )
      case .neverComplete:
        (.badServerResponse, "The server has received the upload, but reports that it is not complete.")
      case .gone(let status):
        (.resourceUnavailable, "The server no longer has the interrupted upload (status \(status)).")
      case .refused(let status):
        (
          .badServerResponse,
          "The server did not report how many bytes of the upload it has (status \(status))."
        )
      }
    let suggestion =
      switch problem {
      case .refused(let status) where status >= 500: "Resume the upload later."
      default: "Upload it from the beginning."
      }
    self.init(code, message: message, suggestion: suggestion, url: url)
  }
}
#endif
