#if !canImport(Darwin)
import Foundation
import TransferEngine

/// A complete message.
package struct WebSocketMessage: Equatable, Sendable {
  /// Whether the bytes are text. It is valid UTF-8.
  package var isText: Bool
  package var bytes: Data

  package init(isText: Bool, bytes: Data) {
    self.isText = isText
    self.bytes = bytes
  }
}

/// Joins frames to messages, and takes control frames that come between them. It has no side effects.
///
/// A message is inflated, measured and validated as it arrives, so its memory is bounded and an invalid one is
/// rejected early.
package struct WebSocketMessageAssembler: Sendable {
  package enum Output: Equatable, Sendable {
    case message(WebSocketMessage)
    case close(WebSocketClosing)
    case ping([UInt8])
    case pong([UInt8])
  }

  private struct Message: Sendable {
    let isText: Bool
    let isCompressed: Bool
    /// Whether the current frame is the last one.
    var isFinal = false
    var frameLengths = 0
    var bytes = Data()
    var text = UTF8Validator()

    /// Adds bytes. Returns false if they make a text invalid.
    mutating func append(_ part: UnsafeRawBufferPointer) -> Bool {
      if isText, !text.append(part) { return false }
      bytes.append(contentsOf: part)
      return true
    }
  }

  private struct Control {
    let opcode: WebSocketOpcode
    var payload: [UInt8] = []
  }

  /// The maximum size of a message, after decompression.
  package var maximumSize: Int
  /// Whether messages are dropped, because nobody will read them. Control frames still count.
  package var dropsMessages = false {
    didSet { if dropsMessages { message = nil } }
  }

  private let compression: PermessageDeflate?
  private var inflater: MessageInflater?
  private var message: Message?
  private var control: Control?

  package init(maximumSize: Int, compression: PermessageDeflate? = nil) {
    self.maximumSize = maximumSize
    self.compression = compression
  }

  /// Takes the parser's next event. Returns the message or control frame that it completes.
  package mutating func take(
    _ event: WebSocketFrameParser.Event
  ) throws(WebSocketFailure) -> Output? {
    switch event {
    case .header(let header) where header.opcode.isControl:
      control = Control(opcode: header.opcode)
      return nil
    case .payload(let bytes) where control != nil:
      control?.payload.append(contentsOf: bytes)
      return nil
    case .end where control != nil: return try endControl()
    case .header(let header):
      if !dropsMessages { try begin(header) }
      return nil
    case .payload(let bytes):
      if !dropsMessages { try append(bytes) }
      return nil
    case .end: return dropsMessages ? nil : try endFrame()
    }
  }

  private mutating func endControl() throws(WebSocketFailure) -> Output? {
    guard let frame = control else { return nil }
    control = nil
    switch frame.opcode {
    case .close: return .close(try WebSocketClosing(payload: frame.payload))
    case .ping: return .ping(frame.payload)
    case .pong: return .pong(frame.payload)
    case .continuation, .text, .binary: return nil
    }
  }

  private mutating func begin(_ header: WebSocketFrameHeader) throws(WebSocketFailure) {
    if header.opcode == .continuation {
      guard message != nil else {
        throw WebSocketFailure(.protocolError, "The server continued a message that had not begun.")
      }
    } else {
      guard message == nil else {
        throw WebSocketFailure(.protocolError, "The server began a message before the end of another one.")
      }
      message = Message(isText: header.opcode == .text, isCompressed: header.isCompressed)
    }
    message?.isFinal = header.isFinal
    try count(header.length)
  }

  /// Checks the announced length before any memory is used.
  private mutating func count(_ length: Int) throws(WebSocketFailure) {
    guard let message else { return }
    let limit = message.isCompressed ? Self.compressedLimit(for: maximumSize) : maximumSize
    let (total, overflows) = message.frameLengths.addingReportingOverflow(length)
    guard !overflows, total <= max(0, limit) else { throw tooBig }
    self.message?.frameLengths = total
  }

  /// What does not compress grows by less than this.
  private static func compressedLimit(for size: Int) -> Int {
    let size = max(0, size)
    let (limit, overflows) = size.addingReportingOverflow(size / 8 + 1024)
    return overflows ? .max : limit
  }

  private var tooBig: WebSocketFailure {
    WebSocketFailure(
      .messageTooBig, "The server sent a message that is larger than the limit of \(maximumSize) bytes.")
  }

  private mutating func append(_ bytes: UnsafeRawBufferPointer) throws(WebSocketFailure) {
    guard message?.isCompressed == true else {
      guard message?.append(bytes) == true else { throw Self.invalidText }
      return
    }
    try inflate { inflater, deliver throws(TransferFailure) in try inflater.append(bytes, deliver: deliver) }
  }

  private mutating func endFrame() throws(WebSocketFailure) -> Output? {
    guard message?.isFinal == true else { return nil }
    if message?.isCompressed == true {
      try inflate { inflater, deliver throws(TransferFailure) in
        try inflater.endMessage(deliver: deliver)
      }
    }
    guard let message else { return nil }
    self.message = nil
    guard message.text.isAtCharacterBoundary else { throw Self.invalidText }
    return .message(WebSocketMessage(isText: message.isText, bytes: message.bytes))
  }

  private static let invalidText = WebSocketFailure(
    .invalidText, "The server sent a text message that is not valid UTF-8.")

  /// Inflates a part of the message, as far as the limit allows.
  private mutating func inflate(
    _ work: (MessageInflater, (UnsafeRawBufferPointer) -> Bool) throws(TransferFailure) -> Bool
  ) throws(WebSocketFailure) {
    guard var message else { return }
    self.message = nil
    let limit = maximumSize
    var isText = true
    let isComplete: Bool
    do throws(TransferFailure) {
      isComplete = try work(try makeInflater()) { part in
        guard part.count <= limit - message.bytes.count else { return false }
        isText = message.append(part)
        return isText
      }
    } catch {
      guard error.code == .outOfMemory else {
        throw WebSocketFailure(.invalidText, "The server sent a compressed message that is not valid.")
      }
      throw WebSocketFailure(.internalError, error.message)
    }
    guard isText else { throw Self.invalidText }
    guard isComplete else { throw tooBig }
    self.message = message
  }

  private mutating func makeInflater() throws(TransferFailure) -> MessageInflater {
    if let inflater { return inflater }
    let inflater = try MessageInflater(keepsWindow: compression?.serverHasNoContext != true)
    self.inflater = inflater
    return inflater
  }
}
#endif
