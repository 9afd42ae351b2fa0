import Foundation

/// An ICC profile that was cut into APP2 segments of a JPEG.
enum ICCSegments {
  private static let mark = Array("ICC_PROFILE\0".utf8)

  /// The profile; nil when there is none, or a part is missing, doubled or contradicts the others.
  static func join(_ segments: [UnsafeRawBufferPointer]) -> Data? {
    var parts: [Int: UnsafeRawBufferPointer] = [:]
    var total: Int?
    for segment in segments where segment.starts(with: mark) && segment.count > mark.count + 2 {
      let number = Int(segment[mark.count])
      let stated = Int(segment[mark.count + 1])
      guard number >= 1, number <= stated, total ?? stated == stated, parts[number] == nil else { return nil }
      total = stated
      parts[number] = UnsafeRawBufferPointer(rebasing: segment[(mark.count + 2)...])
    }
    guard let total, parts.count == total else { return nil }
    var profile = Data()
    for number in 1...total {
      guard let part = parts[number] else { return nil }
      profile.append(contentsOf: part)
    }
    return profile
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes as C code takes them; never nil.
  var bytes: UnsafePointer<UInt8> {
    guard let baseAddress else { return UnsafePointer(Self.nothing) }
    return baseAddress.assumingMemoryBound(to: UInt8.self)
  }

  // Read by nobody: it is the address of no bytes. It is never written after it was made.
  nonisolated(unsafe) private static let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
}
