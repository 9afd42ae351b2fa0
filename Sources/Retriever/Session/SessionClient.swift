#if !canImport(Darwin)
import Synchronization
import TransferEngine

/// A session's transfer client. If creating it fails because memory or descriptors run out, the next call tries
/// again. A temporary shortage therefore does not disable the session permanently.
final class SessionClient: Sendable {
  private enum LazyState {
    case missing
    case created(TransferClient)
    case closed
  }

  private let options: TransferClientOptions
  /// Created with the session, which nearly always succeeds: returning it needs no lock.
  private let eagerClient: TransferClient?
  private let lazyClient = Mutex(LazyState.missing)

  init(_ options: TransferClientOptions) {
    self.options = options
    eagerClient = try? TransferClient(options: options)
  }

  /// Returns the client, and creates it if necessary.
  func take() throws(TransferFailure) -> TransferClient {
    if let eagerClient { return eagerClient }
    // Created while holding the lock, so that all loads share one client. Creating it calls no callback.
    return try lazyClient.withLock { state throws(TransferFailure) -> TransferClient in
      switch state {
      case .created(let client): return client
      case .closed: throw TransferFailure(.cancelled, message: "The session has been invalidated.")
      case .missing:
        let client = try TransferClient(options: options)
        state = .created(client)
        return client
      }
    }
  }

  /// Makes later loads use new connections.
  func retireConnections() {
    if let eagerClient { return eagerClient.retireConnections() }
    if case .created(let client) = lazyClient.withLock({ $0 }) { client.retireConnections() }
  }

  /// Closes the client's connections. No load is running, and none will start.
  func close() {
    if let eagerClient { return eagerClient.close() }
    let client = lazyClient.withLock { state -> TransferClient? in
      defer { state = .closed }
      if case .created(let client) = state { return client }
      return nil
    }
    client?.close()
  }
}
#endif
