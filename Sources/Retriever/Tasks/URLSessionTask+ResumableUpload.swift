#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import Synchronization
import TransferEngine

// Offering uploads as resumable, and resuming them.
extension URLSessionTask {
  /// Adds the fields of the resumable upload protocol to a request that creates or continues an upload.
  ///
  /// As on Apple's platforms, every upload task offers resumption. A server that does not know the fields ignores them.
  func prepareUpload(_ wanted: inout TransferRequest, _ input: TransferInput) {
    let fields = wanted.headers
    let start = input.request.url.flatMap(originBeforeRedirects(to:))
    let upload = lockedState.withLock { state -> ResumableUpload? in
      if state.upload == nil, let body = input.upload,
        let version = ResumableUploadVersion(for: { name in
          fields.first { ASCII.equalIgnoringCase($0.name, name) }?.value
        })
      {
        state.upload = ResumableUpload(input.request, body, source: wanted.body, version: version)
      }
      if state.upload?.machine.isCreating == true {
        state.upload?.machine.create()
        state.upload?.request = input.request
        state.upload?.start = start
      }
      return state.upload
    }
    transferState.isResumableUpload = upload != nil
    guard let upload else { return }
    wanted.limits.informationalResponses = ResumableUpload.maximumInterimResponses
    wanted.replace(ResumableUploadVersion.fieldName, with: String(upload.version.number))
    guard let offset = upload.machine.offset else { return }
    let (name, value) = upload.version.completing
    wanted.replace(name, with: value)
    guard !upload.machine.isCreating else { return }
    wanted.replace("Upload-Offset", with: String(offset))
    if let type = upload.version.partialType { wanted.replace("Content-Type", with: type) }
  }

  /// The request is not sent over the network, so its upload cannot be resumed.
  func withdrawUpload() {
    transferState.isResumableUpload = false
    lockedState.withLock { $0.upload = nil }
  }

  // MARK: Responses

  /// Handles an interim response that offers to resume the upload, or reports the server's progress.
  func considerInterim(_ response: HTTPURLResponse) {
    guard let url = response.url else { return }
    let fields = response.headerFields
    let action = lockedState.withLock { state -> ResumableUploadStateMachine.Action? in
      guard let version = state.upload?.version, version.isNamed(in: fields) else { return nil }
      return state.upload?.machine.interim(
        location: ResumableUploadVersion.location(in: fields, from: url),
        offset: ResumableUploadVersion.offset(in: fields))
    }
    if case .fail(let problem) = action { abort(URLError(problem, url: url)) }
  }

  /// Decides what the head of a response means for the upload. Returns nil if it is a response like any other.
  func considerUpload(_ response: HTTPURLResponse, mentionsLocation: Bool) -> TransferDisposition? {
    let status = response.statusCode
    if mentionsLocation, [301, 302, 303, 307, 308].contains(status) { return nil }
    let fields = response.headerFields
    let action = lockedState.withLock { state -> ResumableUploadStateMachine.Action in
      guard let version = state.upload?.version else { return .none }
      let action = state.upload?.machine.responded(
        status: status, offset: ResumableUploadVersion.offset(in: fields),
        isComplete: version.isComplete(in: fields))
      switch action {
      case .retrieve, .append:
        state.continueUpload(action ?? .none)
        state.machine.follow()
      case .fail, .deliver, .some(.none), nil: break
      }
      return action ?? .none
    }
    switch action {
    case .none, .deliver: return nil
    case .retrieve, .append:
      limitDiscarding()
      return .proceed
    case .fail(let problem): return stop(URLError(problem, url: response.url))
    }
  }

  /// Asks for the offset after an interruption. The exchange is over, and no delegate is asked.
  func resumeUpload() {
    perform(
      advance { state in
        state.continueUpload(.retrieve)
        return state.machine.answeredFollow()
      })
  }

  // MARK: The rest of a body

  func sendRest(
    _ input: TransferInput, of file: URL, from offset: Int64, _ stamp: FileStamp
  ) throws(URLError) {
    let source: FileBodySource
    do throws(URLError) {
      source = try FileBodySource(file, from: offset, expecting: stamp)
    } catch {
      // Without its body, the upload can never be resumed.
      lockedState.withLock { $0.upload?.machine.finish() }
      throw error
    }
    send(input, source.length == 0 ? .bytes([]) : .source(source))
  }

  func askForRest(_ input: TransferInput, from offset: Int64, length: Int64?) {
    askForBody(
      .needNewBodyStreamFrom,
      { delegate, answer in
        delegate.urlSession(
          self.session, task: self, needNewBodyStreamFrom: offset,
          completionHandler: { answer(SendableStream($0)) })
      },
      then: { answer in
        // From its beginning, the stream is the one that the delegate has already provided.
        if answer == nil, offset == 0 {
          return self.askForBodyStream(input) { self.send(input, $0, length: length) }
        }
        guard let stream = answer?.stream else {
          return self.abort(
            URLError(
              .requestBodyStreamExhausted,
              message: "The upload has to continue at byte \(offset), but the delegate returned no stream.",
              url: input.request.url))
        }
        self.send(input, stream, length: length)
      })
  }
}

extension TransferRequest {
  /// Sets a field to its only value.
  fileprivate mutating func replace(_ name: String, with value: String) {
    headers.removeAll { ASCII.equalIgnoringCase($0.name, name) }
    headers.append(TransferHeader(name, value))
  }
}
#endif
