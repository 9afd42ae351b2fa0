// The same question asked in two ways: with a completion handler, as code from before async/await does, and with await.

extension Posts {
  /// How many posts `persistentPosts()` gives at most: the newest.
  package static let persistentPostsLimit = 10_000

  /// Calls back once with all posts, the oldest first, or with none and an error.
  ///
  /// - Parameter completion: called on a thread that may be blocked for a moment, whatever happens: also when the
  ///   ticket cancels the question, and when the store is closed.
  /// - Returns: what takes the question back as long as it waits for its turn.
  @discardableResult
  package func getPersistentPosts(
    completion: @escaping @Sendable ([Post], (any Error)?) -> Void
  ) -> LaneTicket {
    let ticket = LaneTicket()
    askForPersistentPosts(ticket) { result in
      switch result {
      case .success(let posts): completion(posts, nil)
      case .failure(let error): completion([], error)
      }
    }
    return ticket
  }

  /// All posts, the oldest first.
  ///
  /// - Throws: what the database says; `CancellationError` when the task is cancelled while the question waits.
  package func persistentPosts() async throws -> [Post] {
    let ticket = LaneTicket()
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
    _ ticket: LaneTicket, completion: @escaping @Sendable (Result<[Post], KennelError>) -> Void
  ) {
    database.read(
      ticket,
      { connection throws(KennelError) in
        let ids = try connection.rows(
          "SELECT id FROM posts ORDER BY id DESC LIMIT ?", .integer(Int64(Self.persistentPostsLimit)),
          row: { $0.integer(0) })
        return try Self.posts(ids.reversed(), for: nil, from: connection)
      }, completion: completion)
  }
}
