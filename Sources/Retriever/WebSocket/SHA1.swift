#if !canImport(Darwin)
/// SHA-1 (FIPS 180-4), for `Sec-WebSocket-Accept` only. The handshake uses it as a checksum; it protects nothing.
package enum SHA1 {
  /// Returns the digest of a short message.
  package static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    withUnsafeBytes(of: (UInt64(message.count) * 8).bigEndian) { padded.append(contentsOf: $0) }
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
    for start in stride(from: 0, to: padded.count, by: 64) { process(padded[start..<start + 64], &state) }
    return state.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
  }

  private static func process(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
    var words: [UInt32] = []
    words.reserveCapacity(80)
    for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
      words.append(block[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) })
    }
    for index in 16..<80 {
      words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
    }
    var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
    for index in 0..<80 {
      let (mixed, constant): (UInt32, UInt32) =
        switch index {
        case ..<20: (b & c | ~b & d, 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: (b & c | b & d | c & d, 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
      let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ words[index]
      (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
    }
    for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word << count | word >> (32 - count)
  }
}
#endif
