import Foundation

/// An ICC profile that is split into APP2 segments of a JPEG.
enum ICCSegments {
  private static let signature = Array("ICC_PROFILE\0".utf8)

  /// Returns the profile, or nil if there is none, or if a part is missing, duplicate or inconsistent with the others.
  static func join(_ segments: [UnsafeRawBufferPointer]) -> Data? {
    var parts: [Int: UnsafeRawBufferPointer] = [:]
    var total: Int?
    for segment in segments where segment.starts(with: signature) && segment.count > signature.count + 2 {
      let number = Int(segment[signature.count])
      let stated = Int(segment[signature.count + 1])
      guard number >= 1, number <= stated, total ?? stated == stated, parts[number] == nil else { return nil }
      total = stated
      parts[number] = UnsafeRawBufferPointer(rebasing: segment[(signature.count + 2)...])
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

/// The header of an ICC profile.
enum ICCHeader {
  static let size = 128
  private static let signature = (place: 36..<40, bytes: Array("acsp".utf8))

  /// Returns the size that a profile states; nil if the data is no profile.
  static func statedSize(of profile: some Collection<UInt8>) -> Int? {
    let header = Array(profile.prefix(size))
    guard header.count == size, header[signature.place].elementsEqual(signature.bytes) else { return nil }
    let stated = header[..<4].reduce(0) { $0 << 8 | Int($1) }
    return stated >= size ? stated : nil
  }
}

extension UnsafeRawBufferPointer {
  /// The bytes as a pointer for C code; never nil.
  var bytes: UnsafePointer<UInt8> {
    guard let baseAddress else { return UnsafePointer(Self.nothing) }
    return baseAddress.assumingMemoryBound(to: UInt8.self)
  }

  // The address of an empty buffer. Nobody reads or writes this byte.
  nonisolated(unsafe) private static let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
}
