import KennelStorage
import ObjectStorage
import Synchronization

/// What is known about the connection to the store.
struct Reachability: Sendable {
  /// Whether the last request got an answer.
  var isReachable = true
  /// Whether a request is on its way that finds out.
  var isAsking = false
}

extension StoredBlobs {
  /// Does something with the store. While the store does not answer, this fails immediately, so that those who wait for a permit
  /// do not wait for the store one after the other.
  ///
  /// - Parameter hash: the photo that is read or stored, if it is one.
  func reached<Value: Sendable>(
    _ hash: PhotoHash?, _ work: () async throws -> Value
  ) async throws(KennelError) -> Value {
    guard !outage.isRecent else {
      throw .storeUnavailable(cause: "The store did not answer a moment ago.")
    }
    let start = outage.time
    do {
      let value = try await work()
      reachability.withLock { $0.isReachable = true }
      return value
    } catch {
      let failure = KennelError(error, hash)
      if failure.code == .storeUnavailable {
        outage.note(since: start)
        reachability.withLock { $0.isReachable = false }
      }
      throw failure
    }
  }

  package var isReachable: Bool {
    let (isReachable, asks) = reachability.withLock { state in
      let asks = !state.isReachable && !state.isAsking
      if asks { state.isAsking = true }
      return (state.isReachable, asks)
    }
    if asks {
      Task.detached { [self] in
        try? await reached(nil) { [store] in try await store.check() }
        reachability.withLock { $0.isAsking = false }
      }
    }
    return isReachable
  }
}
