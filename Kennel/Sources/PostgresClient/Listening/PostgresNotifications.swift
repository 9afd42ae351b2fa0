/// The messages of some channels, from a connection of its own.
///
/// If the connection is lost, it is made again. Messages may be missed meanwhile, which the sequence reports.
package struct PostgresNotifications: AsyncSequence, Sendable {
  /// What a listener gets.
  package enum Element: Sendable, Hashable {
    /// The connection listens, for the first time or again. Messages from before are missed: a reader now looks at what
    /// the messages are about.
    case listening
    /// The connection is lost.
    case lost
    /// A message.
    case notification(PostgresNotification)
    /// So many messages wait for the reader that some were dropped.
    case missed
  }

  package typealias Failure = Never

  let stream: AsyncStream<Element>

  static func deliver(
    _ notification: PostgresNotification, to continuation: AsyncStream<Element>.Continuation
  ) {
    if case .dropped = continuation.yield(.notification(notification)) { continuation.yield(.missed) }
  }

  /// Returns the iterator. Releasing it ends listening.
  package func makeAsyncIterator() -> AsyncStream<Element>.Iterator { stream.makeAsyncIterator() }
}

extension PostgresPool {
  /// Listens to channels, until the sequence and its iterator are released or the task is cancelled.
  ///
  /// - Parameters:
  ///   - channels: The names of the channels.
  ///   - maximumWaitingCount: The maximum number of messages that wait for the reader. New ones replace the oldest.
  ///   - failed: Called with the error of each failed attempt to connect.
  package func notifications(
    on channels: [String], maximumWaitingCount: Int = 1000,
    failed: @escaping @Sendable (PostgresError) -> Void = { _ in }
  ) -> PostgresNotifications {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PostgresNotifications.Element.self,
      bufferingPolicy: .bufferingNewest(Swift.max(maximumWaitingCount, 2)))
    let listener = Listener(
      address: address, limits: limits, channels: channels, continuation: continuation, failed: failed)
    let task = Task { await listener.run() }
    continuation.onTermination = { _ in task.cancel() }
    return PostgresNotifications(stream: stream)
  }
}

private struct Listener: Sendable {
  let address: PostgresAddress
  let limits: PostgresPool.Limits
  let channels: [String]
  let continuation: AsyncStream<PostgresNotifications.Element>.Continuation
  let failed: @Sendable (PostgresError) -> Void

  func run() async {
    var pause = Duration.milliseconds(20)
    while !Task.isCancelled {
      do throws(PostgresError) {
        try await listen()
        pause = .milliseconds(20)
      } catch {
        if Task.isCancelled { break }
        failed(error)
      }
      do { try await Task.sleep(for: pause) } catch { break }
      pause = min(pause * 2, .seconds(5))
    }
    continuation.finish()
  }

  /// Listens until the connection is lost.
  private func listen() async throws(PostgresError) {
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let connection = try await PostgresConnection.connect(
      address, limits: limits,
      notified: { PostgresNotifications.deliver($0, to: continuation) }, closed: { _ in end.finish() })
    defer { connection.close() }
    for channel in channels {
      let name = channel.replacing("\"", with: "\"\"")
      try await connection.script("LISTEN \"\(name)\"")
    }
    continuation.yield(.listening)
    let heartbeat = Task { [limits] in
      guard let pause = limits.heartbeat else { return }
      while (try? await Task.sleep(for: pause)) != nil {
        // A server that does not answer any more would never end the connection.
        guard (try? await connection.run("SELECT 1")) != nil else { return connection.close() }
      }
    }
    defer { heartbeat.cancel() }
    // Ends with the connection, or when the task is cancelled.
    for await _ in ends {}
    continuation.yield(.lost)
  }
}
