/// Decodes gzip (RFC 1952), one member after another. Anything else after the last member is ignored as padding.
final class GzipDecoder: ContentDecoder {
  private enum Phase {
    case member
    /// After a member. The mark is the number of bytes seen of the two that begin the next member.
    case between(mark: Int)
    case padding
  }

  private static let mark: [UInt8] = [0x1f, 0x8b]

  private var inflater: Inflater
  private var phase = Phase.member

  init() throws(TransferFailure) { inflater = try Inflater(.gzip, coding: .gzip) }

  var isComplete: Bool {
    if case .member = phase { false } else { true }
  }

  func decode(
    _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
  ) throws(TransferFailure) -> DecodingProgress {
    var done = DecodingProgress()
    repeat {
      switch phase {
      case .member:
        try inflater.inflate(input, into: output, advancing: &done)
        if inflater.isAtEnd { phase = .between(mark: 0) }
      case .between(let seen): try lookForMember(in: input, seen: seen, &done)
      case .padding: done.consumed = input.count
      }
    } while done.consumed < input.count && done.produced < output.count
    return done
  }

  private func lookForMember(
    in input: UnsafeRawBufferPointer, seen: Int, _ done: inout DecodingProgress
  ) throws(TransferFailure) {
    guard done.consumed < input.count else { return }
    guard input[done.consumed] == Self.mark[seen] else {
      phase = .padding
      return
    }
    done.consumed += 1
    phase = .between(mark: seen + 1)
    guard seen + 1 == Self.mark.count else { return }
    try inflater.begin(.gzip, with: Self.mark)
    phase = .member
  }
}
