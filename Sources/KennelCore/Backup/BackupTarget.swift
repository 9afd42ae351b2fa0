/// Where a backup goes.
package enum BackupTarget: Sendable, Hashable {
  /// A file, which appears when it is whole; where a link stands, the file that it leads to. What is there and takes
  /// bytes without being a file, such as a pipe or a tape, is written to as it is.
  case path(String)
  case standardOutput

  /// What to write to, and the place that it has in the end; nil for what has its place.
  func open(
    isCancelled: @escaping @Sendable () -> Bool
  ) throws(KennelError) -> BackupOutput {
    guard case .path(let path) = self else {
      return BackupOutput(file: try OpenFile(standardOutputUntil: isCancelled), place: nil)
    }
    switch FileCalls.kind(of: path) {
    case .directory:
      let example = path.hasSuffix("/") ? path + "kennel.tar" : path + "/kennel.tar"
      throw KennelError(.cannotOpen, "\(path) is a folder. Give the path of a file, such as \(example).")
    case .disk:
      throw KennelError(.notAllowed, "\(path) is a disk, and would be overwritten. Give the path of a file.")
    case .other:
      throw KennelError(.cannotOpen, "\(path) is nothing that can be written to. Give the path of a file.")
    case .stream:
      return BackupOutput(file: try OpenFile(streamingTo: path, until: isCancelled), place: nil)
    case .file, nil:
      let place = try FileCalls.placeBehindLinks(path)
      let draft = "\(place).\(Sodium.base64(Sodium.randomBytes(9))).part"
      return BackupOutput(file: try OpenFile(creating: draft, name: path), place: place)
    }
  }
}

/// What a backup is written to.
struct BackupOutput: ~Copyable {
  private var file: OpenFile
  /// Where the file is to be once it is whole; nil for what has its place already.
  private let place: String?
  private(set) var byteCount = 0

  init(file: consuming OpenFile, place: String?) {
    self.file = file
    self.place = place
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(KennelError) {
    try file.write(bytes)
    byteCount += bytes.count
  }

  mutating func write(_ bytes: [UInt8]) throws(KennelError) {
    try file.write(bytes)
    byteCount += bytes.count
  }

  /// All of it is there.
  mutating func finish() throws(KennelError) {
    try file.sync()
    guard let place else { return }
    try file.move(to: place)
  }

  /// A file that is not whole goes.
  func abandon() {
    if place != nil { try? FileCalls.remove(file.path) }
  }

  /// Brings to the disk that the file has its place.
  func syncPlace() throws(KennelError) {
    if let place { try FileCalls.syncDirectory(FileCalls.parent(of: place)) }
  }
}
