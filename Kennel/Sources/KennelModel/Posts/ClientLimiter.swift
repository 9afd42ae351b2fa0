import KennelStorage
import Synchronization

/// Limits how much of an expensive kind of work runs at the same time: for all clients, so that other requests need not wait
/// for it, and for each client, so that no client keeps others from it.
package final class ClientLimiter: Sendable {
  /// The maximum number of calls of one client that run or wait.
  let maximumCountPerClient: Int
  private let refusal: String
  private let running: AsyncSemaphore
  /// The number of calls that run or wait, by client.
  private let counts = Mutex<[String: Int]>([:])

  /// - Parameters:
  ///   - work: what is limited, for errors: `searches`.
  ///   - count: the maximum number of calls that run at the same time.
  ///   - waitingCount: the maximum number of calls that wait.
  ///   - countPerClient: the maximum number of calls of one client that run or wait.
  ///   - refusal: a sentence for clients that have too many.
  package init(_ work: String, count: Int, waitingCount: Int, countPerClient: Int, refusal: String) {
    running = AsyncSemaphore(work, permits: count, maximumWaitingCount: waitingCount)
    maximumCountPerClient = countPerClient
    self.refusal = refusal
  }

  static func searches() -> ClientLimiter {
    ClientLimiter(
      "searches", count: 2, waitingCount: 16, countPerClient: 4,
      refusal: "There are other searches from this address. Try again in a moment.")
  }

  /// Returns the number of calls of a client that run or wait.
  func count(of address: String) -> Int { counts.withLock { $0[ClientAddress.key(address)] ?? 0 } }

  /// Runs some work when the limits allow it.
  ///
  /// - Parameter address: the client's IP address.
  /// - Throws: `tooManyAttempts` if the client has too many calls, `busy` if too many calls are waiting.
  package func run<Value: Sendable>(
    for address: String, _ work: () async throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    let client = ClientAddress.key(address)
    let isAllowed = counts.withLock { counts in
      let count = counts[client] ?? 0
      guard count < maximumCountPerClient else { return false }
      counts[client] = count + 1
      return true
    }
    guard isAllowed else {
      throw KennelError(.tooManyAttempts, refusal, secondsToWait: 1)
    }
    defer {
      counts.withLock { counts in
        let count = counts[client] ?? 0
        counts[client] = count > 1 ? count - 1 : nil
      }
    }
    return try await running.withPermit(work)
  }
}
