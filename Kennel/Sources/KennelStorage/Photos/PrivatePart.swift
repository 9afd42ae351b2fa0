/// What was taken out of a photo before others get it, and how the photo is put together again.
///
/// It is stored as a file: a signature, the number of steps, the steps, and the bytes that were taken out. The numbers have
/// eight bytes, the most significant byte first.
package struct PrivatePart: Sendable, Hashable {
  /// A step appends bytes to the photo as it was uploaded.
  struct Step: Sendable, Hashable {
    /// The position of the bytes in the photo that others get, or nil for the next of the bytes that were taken out.
    var position: Int?
    var count: Int
  }

  private static let signature = Array("Kennel1\n".utf8)
  private static let numberSize = 8
  private static let prefixSize = signature.count + numberSize
  /// More steps than the files have that are made here.
  private static let maximumStepCount = 500_000

  private(set) var steps: [Step] = []
  /// The ranges of the photo as it was uploaded that were taken out.
  fileprivate private(set) var taken: [Range<Int>] = []

  /// - Parameters:
  ///   - copies: the ranges of the photo as it was uploaded that others get, each with its position in what they get. They
  ///     may have any order.
  ///   - byteCount: the size of the photo as it was uploaded.
  package init(copies: [(range: Range<Int>, position: Int)], byteCount: Int) {
    var end = 0
    for copy in copies.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
    where copy.range.upperBound > end {
      let start = max(copy.range.lowerBound, end)
      take(end..<start)
      let position = copy.position + start - copy.range.lowerBound
      steps.append(Step(position: position, count: copy.range.upperBound - start))
      end = copy.range.upperBound
    }
    take(end..<max(byteCount, end))
  }

  private mutating func take(_ range: Range<Int>) {
    guard !range.isEmpty else { return }
    taken.append(range)
    steps.append(Step(position: nil, count: range.count))
  }

  /// The size of the file without the bytes that were taken out.
  fileprivate var headerSize: Int { Self.prefixSize + 2 * Self.numberSize * steps.count }

  fileprivate var header: [UInt8] {
    var bytes = Self.signature
    bytes.reserveCapacity(headerSize)
    func append(_ number: UInt64) { withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) } }
    append(UInt64(steps.count))
    for step in steps {
      append(step.position.map { UInt64($0) } ?? .max)
      append(UInt64(step.count))
    }
    return bytes
  }
}

// MARK: Reading

extension PrivatePart {
  /// Reads the steps of a file.
  ///
  /// - Throws: `damaged` if the file is not valid.
  fileprivate init(_ file: borrowing OpenFile) throws(KennelError) {
    let prefix = try file.bytes(in: 0..<Self.prefixSize)
    guard prefix.starts(with: Self.signature) else { throw Self.damaged }
    guard let count = Self.number(prefix[Self.signature.count...]), count <= Self.maximumStepCount else {
      throw Self.damaged
    }
    let size = 2 * Self.numberSize * count
    let bytes = try file.bytes(in: Self.prefixSize..<(Self.prefixSize + size))
    for index in stride(from: 0, to: size, by: 2 * Self.numberSize) {
      let position = bytes[index..<(index + Self.numberSize)]
      guard let count = Self.number(bytes[(index + Self.numberSize)..<(index + 2 * Self.numberSize)]) else {
        throw Self.damaged
      }
      if position.allSatisfy({ $0 == 0xff }) {
        steps.append(Step(position: nil, count: count))
      } else {
        guard let position = Self.number(position), !position.addingReportingOverflow(count).overflow else {
          throw Self.damaged
        }
        steps.append(Step(position: position, count: count))
      }
    }
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int? {
    Int(exactly: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  fileprivate static let damaged = KennelError(
    .damaged, "What was taken out of a photo was altered. Copy it from a backup.")
}

extension OpenFile {
  /// Passes on a range of the file in pieces.
  ///
  /// - Throws: `damaged` if the file is shorter.
  fileprivate func forEachPiece(
    of range: Range<Int>, _ body: (UnsafeRawBufferPointer) throws(KennelError) -> Void
  ) throws(KennelError) {
    let buffer = FileBuffer()
    var position = range.lowerBound
    while position < range.upperBound {
      let count = try read(into: buffer.first(range.upperBound - position), at: position)
      guard count > 0 else { throw PrivatePart.damaged }
      try body(buffer.bytes(count))
      position += count
    }
  }

  fileprivate func bytes(in range: Range<Int>) throws(KennelError) -> [UInt8] {
    guard try size() >= range.upperBound else { throw PrivatePart.damaged }
    var bytes: [UInt8] = []
    try forEachPiece(of: range) { piece in bytes.append(contentsOf: piece) }
    return bytes
  }
}

// All of these block, so they must run on the work queue.
extension PhotoDirectory {
  /// Stores what was taken out of the file at a path.
  package func stage(_ part: PrivatePart, ofFileAt path: String) throws(KennelError) -> StagedPhoto {
    // The part has exactly the bytes of its header and of the ranges.
    try stage(limit: .max) { write throws(KennelError) in
      let result = part.header.withUnsafeBytes { bytes in
        Result { () throws(KennelError) in try write(bytes) }
      }
      try result.get()
      let file = try OpenFile(reading: path)
      for range in part.taken { try file.forEachPiece(of: range, write) }
    }
  }

  /// Puts a photo together again as it was uploaded.
  ///
  /// - Parameters:
  ///   - photo: the path of the photo that others get.
  ///   - part: the path of what was taken out.
  /// - Throws: `damaged` if the part is not valid, or an error of the file system.
  package func assemble(photo: String, part: String) throws(KennelError) -> StagedPhoto {
    try stage(limit: .max) { write throws(KennelError) in
      try Self.assemble(photo: photo, part: part, write)
    }
  }

  /// Returns the hash of a photo as it was uploaded.
  ///
  /// The parameters and errors are those of ``assemble(photo:part:)``.
  package func hashOfUpload(photo: String, part: String) throws(KennelError) -> PhotoHash? {
    var hash = Sodium.SHA256()
    try Self.assemble(photo: photo, part: part) { bytes throws(KennelError) in hash.update(bytes) }
    return PhotoHash(bytes: (consume hash).finish())
  }

  private static func assemble(
    photo: String, part: String, _ write: (UnsafeRawBufferPointer) throws(KennelError) -> Void
  ) throws(KennelError) {
    let part = try OpenFile(reading: part)
    let photo = try OpenFile(reading: photo)
    let plan = try PrivatePart(part)
    // No byte is used twice, so a photo never has more bytes than the two files. The limits of uploads do not apply: they may have
    // been higher when the photo was uploaded.
    var left = try photo.size() + part.size()
    var taken = plan.headerSize
    for step in plan.steps {
      guard step.count <= left else { throw PrivatePart.damaged }
      left -= step.count
      if let position = step.position {
        try photo.forEachPiece(of: position..<(position + step.count), write)
      } else {
        let (end, isTooMuch) = taken.addingReportingOverflow(step.count)
        guard !isTooMuch else { throw PrivatePart.damaged }
        try part.forEachPiece(of: taken..<end, write)
        taken = end
      }
    }
  }
}
