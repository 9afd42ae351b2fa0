import KennelStorage

/// The destination of a backup.
package enum BackupTarget: Sendable, Hashable {
  /// A path. A regular file appears only when it is complete; if the path is a symbolic link, the link's target is
  /// replaced. An existing pipe or character device is written to directly.
  case path(String)
  case standardOutput

  /// Opens the output. A regular file gets its final path when it is complete; a stream has no such path.
  ///
  /// - Parameter keys: the keys with which the output is encrypted, or nil.
  func open(
    encryptedWith keys: BackupKeys.Keys?, isCancelled: @escaping @Sendable () -> Bool
  ) throws(KennelError) -> BackupOutput {
    guard case .path(let path) = self else {
      return try BackupOutput(file: OpenFile(standardOutputUntil: isCancelled), place: nil, keys)
    }
    switch FileCalls.kind(of: path) {
    case .directory:
      let example = path.hasSuffix("/") ? path + "kennel.tar" : path + "/kennel.tar"
      throw KennelError(
        .cannotOpen, "The path \(path) is a folder. Give the path of a file, such as \(example).")
    case .disk:
      throw KennelError(
        .notAllowed, "The path \(path) is a disk and would be overwritten. Give the path of a file.")
    case .other:
      throw KennelError(.cannotOpen, "The path \(path) cannot be written to. Give the path of a file.")
    case .stream:
      return try BackupOutput(file: OpenFile(streamingTo: path, until: isCancelled), place: nil, keys)
    case .file, nil:
      let place = try FileCalls.resolvingLinks(path)
      let name = FileCalls.name(of: place)
      AbandonedFiles.remove(in: FileCalls.parent(of: place)) {
        AbandonedFiles.isName($0, beginning: name + ".", end: ".part")
      }
      let draft = "\(place).\(Sodium.base64(Sodium.randomBytes(9))).part"
      return try BackupOutput(file: OpenFile(creating: draft, name: path), place: place, keys)
    }
  }
}

/// The output of a backup.
struct BackupOutput: ~Copyable {
  private var file: OpenFile
  /// The final path of the file, or nil for a stream.
  private let place: String?
  private var encryption: BackupEncryption?
  private(set) var byteCount = 0

  init(
    file: consuming OpenFile, place: String?, _ keys: BackupKeys.Keys?
  ) throws(KennelError) {
    self.file = file
    self.place = place
    if let keys {
      let encryption = BackupEncryption(keys)
      let beginning = encryption.beginning
      self.encryption = consume encryption
      try writePlain(beginning)
    } else {
      encryption = nil
    }
  }

  mutating func write(_ bytes: UnsafeRawBufferPointer) throws(KennelError) {
    guard var encryption = encryption.take() else {
      try file.write(bytes)
      byteCount += bytes.count
      return
    }
    // A failed write ends the backup.
    var chunks: [[UInt8]] = []
    try encryption.encrypt(bytes) { chunk throws(KennelError) in chunks.append(chunk) }
    self.encryption = consume encryption
    for chunk in chunks { try writePlain(chunk) }
  }

  mutating func write(_ bytes: [UInt8]) throws(KennelError) {
    let result = bytes.withUnsafeBytes { buffer in
      Result { () throws(KennelError) in try write(buffer) }
    }
    try result.get()
  }

  private mutating func writePlain(_ bytes: [UInt8]) throws(KennelError) {
    try file.write(bytes)
    byteCount += bytes.count
  }

  /// Completes the output.
  mutating func finish() throws(KennelError) {
    if var encryption = encryption.take() { try writePlain(encryption.finish()) }
    try file.sync()
    guard let place else { return }
    try file.move(to: place)
  }

  /// Deletes an incomplete file.
  func abandon() {
    if place != nil { try? FileCalls.remove(file.path) }
  }

  /// Syncs the directory of the file to the disk.
  func syncPlace() throws(KennelError) {
    if let place { try FileCalls.syncDirectory(FileCalls.parent(of: place)) }
  }
}
