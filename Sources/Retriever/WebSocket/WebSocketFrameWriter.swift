#if !canImport(Darwin)
/// Writes the frames of a client: headers, and payloads masked with the frame's key.
package enum WebSocketFrameWriter {
  /// The maximum length of a client's frame header.
  package static let maximumHeaderLength = 14

  /// Returns a frame's header.
  ///
  /// - Parameter key: The masking key. Its bytes in memory are the bytes on the connection.
  package static func header(_ header: WebSocketFrameHeader, key: UInt32) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(maximumHeaderLength)
    bytes.append(
      (header.isFinal ? 0x80 : 0) | (header.isCompressed ? 0x40 : 0) | header.opcode.rawValue)
    switch header.length {
    case ...125: bytes.append(0x80 | UInt8(header.length))
    case ...0xffff:
      bytes.append(0x80 | 126)
      withUnsafeBytes(of: UInt16(header.length).bigEndian) { bytes.append(contentsOf: $0) }
    default:
      bytes.append(0x80 | 127)
      withUnsafeBytes(of: UInt64(header.length).bigEndian) { bytes.append(contentsOf: $0) }
    }
    withUnsafeBytes(of: key) { bytes.append(contentsOf: $0) }
    return bytes
  }

  /// Copies a part of a payload and masks it: eight bytes at a time.
  ///
  /// - Parameters:
  ///   - destination: At least as long as the source.
  ///   - offset: The position of the part in the payload.
  package static func mask(
    _ source: UnsafeRawBufferPointer, into destination: UnsafeMutableRawBufferPointer, key: UInt32,
    offset: Int
  ) {
    let key = rotated(key, by: offset & 3)
    let wide = UInt64(key) << 32 | UInt64(key)
    let count = min(source.count, destination.count)
    let words = count / 8
    for index in 0..<words {
      let word = source.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
      destination.storeBytes(of: word ^ wide, toByteOffset: index * 8, as: UInt64.self)
    }
    withUnsafeBytes(of: wide) { key in
      for index in words * 8..<count { destination[index] = source[index] ^ key[index & 7] }
    }
  }

  /// The key whose first byte in memory is the one for this position.
  private static func rotated(_ key: UInt32, by bytes: Int) -> UInt32 {
    guard bytes > 0 else { return key }
    let key = UInt32(littleEndian: key)
    return (key >> UInt32(8 * bytes) | key << UInt32(32 - 8 * bytes)).littleEndian
  }
}
#endif
