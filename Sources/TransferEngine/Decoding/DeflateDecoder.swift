/// Decodes “deflate”: a zlib stream (RFC 1950) by the standard, but a raw deflate stream (RFC 1951) from many servers.
///
/// The first two bytes decide which format it is. Input after the end is ignored.
final class DeflateDecoder: ContentDecoder {
  private enum Phase {
    case unknown(first: UInt8?)
    case stream, padding
  }

  private var inflater: Inflater
  private var phase = Phase.unknown(first: nil)

  init() throws(TransferFailure) { inflater = try Inflater(.zlib, coding: .deflate) }

  var isComplete: Bool {
    if case .padding = phase { true } else { false }
  }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress {
    var done = DecodingProgress()
    repeat {
      switch phase {
      case .unknown(let first): try recognise(input, first: first, &done)
      case .stream:
        try inflater.inflate(input, into: output, advancing: &done)
        if inflater.isAtEnd { phase = .padding }
      case .padding: done.consumed = input.count
      }
    } while done.consumed < input.count && done.produced < output.count
    return done
  }

  private func recognise(
    _ input: UnsafeRawBufferPointer, first: UInt8?, _ done: inout DecodingProgress
  ) throws(TransferFailure) {
    guard done.consumed < input.count else { return }
    let byte = input[done.consumed]
    guard let first else {
      done.consumed += 1
      phase = .unknown(first: byte)
      return
    }
    // One byte produces no output in either format; two bytes of a raw stream may.
    try inflater.begin(Self.beginsZlib(first, byte) ? .zlib : .raw, with: [first])
    phase = .stream
  }

  /// Whether two bytes are a zlib header: method 8, a window of at most 32 KiB, and a value that is a multiple of 31.
  /// No reasonable encoder starts a raw stream like this.
  private static func beginsZlib(_ first: UInt8, _ second: UInt8) -> Bool {
    first & 0x0f == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
  }
}
