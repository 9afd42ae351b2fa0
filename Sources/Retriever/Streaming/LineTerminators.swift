#if !canImport(Darwin)

/// The bytes that end a line, and a fast search for them.
@usableFromInline
package enum LineTerminators: Sendable {
  /// LF, VT, FF, CR, CRLF, NEL, LS and PS: the line terminators of Unicode.
  case unicode
  /// LF, CR and CRLF: the line terminators of an event stream.
  case eventStream
  /// LF only: the others may be part of a JSON text.
  case lineFeed

  /// A terminator inside a buffer.
  package struct Match: Equatable {
    package var offset: Int
    package var length: Int
  }

  /// The part of a multi-byte terminator that the end of a buffer may be.
  @usableFromInline
  package enum Prefix: Sendable {
    case none
    /// C2, of NEL
    case c2
    /// E2, of LS and PS
    case e2
    /// E2 80
    case e280

    /// Checks the last bytes of `bytes`.
    package init(endOf bytes: [UInt8]) {
      switch bytes.last {
      case 0xC2: self = .c2
      case 0xE2: self = .e2
      case 0x80 where bytes.count > 1 && bytes[bytes.count - 2] == 0xE2: self = .e280
      default: self = .none
      }
    }
  }

  /// The first complete terminator between the pointers. CRLF counts as its CR, because the line ends there.
  package func firstMatch(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> Match? {
    var position = start
    while let candidate = firstCandidate(from: position, to: end) {
      let length = Self.terminatorLength(at: candidate, end: end)
      if length > 0 { return Match(offset: candidate - start, length: length) }
      position = candidate + 1
    }
    return nil
  }

  /// The length of the complete terminator at `position`; 0 if there is none or it is incomplete.
  private static func terminatorLength(
    at position: UnsafePointer<UInt8>, end: UnsafePointer<UInt8>
  ) -> Int {
    let available = end - position
    switch position[0] {
    case 0xC2:
      return available > 1 && position[1] == 0x85 ? 2 : 0
    case 0xE2:
      return available > 2 && position[1] == 0x80 && (position[2] == 0xA8 || position[2] == 0xA9) ? 3 : 0
    default:
      return 1
    }
  }

  /// The first byte that is a terminator or may begin one.
  private func firstCandidate(
    from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
  ) -> UnsafePointer<UInt8>? {
    switch self {
    case .unicode:
      return Self.first(from: start, to: end) {
        // The codes of LF, VT, FF and CR are consecutive.
        (($0 &- Self.lineFeeds) .<= Self.threes) .| ($0 .== Self.c2s) .| ($0 .== Self.e2s)
      } where: {
        $0 &- 0x0A <= 3 || $0 == 0xC2 || $0 == 0xE2
      }
    case .eventStream:
      return Self.first(from: start, to: end) {
        ($0 .== Self.lineFeeds) .| ($0 .== Self.carriageReturns)
      } where: {
        $0 == 0x0A || $0 == 0x0D
      }
    case .lineFeed:
      return Self.first(from: start, to: end) {
        $0 .== Self.lineFeeds
      } where: {
        $0 == 0x0A
      }
    }
  }

  // Full vectors, because the operators that take a single number are generic and many times slower.
  private static var lineFeeds: SIMD16<UInt8> { SIMD16(repeating: 0x0A) }
  private static var carriageReturns: SIMD16<UInt8> { SIMD16(repeating: 0x0D) }
  private static var threes: SIMD16<UInt8> { SIMD16(repeating: 3) }
  private static var c2s: SIMD16<UInt8> { SIMD16(repeating: 0xC2) }
  private static var e2s: SIMD16<UInt8> { SIMD16(repeating: 0xE2) }

  /// Compares sixteen bytes at a time, and the rest one by one.
  @inline(__always)
  private static func first(
    from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>,
    whereAny vectorTest: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>,
    where test: (UInt8) -> Bool
  ) -> UnsafePointer<UInt8>? {
    var position = start
    while end - position >= 16 {
      let vector = UnsafeRawPointer(position).loadUnaligned(as: SIMD16<UInt8>.self)
      // A matching element is FF, any other is 00. The first bit that is set belongs to the first match
      // (little-endian).
      let lanes = unsafeBitCast(vectorTest(vector), to: SIMD2<UInt64>.self)
      if lanes.x | lanes.y != 0 {
        let offset =
          lanes.x != 0
          ? UInt64(littleEndian: lanes.x).trailingZeroBitCount / 8
          : 8 + UInt64(littleEndian: lanes.y).trailingZeroBitCount / 8
        return position + offset
      }
      position += 16
    }
    while position < end {
      if test(position.pointee) { return position }
      position += 1
    }
    return nil
  }
}

#endif
