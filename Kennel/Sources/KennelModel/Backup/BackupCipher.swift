import KennelStorage

/// Encrypts the bytes of one file of a backup.
struct BackupEncryption: ~Copyable {
  /// The number of bytes of each chunk except for the last one, which may be shorter.
  static let chunkSize = 64 << 10

  private let header: [UInt8]
  private var stream: StreamEncryption
  private var waiting: [UInt8] = []

  init(_ keys: BackupKeys.Keys) {
    header = keys.header.bytes
    stream = StreamEncryption(key: keys.contents)
    waiting.reserveCapacity(Self.chunkSize)
  }

  /// What the file begins with.
  var beginning: [UInt8] { header + stream.header }

  mutating func encrypt(
    _ bytes: UnsafeRawBufferPointer, _ write: ([UInt8]) throws(KennelError) -> Void
  ) throws(KennelError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      // A full chunk waits until it is known that it is not the last one.
      if waiting.count == Self.chunkSize { try write(next(isLast: false)) }
      let count = min(rest.count, Self.chunkSize - waiting.count)
      waiting.append(contentsOf: rest.prefix(count))
      rest = rest.dropFirst(count)
    }
  }

  /// Returns the last chunk.
  mutating func finish() -> [UInt8] { next(isLast: true) }

  private mutating func next(isLast: Bool) -> [UInt8] {
    defer { waiting.removeAll(keepingCapacity: true) }
    return stream.encrypt(waiting, isLast: isLast, associated: header)
  }

  /// Returns the size of an encrypted file.
  static func size(ofEncrypted byteCount: Int) -> Int {
    let chunks = max(1, (byteCount + chunkSize - 1) / chunkSize)
    return BackupCipherHeader.byteCount + StreamEncryption.headerSize + byteCount
      + chunks * StreamEncryption.overhead
  }
}

/// A file of a backup that is read. It is decrypted if it is encrypted.
struct BackupInput: ~Copyable {
  private let file: OpenFile
  private let decryption: Decryption?

  private final class Decryption {
    let header: [UInt8]
    var stream: StreamDecryption
    var bytes: ArraySlice<UInt8> = []
    var isAtEnd = false

    init(header: [UInt8], stream: consuming StreamDecryption) {
      self.header = header
      self.stream = stream
    }
  }

  /// - Parameter keys: the keys, or nil if there is no passphrase.
  /// - Throws: `badBackup` if the file is encrypted and there is no passphrase, or a wrong one.
  init(_ file: consuming OpenFile, _ keys: BackupKeys?) throws(KennelError) {
    guard try file.isRegular() else {
      throw KennelError(
        .badBackup, "The backup is not a regular file. Copy it to a file and give the path of that file.")
    }
    let beginning = try Self.bytes(BackupCipherHeader.byteCount, of: file)
    if beginning.starts(with: BackupCipherHeader.signature) {
      guard let keys else {
        throw KennelError(
          .badBackup, "The backup is encrypted. Give the file with its passphrase with --passphrase-file.")
      }
      guard let header = BackupCipherHeader(beginning) else { throw Self.damaged }
      let key = try keys.keys(for: header).contents
      let streamHeader = try Self.bytes(StreamEncryption.headerSize, of: file)
      guard let stream = StreamDecryption(key: key, header: streamHeader) else { throw Self.damaged }
      decryption = Decryption(header: beginning, stream: stream)
    } else {
      guard keys == nil else {
        throw KennelError(
          .badBackup,
          "The backup is not encrypted, although a passphrase was given. Leave out --passphrase-file if that is right."
        )
      }
      try file.rewind()
      decryption = nil
    }
    self.file = file
  }

  /// The size of the file, which is at least the number of bytes that can be read.
  func size() throws(KennelError) -> Int { try file.size() }

  /// Reads up to `buffer.count` bytes. Returns 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(KennelError) -> Int {
    guard let decryption else { return try file.read(into: buffer) }
    while decryption.bytes.isEmpty, !decryption.isAtEnd { try readChunk(decryption) }
    let count = min(buffer.count, decryption.bytes.count)
    guard count > 0 else { return 0 }
    decryption.bytes.prefix(count).withUnsafeBytes { buffer.copyMemory(from: $0) }
    decryption.bytes.removeFirst(count)
    return count
  }

  private func readChunk(_ decryption: Decryption) throws(KennelError) {
    let chunk = try Self.bytes(BackupEncryption.chunkSize + StreamEncryption.overhead, of: file)
    guard !chunk.isEmpty else {
      throw KennelError(.badBackup, "The backup is incomplete. Copy it again, or use another backup.")
    }
    guard let next = decryption.stream.decrypt(chunk, associated: decryption.header) else {
      throw Self.damaged
    }
    decryption.bytes = next.bytes[...]
    decryption.isAtEnd = next.isLast
    if next.isLast {
      guard try Self.bytes(1, of: file).isEmpty else { throw Self.damaged }
    }
  }

  private static func bytes(_ count: Int, of file: borrowing OpenFile) throws(KennelError) -> [UInt8] {
    let buffer = FileBuffer()
    var bytes: [UInt8] = []
    while bytes.count < count {
      let more = try file.read(into: buffer.first(count - bytes.count))
      if more == 0 { break }
      bytes.append(contentsOf: buffer.bytes(more))
    }
    return bytes
  }

  static let damaged = KennelError(
    .badBackup, "The backup is damaged: it was changed, or is incomplete. Use another backup.")
}
