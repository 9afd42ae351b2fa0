#if !canImport(Darwin)
extension URLSessionWebSocketTask {
  /// The messages that arrive, one after the other. *Beyond Apple's API.*
  ///
  ///     for try await message in task.messages {
  ///       if case .string(let text) = message { print(text) }
  ///     }
  ///
  /// The sequence ends when the connection is closed with ``CloseCode/normalClosure``, ``CloseCode/goingAway`` or no code,
  /// and when the program closes it. It throws when the connection fails. While nobody asks for the next message, the
  /// server cannot send more than a small buffer.
  ///
  /// Cancelling the surrounding Swift task throws `URLError.cancelled`. The connection stays open.
  public var messages: Messages { Messages(task: self) }

  /// The messages of a WebSocket connection. *Beyond Apple's API.*
  public struct Messages: AsyncSequence, Sendable {
    /// A message.
    public typealias Element = Message

    let task: URLSessionWebSocketTask

    /// Receives one message after the other.
    public struct Iterator: AsyncIteratorProtocol {
      let task: URLSessionWebSocketTask

      /// Receives the next message. Returns nil at the end.
      public mutating func next() async throws -> Message? { try await task.nextMessage() }
    }

    /// Creates an iterator. Several iterators of a task share its messages.
    public func makeAsyncIterator() -> Iterator { Iterator(task: task) }
  }

  /// Returns nil at the proper end of the connection.
  private func nextMessage() async throws -> Message? {
    do {
      return Message(try await connection.receive())
    } catch .closed(let frame) where [nil, 1000, 1001].contains(frame.code) {
      return nil
    } catch .cancelled where !Task.isCancelled && connection.closing != nil {
      return nil
    } catch {
      throw error.error(url: initialRequest?.url)
    }
  }
}
#endif
