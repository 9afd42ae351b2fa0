#if !canImport(Darwin)
import Foundation
import Synchronization

/// A task that exchanges messages with a server over a WebSocket connection (RFC 6455).
///
/// Create it with ``URLSession/webSocketTask(with:)-(URL)`` and start it with ``URLSessionTask/resume()``. Messages that
/// are sent before the connection is open wait until it is. The task ends when one side closes the connection.
///
/// Nothing is read from the network beyond a small buffer while nobody receives messages. Pings of the server are
/// answered automatically, as long as the buffer has room.
open class URLSessionWebSocketTask: URLSessionTask, @unchecked Sendable {
  // Unchecked as its superclass is: this class adds only constants.

  let connection: WebSocketConnection
  let subprotocols: [String]

  /// A message of a WebSocket connection.
  public enum Message: Sendable {
    /// Bytes.
    case data(Data)
    /// Text.
    case string(String)
  }

  /// - Parameter sent: the request with `http` or `https` instead of `ws` or `wss`.
  init(session: URLSession, request: URLRequest, sent: URLRequest, subprotocols: [String]) {
    connection = WebSocketConnection()
    self.subprotocols = subprotocols
    super.init(session: session, request: request, sent: sent)
    sink = .webSocket(connection)
    connection.setEvents(
      .init(
        wantsMore: { [weak self] in self?.wantsMore() },
        disconnect: { [weak self] in self?.disconnect() },
        didClose: { [weak self] in self?.didClose($0) }))
  }

  /// Creates a task that belongs to no session, for subclasses that replace its methods.
  public override init() {
    connection = WebSocketConnection()
    subprotocols = []
    super.init()
  }

  // MARK: Sending

  /// Sends a message. The handler is called on the delegate queue when the connection has taken all of it, or with
  /// the error that prevented that.
  ///
  /// Messages are sent in the order of the calls. The task keeps them in memory until then: to bound it, wait for the
  /// handler before you send the next message.
  open func send(_ message: Message, completionHandler: @escaping @Sendable ((any Error)?) -> Void) {
    connection.send(WebSocketMessage(message)) { [self] end in
      let error = end.map(error)
      session.callQueue.post { completionHandler(error) }
    }
  }

  /// Sends a message. Returns when the connection has taken all of it.
  ///
  /// Messages are sent in the order of the calls. Cancelling the surrounding Swift task has no effect: a message that
  /// was begun cannot be withdrawn.
  ///
  /// - Throws: `URLError` if the connection has ended or ends before the message was sent.
  open func send(_ message: Message) async throws {
    let end = await withUnsafeContinuation { (continuation: UnsafeContinuation<WebSocketEnd?, Never>) in
      connection.send(WebSocketMessage(message)) { continuation.resume(returning: $0) }
    }
    if let end { throw error(end) }
  }

  /// Sends a ping. The handler is called on the delegate queue when the server has answered, or with the error that
  /// prevented that.
  open func sendPing(pongReceiveHandler: @escaping @Sendable ((any Error)?) -> Void) {
    connection.sendPing { [self] end in
      let error = end.map(error)
      session.callQueue.post { pongReceiveHandler(error) }
    }
  }

  /// Sends a ping and waits for the server's answer.
  ///
  /// - Throws: `URLError` if the connection has ended or ends before the answer arrives.
  open func sendPing() async throws {
    let end = await withUnsafeContinuation { (continuation: UnsafeContinuation<WebSocketEnd?, Never>) in
      connection.sendPing { continuation.resume(returning: $0) }
    }
    if let end { throw error(end) }
  }

  // MARK: Receiving

  /// Receives the next message. The handler is called once, on the delegate queue.
  open func receive(completionHandler: @escaping @Sendable (Result<Message, any Error>) -> Void) {
    connection.receive { [self] result in
      let result = result.map(Message.init).mapError { error($0) as any Error }
      session.callQueue.post { completionHandler(result) }
    }
  }

  /// Receives the next message.
  ///
  /// If the surrounding Swift task is cancelled, this throws `URLError.cancelled`. The connection stays open, and a
  /// message that arrives later goes to the next receiver.
  ///
  /// - Throws: `URLError` if the connection has ended or ends before a message arrives.
  open func receive() async throws -> Message {
    do {
      return Message(try await connection.receive())
    } catch {
      throw self.error(error)
    }
  }

  /// The maximum size of a received message in bytes, after decompression (default: 1 MiB).
  ///
  /// A larger message closes the connection with ``CloseCode/messageTooBig`` and fails the task with
  /// `URLError.dataLengthExceedsMaximum`.
  open var maximumMessageSize: Int {
    get { connection.maximumMessageSize }
    set { connection.maximumMessageSize = newValue }
  }

  // MARK: Closing

  /// Closes the connection with a code and a reason.
  ///
  /// Messages that wait are sent first, then the Close frame. Nothing more can be received. The task completes when
  /// the server has answered and closed the connection, or after 10 seconds. If the connection is not open yet, this
  /// cancels the task.
  ///
  /// - Parameters:
  ///   - closeCode: The code to send. Codes that must not be sent are left out.
  ///   - reason: UTF-8 text of at most 123 bytes. A longer one is shortened.
  open func cancel(with closeCode: CloseCode, reason: Data?) {
    let frame = WebSocketClosing(sending: closeCode.rawValue, reason: reason)
    if !connection.close(frame) { cancel() }
  }

  /// The code with which the connection was closed; ``CloseCode/invalid`` while it is open.
  open var closeCode: CloseCode { connection.closing.map { CloseCode($0) } ?? .invalid }

  /// The reason with which the connection was closed; nil if there is none.
  open var closeReason: Data? { connection.closing?.reasonData }

  // MARK: The task

  private func error(_ end: WebSocketEnd) -> URLError { end.error(url: initialRequest?.url) }

  private func disconnect() { perform(lockedState.withLock { $0.machine.disconnect() }) }

  private func didClose(_ frame: WebSocketClosing) {
    notifyDelegate(.didCloseWith, (any URLSessionWebSocketDelegate).self) {
      $0.urlSession(
        self.session, webSocketTask: self, didCloseWith: CloseCode(frame), reason: frame.reasonData)
    }
  }
}

extension WebSocketMessage {
  init(_ message: URLSessionWebSocketTask.Message) {
    switch message {
    case .data(let data): self.init(isText: false, bytes: data)
    case .string(let text): self.init(isText: true, bytes: Data(text.utf8))
    }
  }
}

extension URLSessionWebSocketTask.Message {
  init(_ message: WebSocketMessage) {
    self = message.isText ? .string(String(decoding: message.bytes, as: UTF8.self)) : .data(message.bytes)
  }
}

extension WebSocketClosing {
  fileprivate var reasonData: Data? { reason.isEmpty ? nil : Data(reason) }
}
#endif
