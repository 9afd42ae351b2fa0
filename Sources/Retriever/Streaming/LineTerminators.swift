#if !canImport(Darwin)

  /// Which bytes end a line, and how to find the first of them quickly.
  @usableFromInline
  package enum LineTerminators: Sendable {
    /// LF, VT, FF, CR, CRLF, NEL, LS and PS: what ends a line of text for Unicode.
    case unicode
    /// LF, CR and CRLF: what ends a line of an event stream.
    case eventStream
    /// LF alone: the others may be part of a JSON text.
    case lineFeed

    /// A terminator inside a buffer.
    package struct Match: Equatable {
      package var offset: Int
      package var length: Int
    }

    /// How far the end of a buffer may be the beginning of a terminator.
    @usableFromInline
    package enum Prefix: Sendable {
      case none
      /// C2, of NEL
      case c2
      /// E2, of LS and PS
      case e2
      /// E2 80
      case e280

      /// Looks at the last bytes of `bytes`.
      package init(endOf bytes: [UInt8]) {
        switch bytes.last {
        case 0xC2: self = .c2
        case 0xE2: self = .e2
        case 0x80 where bytes.count > 1 && bytes[bytes.count - 2] == 0xE2: self = .e280
        default: self = .none
        }
      }
    }

    /// The first complete terminator between the pointers. CRLF counts as its CR: the line ends right there.
    package func firstMatch(from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>) -> Match? {
      var position = start
      while let candidate = firstCandidate(from: position, to: end) {
        let length = Self.terminatorLength(at: candidate, end: end)
        if length > 0 { return Match(offset: candidate - start, length: length) }
        position = candidate + 1
      }
      return nil
    }

    /// How many bytes from `position` on are a complete terminator; 0 if they are none, or none yet.
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

    /// The first byte that is, or may begin, a terminator.
    private func firstCandidate(
      from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
      switch self {
      case .unicode:
        return Self.first(from: start, to: end) {
          // LF, VT, FF and CR follow one another.
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

    // Whole vectors: the operators that take one number are generic, and many times slower.
    private static var lineFeeds: SIMD16<UInt8> { SIMD16(repeating: 0x0A) }
    private static var carriageReturns: SIMD16<UInt8> { SIMD16(repeating: 0x0D) }
    private static var threes: SIMD16<UInt8> { SIMD16(repeating: 3) }
    private static var c2s: SIMD16<UInt8> { SIMD16(repeating: 0xC2) }
    private static var e2s: SIMD16<UInt8> { SIMD16(repeating: 0xE2) }

    /// Compares sixteen bytes at a time; the rest one by one.
    @inline(__always)
    private static func first(
      from start: UnsafePointer<UInt8>, to end: UnsafePointer<UInt8>,
      whereAny vectorTest: (SIMD16<UInt8>) -> SIMDMask<SIMD16<Int8>>,
      where test: (UInt8) -> Bool
    ) -> UnsafePointer<UInt8>? {
      var position = start
      while end - position >= 16 {
        let vector = UnsafeRawPointer(position).loadUnaligned(as: SIMD16<UInt8>.self)
        // A matching lane is FF, any other 00: the first bit set belongs to the first match (little-endian).
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
