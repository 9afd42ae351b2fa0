import Caches
import Foundation
import Glibc
import SystemFiles

/// An open file of the disk cache. All methods block, and are called on the cache's own queue.
///
/// The file begins with a block that contains the entry, followed by the bytes. A complete file ends with their length
/// and digest. A file without that end is an unfinished download. Numbers are little-endian.
struct CacheEntryFile: ~Copyable {
  private static let magic: UInt64 = 0x3130_474D_4956_5452  // "RTVIMG01"
  private static let end: UInt64 = 0x444E_4547_4D49_5652
  /// Magic number, digest of the entry, size of the block, size of the entry.
  private static let prefixSize = 32
  private static let trailerSize = 24
  private static let maximumBlockSize = 64 << 10

  private let descriptor: Int32
  private(set) var blockSize = 0

  private init(descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Opens an existing file; nil if there is none.
  static func open(_ path: String, forWriting: Bool = false) -> CacheEntryFile? {
    let descriptor = Glibc.open(path, (forWriting ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NOFOLLOW)
    return descriptor < 0 ? nil : CacheEntryFile(descriptor: descriptor)
  }

  /// Opens a file for writing: a new one, or an unfinished download. Returns nil if another writer has it open.
  static func openExclusively(_ path: String) -> CacheEntryFile? {
    let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { return nil }
    let file = CacheEntryFile(descriptor: descriptor)
    var mine = stat()
    var named = stat()
    // Between opening and locking, another writer may have finished the file and renamed it.
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, fstat(descriptor, &mine) == 0, lstat(path, &named) == 0,
      mine.st_ino == named.st_ino, mine.st_dev == named.st_dev, mine.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return file
  }

  var size: Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0
  }

  var lastUse: Date {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return .distantPast }
    return Date(timeIntervalSince1970: TimeInterval(status.st_mtim.tv_sec))
  }

  /// Records a use of the entry. The modification time of the file is the time of the last use.
  func touch(_ now: Date) {
    let seconds = Int(now.timeIntervalSince1970)
    var times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
    _ = futimens(descriptor, &times)
  }

  /// Removes the file from its directory, unless a writer has it open or it was used after that time, in seconds.
  /// Returns whether it was removed.
  func remove(_ path: String, lastUse seconds: Int) -> Bool {
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, Int(lastUse.timeIntervalSince1970) == seconds else {
      return false
    }
    unlink(path)
    return true
  }

  // MARK: Reading

  /// Reads the entry; nil if the file does not begin with a complete one.
  mutating func readEntry() -> CacheEntry? {
    guard let prefix = read(Self.prefixSize, at: 0), prefix.count == Self.prefixSize,
      Self.number(prefix, 0) == Self.magic
    else { return nil }
    let block = Self.number(prefix, 16)
    let length = Self.number(prefix, 24)
    guard block <= UInt64(Self.maximumBlockSize), block >= UInt64(Self.prefixSize),
      length <= block - UInt64(Self.prefixSize),
      let encoded = read(Int(length), at: Self.prefixSize), encoded.count == Int(length),
      Self.digest(encoded) == Self.number(prefix, 8),
      let entry = try? JSONDecoder().decode(CacheEntry.self, from: encoded)
    else { return nil }
    blockSize = Int(block)
    return entry
  }

  /// Returns the length of the complete body, or nil if the end of the file was not written. Call `readEntry` first.
  func bodyLength() -> Int? { trailer()?.length }

  private func trailer() -> (length: Int, digest: UInt64)? {
    let bodyAndTrailer = size - blockSize
    guard bodyAndTrailer >= Self.trailerSize,
      let bytes = read(Self.trailerSize, at: size - Self.trailerSize), bytes.count == Self.trailerSize,
      Self.number(bytes, 16) == Self.end,
      let length = Int(exactly: Self.number(bytes, 0)), length == bodyAndTrailer - Self.trailerSize
    else { return nil }
    return (length, Self.number(bytes, 8))
  }

  /// Reads the complete body; nil if it is not what was written.
  func readBody() -> Data? {
    guard let (length, digest) = trailer(), let body = read(length, at: blockSize), body.count == length,
      Self.digest(body) == digest
    else { return nil }
    return body
  }

  /// Reads the bytes of an unfinished file.
  func readPart(atMost limit: Int) -> Data? {
    let length = size - blockSize
    guard length > 0, length <= limit else { return nil }
    return read(length, at: blockSize)
  }

  // MARK: Writing

  /// Empties the file and writes the entry.
  mutating func start(with entry: CacheEntry) -> Bool {
    guard let block = Self.block(for: entry, size: nil) else { return false }
    blockSize = block.count
    return ftruncate(descriptor, 0) == 0 && write(block, at: 0)
  }

  /// Replaces the entry of a complete file, if it fits into the block.
  func rewrite(_ entry: CacheEntry) -> Bool {
    guard let block = Self.block(for: entry, size: blockSize) else { return false }
    return write(block, at: 0)
  }

  func append(_ bytes: Data, at offset: Int) -> Bool { write(bytes, at: blockSize + offset) }

  func finish(_ digest: ContentDigest) -> Bool {
    var trailer = Data()
    for number in [UInt64(digest.count), digest.value, Self.end] { Self.append(number, to: &trailer) }
    return write(trailer, at: blockSize + digest.count)
  }

  private static func block(for entry: CacheEntry, size: Int?) -> Data? {
    guard let encoded = try? JSONEncoder().encode(entry) else { return nil }
    // Leave some room, so that the dates of a later response fit into the same block.
    let size = size ?? (prefixSize + encoded.count + 256 + 511) / 512 * 512
    guard size <= maximumBlockSize, prefixSize + encoded.count <= size else { return nil }
    var block = Data()
    for number in [magic, digest(encoded), UInt64(size), UInt64(encoded.count)] { append(number, to: &block) }
    block.append(encoded)
    block.append(Data(count: size - block.count))
    return block
  }

  // MARK: Bytes

  private func read(_ count: Int, at offset: Int) -> Data? {
    guard count >= 0, count <= size else { return nil }
    var data = Data(count: count)
    let filled = data.withUnsafeMutableBytes {
      try? DescriptorIO.read(into: $0, from: descriptor, at: offset)
    }
    return filled == count ? data : nil
  }

  private func write(_ data: Data, at offset: Int) -> Bool {
    data.withUnsafeBytes { DescriptorIO.write($0, to: descriptor, at: offset) } == 0
  }

  private static func digest(_ data: Data) -> UInt64 {
    var digest = ContentDigest()
    data.withUnsafeBytes { digest.update($0) }
    return digest.value
  }

  private static func number(_ data: Data, _ offset: Int) -> UInt64 {
    data.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self)) }
  }

  private static func append(_ number: UInt64, to data: inout Data) {
    withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) }
  }
}
