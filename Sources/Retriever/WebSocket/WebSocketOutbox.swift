#if !canImport(Darwin)
import Foundation
import TransferEngine

/// The frames that wait to be sent, and the frame that is being written. It has no side effects.
///
/// Only the frame that is being written is encoded, part by part, directly into the connection's buffer. Control
/// frames go first, a Close frame goes last.
package struct WebSocketOutbox<Completion: Sendable>: Sendable {
  private struct Message {
    let isText: Bool
    let bytes: Data
    let completion: Completion
  }

  private struct Ping {
    let payload: [UInt8]
    let completion: Completion
  }

  /// The message that is being written. A compressed one is sent in fragments, so that each step is short.
  private struct Current {
    let message: Message
    let isCompressed: Bool
    /// The number of bytes that are in frames already.
    var encoded = 0
    var hasBegun = false
  }

  /// The frame that is being written.
  private struct Frame {
    let header: [UInt8]
    let payload: Data
    let key: UInt32
    /// The position in the header and then in the payload.
    var position = 0
    /// Whether the frame ends the current message.
    var endsMessage = false
    var ping: Ping?
    var isClose = false
  }

  package struct Written: Sendable {
    package var count = 0
    /// The messages of which the last byte was written.
    package var completed: [Completion] = []
    package var wroteClose = false
  }

  /// The maximum number of answers to pings that wait. When there are more, the oldest ones are not sent
  /// (RFC 6455, 5.5.3).
  package static var maximumPongs: Int { 64 }
  /// Shorter messages are not compressed.
  package static var minimumCompressedLength: Int { 32 }
  /// The part of a message that is compressed in one step.
  package static var compressionStep: Int { 64 << 10 }

  private var messages: [Message] = []
  /// The index in `messages` of the next one.
  private var next = 0
  private var pongs: [[UInt8]] = []
  private var pings: [Ping] = []
  private var awaitedPongs: [Ping] = []
  private var pingCount: UInt64 = 0
  private var current: Current?
  private var frame: Frame?
  private var compression: PermessageDeflate?
  private var deflater: MessageDeflater?
  private let makeKey: @Sendable () -> UInt32

  /// - Parameter makeKey: Makes a masking key. It must not be predictable (RFC 6455, 5.3).
  package init(
    makeKey: @escaping @Sendable () -> UInt32 = {
      var random = SystemRandomNumberGenerator()
      return UInt32.random(in: .min ... .max, using: &random)
    }
  ) {
    self.makeKey = makeKey
  }

  /// Compresses messages from now on. A window that zlib does not support turns compression off.
  package mutating func compress(_ agreement: PermessageDeflate?) {
    guard let agreement, MessageDeflater.supportedWindowBits.contains(agreement.clientWindowBits) else {
      return
    }
    compression = agreement
  }

  // MARK: Adding

  package mutating func add(_ message: WebSocketMessage, _ completion: Completion) {
    messages.append(Message(isText: message.isText, bytes: message.bytes, completion: completion))
  }

  package mutating func addPong(_ payload: [UInt8]) {
    if pongs.count >= Self.maximumPongs { pongs.removeFirst() }
    pongs.append(payload)
  }

  package mutating func addPing(_ completion: Completion) {
    pingCount += 1
    let payload = withUnsafeBytes(of: pingCount.bigEndian) { Array($0) }
    pings.append(Ping(payload: payload, completion: completion))
  }

  /// Handles a pong. Returns the pings that it answers: a server may answer only the last of several. A pong that
  /// answers none is allowed.
  package mutating func pongArrived(_ payload: [UInt8]) -> [Completion] {
    guard let index = awaitedPongs.firstIndex(where: { $0.payload == payload }) else { return [] }
    let answered = awaitedPongs[...index].map(\.completion)
    awaitedPongs.removeFirst(index + 1)
    return answered
  }

  /// Forgets the messages and pings that have not begun, and returns their completions.
  package mutating func dropUnsent() -> [Completion] {
    defer { (messages, next, pings) = ([], 0, []) }
    return messages[next...].map(\.completion) + pings.map(\.completion)
  }

  /// Forgets everything, and returns all completions.
  package mutating func dropAll() -> [Completion] {
    var completions = dropUnsent()
    if let current { completions.insert(current.message.completion, at: 0) }
    if let ping = frame?.ping { completions.append(ping.completion) }
    completions += awaitedPongs.map(\.completion)
    (current, frame, awaitedPongs, pongs, deflater) = (nil, nil, [], [], nil)
    return completions
  }

  // MARK: Writing

  /// Writes as much as fits.
  ///
  /// - Parameter closing: The Close frame to send after everything else; nil if there is none.
  package mutating func write(
    into buffer: UnsafeMutableRawBufferPointer, closing: WebSocketClosing?
  ) throws(WebSocketFailure) -> Written {
    var written = Written()
    while written.count < buffer.count {
      if frame == nil { frame = try nextFrame(closing) }
      guard var frame else { break }
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[written.count...])
      written.count += Self.write(&frame, into: room)
      guard frame.position == frame.header.count + frame.payload.count else {
        self.frame = frame
        break
      }
      self.frame = nil
      if let ping = frame.ping { awaitedPongs.append(ping) }
      if frame.endsMessage, let current {
        written.completed.append(current.message.completion)
        self.current = nil
      }
      if frame.isClose {
        written.wroteClose = true
        break
      }
    }
    return written
  }

  private static func write(_ frame: inout Frame, into room: UnsafeMutableRawBufferPointer) -> Int {
    var written = 0
    if frame.position < frame.header.count {
      let part = frame.header[frame.position...].prefix(room.count)
      room.copyBytes(from: part)
      written = part.count
    }
    let position = frame.position + written - frame.header.count
    if position >= 0, written < room.count, position < frame.payload.count {
      let target = UnsafeMutableRawBufferPointer(rebasing: room[written...])
      let count = min(target.count, frame.payload.count - position)
      frame.payload.withUnsafeBytes { payload in
        WebSocketFrameWriter.mask(
          UnsafeRawBufferPointer(rebasing: payload[position..<position + count]), into: target,
          key: frame.key, offset: position)
      }
      written += count
    }
    frame.position += written
    return written
  }

  private mutating func nextFrame(_ closing: WebSocketClosing?) throws(WebSocketFailure) -> Frame? {
    if !pongs.isEmpty { return makeFrame(.pong, Data(pongs.removeFirst())) }
    if !pings.isEmpty {
      let ping = pings.removeFirst()
      var frame = makeFrame(.ping, Data(ping.payload))
      frame.ping = ping
      return frame
    }
    if current == nil, next < messages.count {
      let message = messages[next]
      next += 1
      // Removing messages one by one would move all the others each time.
      if next == messages.count || next >= 256 {
        messages.removeFirst(next)
        next = 0
      }
      current = Current(
        message: message,
        isCompressed: compression != nil && message.bytes.count >= Self.minimumCompressedLength)
    }
    if let current { return try nextFrame(of: current) }
    guard let closing else { return nil }
    var frame = makeFrame(.close, Data(closing.payload))
    frame.isClose = true
    return frame
  }

  private mutating func nextFrame(of message: Current) throws(WebSocketFailure) -> Frame {
    var message = message
    let opcode: WebSocketOpcode =
      message.hasBegun ? .continuation : message.message.isText ? .text : .binary
    let payload: Data
    if message.isCompressed {
      payload = try compressNext(&message)
    } else {
      payload = message.message.bytes
      message.encoded = payload.count
    }
    let isLast = message.encoded == message.message.bytes.count
    var frame = makeFrame(
      opcode, payload, isFinal: isLast, isCompressed: message.isCompressed && !message.hasBegun)
    frame.endsMessage = isLast
    message.hasBegun = true
    current = message
    return frame
  }

  /// Compresses parts of the message until there is output.
  private mutating func compressNext(_ message: inout Current) throws(WebSocketFailure) -> Data {
    let bytes = message.message.bytes
    do throws(TransferFailure) {
      let deflater = try makeDeflater()
      var output: [UInt8] = []
      repeat {
        let part = bytes.dropFirst(message.encoded).prefix(Self.compressionStep)
        message.encoded += part.count
        let isLast = message.encoded == bytes.count
        let result = part.withUnsafeBytes { part in
          Result<[UInt8], TransferFailure> { () throws(TransferFailure) in
            try deflater.append(part, isLast: isLast)
          }
        }
        output = try result.get()
      } while output.isEmpty && message.encoded < bytes.count
      return Data(output)
    } catch {
      throw WebSocketFailure(.internalError, error.message)
    }
  }

  private mutating func makeDeflater() throws(TransferFailure) -> MessageDeflater {
    if let deflater { return deflater }
    let deflater = try MessageDeflater(
      windowBits: compression?.clientWindowBits ?? 15,
      keepsWindow: compression?.clientHasNoContext != true)
    self.deflater = deflater
    return deflater
  }

  private func makeFrame(
    _ opcode: WebSocketOpcode, _ payload: Data, isFinal: Bool = true, isCompressed: Bool = false
  ) -> Frame {
    let key = makeKey()
    let header = WebSocketFrameHeader(
      opcode: opcode, isFinal: isFinal, isCompressed: isCompressed, length: payload.count)
    return Frame(header: WebSocketFrameWriter.header(header, key: key), payload: payload, key: key)
  }
}
#endif
