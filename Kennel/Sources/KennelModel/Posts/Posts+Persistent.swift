import KennelStorage

// The same query in two forms: with a completion handler, as in code written before async/await, and with await.

extension Posts {
  /// The maximum number of posts that `persistentPosts()` returns. It returns the newest ones.
  package static let maximumPersistentPostCount = 10_000

  /// Loads all posts, the oldest first, and calls the completion handler once, with the posts or with an error.
  ///
  /// - Parameter completion: called in every case, on a thread that may be blocked briefly: also when the ticket
  ///   cancels the query, and when the store is closed.
  /// - Returns: a ticket that cancels the query as long as it is waiting.
  @discardableResult
  package func getPersistentPosts(
    completion: @escaping @Sendable ([Post], (any Error)?) -> Void
  ) -> CancellationTicket {
    let ticket = CancellationTicket()
    askForPersistentPosts(ticket) { result in
      switch result {
      case .success(let posts): completion(posts, nil)
      case .failure(let error): completion([], error)
      }
    }
    return ticket
  }

  /// Returns all posts, the oldest first.
  ///
  /// - Throws: an error of the database, or `CancellationError` if the task is cancelled while the query is waiting.
  package func persistentPosts() async throws -> [Post] {
    let ticket = CancellationTicket()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        askForPersistentPosts(ticket) { result in
          continuation.resume(
            with: result.mapError { $0.code == .cancelled ? CancellationError() : $0 as any Error })
        }
      }
    } onCancel: {
      ticket.cancel()
    }
  }

  private func askForPersistentPosts(
    _ ticket: CancellationTicket, completion: @escaping @Sendable (Result<[Post], KennelError>) -> Void
  ) {
    database.read(
      ticket,
      { connection throws(KennelError) in
        let ids = try connection.rows(
          "SELECT id FROM posts WHERE +binned IS NULL ORDER BY id DESC LIMIT ?",
          .integer(Int64(Self.maximumPersistentPostCount)),
          row: { $0.integer(0) })
        return try Self.posts(ids.reversed(), for: nil, from: connection)
      }, completion: completion)
  }
}
