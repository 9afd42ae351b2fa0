#if !canImport(Darwin)
import Foundation
import Synchronization
import TransferEngine

// The answers to challenges, or remembered ones, that are sent with a request.
extension URLSessionTask {
  /// Adds `Authorization`.
  ///
  /// - Parameter authorizer: What answers a challenge; nil if the session's memory may answer before there is one.
  func authorize(
    _ wanted: inout TransferRequest, with authorizer: Authorizer?, url: URL
  ) throws(URLError) {
    if let authorizer {
      guard let answer = authorizer.answer(for: wanted.digestRequest) else {
        throw URLError(
          .userAuthenticationRequired,
          message: authorizer.needsBodyHash
            ? "The server requires Digest authentication that covers the body (auth-int), which needs a body that "
              + "can be read twice. Send the body from memory or from a file."
            : "The user name contains characters that Digest authentication cannot send.",
          url: url)
      }
      wanted.setField("Authorization", answer.fieldValue)
      lockedState.withLock { $0.challenges.didSend(answer) }
      return
    }
    // The request's own field has precedence over what the session remembers.
    guard !wanted.hasField("Authorization"), let entry = session.credentials.entry(for: url),
      let answer = entry.authorizer.answer(for: wanted.digestRequest)
    else { return }
    lockedState.withLock { state in
      state.challenges.willSend(entry, to: url)
      state.challenges.didSend(answer)
    }
    wanted.headers.append(TransferHeader("Authorization", answer.fieldValue))
  }
}

extension TransferRequest {
  fileprivate mutating func setField(_ name: String, _ value: String) {
    headers.removeAll { $0.name.caseInsensitiveCompare(name) == .orderedSame }
    headers.append(TransferHeader(name, value))
  }

  /// The parts of the request that a response to a Digest challenge protects.
  fileprivate var digestRequest: DigestSession.Request {
    let body = body
    return DigestSession.Request(method: method, target: target ?? "/") { body.hash($0) }
  }
}

extension TransferBody {
  /// The hash of the body; nil if it can be read only once.
  fileprivate func hash(_ algorithm: HashAlgorithm) -> [UInt8]? {
    switch self {
    case .none: return Digests.hash(algorithm, [])
    case .bytes(let bytes): return Digests.hash(algorithm, bytes)
    case .source(let source):
      guard source is DataBodySource || source is FileBodySource, source.rewind(),
        var digest = Digest(algorithm)
      else { return nil }
      let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 1)
      defer { buffer.deallocate() }
      while true {
        switch source.read(into: buffer) {
        case .bytes(let count): digest.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        case .end: return source.rewind() ? digest.finish() : nil
        case .wait, .failed: return nil
        }
      }
    }
  }
}
#endif
