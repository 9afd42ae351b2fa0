#if !canImport(Darwin)
import Foundation
import TransferEngine

/// An upload that was offered to the server as resumable: its exchange, and what its requests are made of.
struct ResumableUpload: Sendable {
  /// The maximum number of interim responses to one request: a server may report its progress with them.
  static let maximumInterimResponses = 10_000

  var machine: ResumableUploadStateMachine
  let version: ResumableUploadVersion
  /// The request that creates the upload. Requests to the upload resource get their fields from it.
  var request: URLRequest
  /// The URL of the program's request, if a redirect led from there to another origin.
  var start: URL?
  /// The complete body.
  let body: UploadBody
  /// What the file was like when sending began.
  var stamp: FileStamp?

  /// Creates an upload that begins; nil if its body could not be sent again.
  init?(_ request: URLRequest, _ body: UploadBody, source: TransferBody, version: ResumableUploadVersion) {
    var length = source.length < 0 ? nil : source.length
    switch body {
    case .data: break
    case .file:
      guard case .source(let source as FileBodySource) = source, length != nil else { return nil }
      stamp = source.stamp
    case .streamFromDelegate: length = request.statedBodyLength
    case .sequence, .restOfData, .restOfFile, .restFromDelegate: return nil
    }
    guard length != 0, !["GET", "HEAD", "DELETE", "OPTIONS"].contains(request.httpMethod) else { return nil }
    self.request = request
    self.body = body
    self.version = version
    machine = ResumableUploadStateMachine(length: length)
  }

  init(_ resume: UploadResumeData) {
    switch resume.body {
    case .data(let data): body = .data(data)
    case .file(let path, let stamp):
      body = .file(URL(fileURLWithPath: path))
      self.stamp = stamp
    case .stream: body = .streamFromDelegate
    }
    request = resume.request
    start = resume.start
    version = resume.version
    machine = ResumableUploadStateMachine(resuming: resume.resource, length: resume.length)
  }

  /// The body of a request that continues at an offset.
  func rest(from offset: Int64) -> UploadBody? {
    switch body {
    case .data(let data): .restOfData(data.dropFirst(Int(offset)))
    case .file(let url): stamp.map { .restOfFile(url, from: offset, $0) }
    case .streamFromDelegate:
      .restFromDelegate(from: offset, length: machine.length.map { $0 - offset })
    case .sequence, .restOfData, .restOfFile, .restFromDelegate: nil
    }
  }

  /// The data for resuming the upload in another task; nil if it cannot be resumed.
  var resumeData: Data? {
    guard let resource = machine.resumption else { return nil }
    let stored: UploadResumeData.Body
    switch body {
    case .data(let data): stored = .data(data)
    case .file(let url):
      guard let stamp else { return nil }
      stored = .file(path: url.standardizedFileURL.path, stamp)
    case .streamFromDelegate: stored = .stream(length: machine.length)
    case .sequence, .restOfData, .restOfFile, .restFromDelegate: return nil
    }
    return UploadResumeData(
      request: request, start: start, version: version, resource: resource, body: stored)?.encoded
  }
}

extension TaskState {
  /// Whether the next request is sent to an upload resource.
  var continuesUpload: Bool { upload.map { !$0.machine.isCreating } ?? false }

  /// Makes a request to the upload resource the next one: for the offset, or with the rest of the body.
  mutating func continueUpload(_ action: ResumableUploadStateMachine.Action) {
    guard let upload, let url = upload.machine.resumption?.url else { return }
    let offset: Int64? = if case .append(let offset) = action { offset } else { nil }
    currentRequest = ResumableUploadVersion.request(
      offset == nil ? "HEAD" : "PATCH", to: url, continuing: upload.request)
    uploadBody = offset.flatMap { upload.rest(from: $0) }
    if let offset { counts.skip(to: offset) }
    authorizer = challenges.willFollowRedirect(to: url)
    if !machine.isEnding { error = nil }
  }

  /// A redirect leads to another request of the upload.
  mutating func redirectUpload(to next: URLRequest, keepsMethod: Bool) {
    guard upload != nil else { return }
    if !keepsMethod {
      upload = nil
    } else if let url = next.url {
      upload?.machine.moved(to: url)
    }
  }

  /// Whether the upload continues after a failed exchange.
  mutating func resumesUpload(after error: (any Error)?, isFinal: Bool) -> Bool {
    guard machine.expectsHead, let error else { return false }
    let mayRetry = !isFinal && (error as? URLError)?.code == .networkConnectionLost
    return upload?.machine.interrupted(mayRetry: mayRetry) == .retrieve
  }

  /// Records how many bytes of the current request's body have been sent. Returns true if this is more than ever before.
  mutating func noteSent(_ total: Int64) -> Bool {
    guard let offset = upload?.machine.offset else { return counts.sent(upTo: total) }
    upload?.machine.sent(upTo: offset + total)
    return counts.sent(upTo: offset + total)
  }

  /// Records the length of the current request's body.
  mutating func note(bodyLength length: Int64) {
    guard let upload else {
      bodyLength = length
      return
    }
    // The question for the offset has no body.
    guard let offset = upload.machine.offset else { return }
    bodyLength = length < 0 ? length : offset + length
  }
}
#endif
