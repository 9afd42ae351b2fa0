#if !canImport(Darwin)
import Synchronization
import TransferEngine

/// The transfer clients of a session whose servers a delegate decides about, one for each delegate.
///
/// A client has its own connections and TLS sessions, and the decisions of its delegate. So a server that one delegate
/// accepts is not open for loads with another delegate, or without one.
final class DelegateClients: Sendable {
  private struct Entry {
    weak var delegate: (any URLSessionDelegate)?
    let client: TransferClient
  }

  /// What is released outside the lock: clients, and delegates that may have lost their last other reference meanwhile.
  private struct Released {
    var entries: [Entry] = []
    var delegates: [any URLSessionDelegate] = []
  }

  private struct State {
    /// In order of use, with the most recently used client last.
    var entries: [Entry] = []
    var isClosed = false
  }

  /// The maximum number of clients. The connections of the least recently used one are closed after its loads.
  static let maximumClients = 32

  private let options: TransferClientOptions
  private let state = Mutex(State())
  private let isUsed = Atomic<Bool>(false)

  init(_ options: TransferClientOptions) {
    var options = options
    options.asksAboutServers = true
    self.options = options
  }

  /// Returns the client of a delegate, and creates it if necessary.
  func client(of delegate: any URLSessionDelegate) throws(TransferFailure) -> TransferClient {
    isUsed.store(true, ordering: .relaxed)
    var dropped = Released()
    defer { withExtendedLifetime(dropped) {} }
    return try state.withLock { state throws(TransferFailure) -> TransferClient in
      guard !state.isClosed else {
        throw TransferFailure(.cancelled, message: "The session has been invalidated.")
      }
      dropped = Self.removeUnused(&state)
      // An object may have the address of one that no longer exists, but then the entry was removed.
      if let index = dropped.delegates.firstIndex(where: { $0 === delegate }) {
        let entry = state.entries.remove(at: index)
        state.entries.append(entry)
        return entry.client
      }
      let client = try TransferClient(options: options)
      if state.entries.count >= Self.maximumClients { dropped.entries.append(state.entries.removeFirst()) }
      state.entries.append(Entry(delegate: delegate, client: client))
      return client
    }
  }

  /// Closes the connections of delegates that no longer exist.
  func removeUnused() {
    guard isUsed.load(ordering: .relaxed) else { return }
    let dropped = state.withLock { Self.removeUnused(&$0) }
    withExtendedLifetime(dropped) {}
  }

  /// Afterwards, the delegates of the result are those of the entries, in their order.
  private static func removeUnused(_ state: inout State) -> Released {
    var released = Released()
    var used: [Entry] = []
    for entry in state.entries {
      if let delegate = entry.delegate {
        used.append(entry)
        released.delegates.append(delegate)
      } else {
        released.entries.append(entry)
      }
    }
    if !released.entries.isEmpty { state.entries = used }
    return released
  }

  /// Makes later loads use new connections. The decisions remain.
  func retireConnections() {
    guard isUsed.load(ordering: .relaxed) else { return }
    let clients = state.withLock { $0.entries.map(\.client) }
    for client in clients { client.retireConnections() }
  }

  /// Forgets all decisions. Running loads finish over their connections.
  func reset() {
    let dropped = state.withLock { state in
      defer { state.entries = [] }
      return state.entries
    }
    withExtendedLifetime(dropped) {}
  }

  /// Closes all connections. No load is running, and none will start.
  func close() {
    let dropped = state.withLock { state in
      defer { (state.entries, state.isClosed) = ([], true) }
      return state.entries
    }
    for entry in dropped { entry.client.close() }
  }

  /// The number of clients, for tests.
  var count: Int { state.withLock { $0.entries.count } }
}
#endif
