#if !canImport(Darwin)
  import Synchronization
  import TransferEngine

  /// A session's transfer client. One that could not be made, for want of memory or descriptors, is tried again when it is
  /// next needed: a bad moment does not disable the session for good.
  final class SessionClient: Sendable {
    private enum Late {
      case missing
      case made(TransferClient)
      case closed
    }

    private let options: TransferClientOptions
    /// Made with the session, as nearly always: taking it needs no lock.
    private let first: TransferClient?
    private let late = Mutex(Late.missing)

    init(_ options: TransferClientOptions) {
      self.options = options
      first = try? TransferClient(options: options)
    }

    /// The client, made now if it has not been made yet.
    func take() throws(TransferFailure) -> TransferClient {
      if let first { return first }
      // Made under the lock, so that all loads share one; that calls nobody back.
      return try late.withLock { late throws(TransferFailure) -> TransferClient in
        switch late {
        case .made(let client): return client
        case .closed: throw TransferFailure(.cancelled, message: "The session has been invalidated.")
        case .missing:
          let client = try TransferClient(options: options)
          late = .made(client)
          return client
        }
      }
    }

    /// Closes the client's connections. No load runs any more, and none is started later.
    func close() {
      if let first { return first.close() }
      let client = late.withLock { late -> TransferClient? in
        defer { late = .closed }
        if case .made(let client) = late { return client }
        return nil
      }
      client?.close()
    }
  }
#endif
