import KennelStorage
import Synchronization

/// Limits the number of searches at the same time: of all clients, so that other readers of the database need not wait for
/// them, and of each client, so that no client keeps others from searching.
final class SearchLimiter: Sendable {
  /// The maximum number of searches of one client that run or wait.
  static let maximumCountPerClient = 4

  private let running = AsyncSemaphore("searches", permits: 2, maximumWaitingCount: 16)
  /// The number of searches that run or wait, by client.
  private let counts = Mutex<[String: Int]>([:])

  /// Returns the number of searches of a client that run or wait.
  func count(of address: String) -> Int { counts.withLock { $0[ClientAddress.key(address)] ?? 0 } }

  /// Runs a search when the limits allow it.
  ///
  /// - Parameter address: the client's IP address.
  /// - Throws: `tooManyAttempts` if the client has too many searches, `busy` if too many searches are waiting.
  func run<Value: Sendable>(
    for address: String, _ search: () async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    let client = ClientAddress.key(address)
    let isAllowed = counts.withLock { counts in
      let count = counts[client] ?? 0
      guard count < Self.maximumCountPerClient else { return false }
      counts[client] = count + 1
      return true
    }
    guard isAllowed else {
      throw KennelError(
        .tooManyAttempts, "There are other searches from this address. Try again in a moment.",
        secondsToWait: 1)
    }
    defer {
      counts.withLock { counts in
        let count = counts[client] ?? 0
        counts[client] = count > 1 ? count - 1 : nil
      }
    }
    return try await running.withPermit(search)
  }
}
