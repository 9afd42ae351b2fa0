#if !canImport(Darwin)
/// Splits the bytes of a connection into frames, in pieces of any size. It has no side effects.
///
/// It checks each frame alone. ``WebSocketMessageAssembler`` checks the order of frames.
package struct WebSocketFrameParser: Sendable {
  package enum Event {
    case header(WebSocketFrameHeader)
    /// A part of the payload. It points into the input.
    case payload(UnsafeRawBufferPointer)
    case end
  }

  private enum Phase {
    case header
    /// The number of payload bytes that are missing.
    case payload(Int)
  }

  private var phase = Phase.header
  private var start = HeaderBytes()

  /// The bytes of an unfinished header. An unmasked header has at most ten.
  private struct HeaderBytes {
    var low: UInt64 = 0
    var high: UInt16 = 0
    var count = 0

    mutating func append(_ byte: UInt8) {
      if count < 8 { low |= UInt64(byte) << UInt64(8 * count) } else { high = high << 8 | UInt16(byte) }
      count += 1
    }

    var first: UInt8 { UInt8(truncatingIfNeeded: low) }
    var second: UInt8 { UInt8(truncatingIfNeeded: low >> 8) }
    var shortLength: Int { Int(UInt16(truncatingIfNeeded: low >> 16).byteSwapped) }
    var longLength: UInt64 { (low >> 16).byteSwapped & ~0xffff | UInt64(high) }
  }

  /// Whether RSV1 may mark the first frame of a message.
  package var allowsCompression: Bool

  package init(allowsCompression: Bool = false) { self.allowsCompression = allowsCompression }

  /// Whether the input so far ends with a complete frame.
  package var isAtFrameBoundary: Bool {
    if case .header = phase { start.count == 0 } else { false }
  }

  /// Takes bytes from the front of `input` until there is an event. Returns nil when more input is needed.
  package mutating func next(
    _ input: inout UnsafeRawBufferPointer
  ) throws(WebSocketFailure) -> Event? {
    switch phase {
    case .header:
      return try readHeader(&input)
    case .payload(0):
      phase = .header
      return .end
    case .payload(let missing):
      guard !input.isEmpty else { return nil }
      let count = min(missing, input.count)
      let part = UnsafeRawBufferPointer(rebasing: input[..<count])
      input = UnsafeRawBufferPointer(rebasing: input[count...])
      phase = .payload(missing - count)
      return .payload(part)
    }
  }

  private mutating func readHeader(
    _ input: inout UnsafeRawBufferPointer
  ) throws(WebSocketFailure) -> Event? {
    var used = 0
    defer { input = UnsafeRawBufferPointer(rebasing: input[used...]) }
    while used < input.count {
      start.append(input[used])
      used += 1
      guard start.count >= 2 else { continue }
      if start.count == 2 { try checkStart() }
      guard let length = try length() else { continue }
      let header = WebSocketFrameHeader(
        opcode: try opcode(), isFinal: start.first & 0x80 != 0, isCompressed: start.first & 0x40 != 0,
        length: length)
      start = HeaderBytes()
      phase = .payload(length)
      return .header(header)
    }
    return nil
  }

  private func opcode() throws(WebSocketFailure) -> WebSocketOpcode {
    guard let opcode = WebSocketOpcode(rawValue: start.first & 0x0f) else {
      throw WebSocketFailure(
        .protocolError, "The server sent a frame with the unknown opcode \(start.first & 0x0f).")
    }
    return opcode
  }

  /// Checks the first two bytes, so that an invalid frame is rejected before more of it arrives.
  private func checkStart() throws(WebSocketFailure) {
    let opcode = try opcode()
    guard start.first & 0x30 == 0 else {
      throw WebSocketFailure(.protocolError, "The server sent a frame with reserved bits.")
    }
    if start.first & 0x40 != 0, !allowsCompression || opcode.isControl || opcode == .continuation {
      throw WebSocketFailure(.protocolError, "The server sent a compressed frame that was not agreed on.")
    }
    guard start.second & 0x80 == 0 else {
      throw WebSocketFailure(
        .protocolError, "The server sent a masked frame. Only clients may mask their frames.")
    }
    if opcode.isControl {
      guard start.first & 0x80 != 0 else {
        throw WebSocketFailure(.protocolError, "The server sent a fragmented control frame.")
      }
      guard Int(start.second) <= WebSocketFrameHeader.maximumControlLength else {
        throw WebSocketFailure(
          .protocolError, "The server sent a control frame with more than 125 bytes.")
      }
    }
  }

  /// Returns the length of the payload; nil if not all of its bytes have arrived.
  private func length() throws(WebSocketFailure) -> Int? {
    switch start.second & 0x7f {
    case 126:
      guard start.count == 4 else { return nil }
      guard start.shortLength > 125 else { throw Self.longerThanNecessary }
      return start.shortLength
    case 127:
      guard start.count == 10 else { return nil }
      guard start.longLength > 0xffff else { throw Self.longerThanNecessary }
      guard let length = Int(exactly: start.longLength) else {
        throw WebSocketFailure(.protocolError, "The server sent a frame with an invalid length.")
      }
      return length
    case let length: return Int(length)
    }
  }

  private static let longerThanNecessary = WebSocketFailure(
    .protocolError, "The server sent a frame whose length takes more bytes than necessary.")
}
#endif
