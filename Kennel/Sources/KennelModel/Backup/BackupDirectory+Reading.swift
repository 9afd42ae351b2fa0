import Foundation
import KennelStorage

extension BackupDirectory {
  /// Returns the directory and the backup that a path refers to: the latest one of a directory, or one file of its snapshots.
  /// Returns nil if the path is not in a directory with backups.
  static func backup(at path: String, _ passphrase: BackupKeys?) throws(KennelError) -> (
    directory: BackupDirectory, snapshot: String
  )? {
    if isOne(path) {
      let directory = try BackupDirectory(path, passphrase)
      guard let latest = try directory.snapshotNames().last else {
        throw KennelError(.badBackup, "The directory \(path) contains no complete backup. Use another one.")
      }
      return (directory, "\(directory.snapshots)/\(latest)")
    }
    let folder = FileCalls.parent(of: path)
    guard FileCalls.name(of: folder) == "snapshots", isOne(FileCalls.parent(of: folder)) else { return nil }
    return (try BackupDirectory(FileCalls.parent(of: folder), passphrase), path)
  }

  /// Copies a photo to a file, and verifies it.
  func copy(
    _ hash: PhotoHash, to target: String, _ passphrase: BackupKeys?, isCancelled: () -> Bool
  ) throws(KennelError) -> Int {
    let place = location(hash)
    guard FileCalls.size(of: place) != nil else {
      throw KennelError(
        .badBackup, "The backup is incomplete: the photo \(hash) is missing. Use another backup.")
    }
    let input = try BackupInput(OpenFile(reading: place), passphrase)
    let file = try OpenFile(creating: target)
    var found = Sodium.SHA256()
    let buffer = FileBuffer()
    var total = 0
    while true {
      if isCancelled() { throw .cancelled }
      let count = try input.read(into: buffer.first(.max))
      if count == 0 { break }
      found.update(buffer.bytes(count))
      try file.write(buffer.bytes(count))
      total += count
    }
    guard PhotoHash(bytes: (consume found).finish()) == hash, total > 0 else {
      throw KennelError(
        .badBackup, "The backup is damaged: the photo \(hash) was changed. Use another backup.")
    }
    return total
  }
}

/// Reads which photos a backup in a directory has.
struct SnapshotReader: ~Copyable {
  /// More than the lines of two million photos.
  static let maximumLinesSize = 300 << 20

  private let input: BackupInput
  private let isCancelled: () -> Bool

  static func photos(
    of path: String, _ passphrase: BackupKeys?, _ isCancelled: @escaping () -> Bool
  ) throws(KennelError) -> [PhotoHash] {
    let reader = SnapshotReader(
      input: try BackupInput(OpenFile(reading: path), passphrase), isCancelled: isCancelled)
    let database = try reader.header(.database)
    guard database <= (try reader.input.size()) else { throw BackupInput.damaged }
    _ = try reader.bytes(database + TarHeader.padding(after: database), keeps: false)
    let size = try reader.header(.sums)
    guard size <= maximumLinesSize else { throw BackupInput.damaged }
    return try hashes(inLines: try reader.bytes(size, keeps: true))
  }

  /// Returns the hashes in the lines of the photos, which follow the line of the database.
  static func hashes(inLines bytes: [UInt8]) throws(KennelError) -> [PhotoHash] {
    var hashes: [PhotoHash] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")).dropFirst() {
      guard let hash = PhotoHash(String(decoding: line.prefix(64), as: UTF8.self)),
        BackupContents.photo(hash).line(hash).dropLast() == line
      else { throw BackupInput.damaged }
      // The lines are sorted, so no photo can occur twice.
      if let last = hashes.last, !last.bytes.lexicographicallyPrecedes(hash.bytes) {
        throw BackupInput.damaged
      }
      hashes.append(hash)
    }
    return hashes
  }

  private func header(_ contents: BackupContents) throws(KennelError) -> Int {
    guard var header = TarHeader(try bytes(TarHeader.blockSize, keeps: true)) else {
      throw BackupInput.damaged
    }
    if header.kind == .extended {
      guard header.size < TarHeader.blockSize,
        let size = TarHeader.size(
          inRecord: Array(try bytes(TarHeader.blockSize, keeps: true).prefix(header.size))),
        let next = TarHeader(try bytes(TarHeader.blockSize, keeps: true))
      else { throw BackupInput.damaged }
      header = next
      header.size = size
    }
    guard header.kind == .file, BackupContents(name: header.name) == contents else {
      throw BackupInput.damaged
    }
    return header.size
  }

  private func bytes(_ count: Int, keeps: Bool) throws(KennelError) -> [UInt8] {
    let buffer = FileBuffer()
    var bytes: [UInt8] = []
    var left = count
    while left > 0 {
      if isCancelled() { throw .cancelled }
      let read = try input.read(into: buffer.first(left))
      guard read > 0 else { throw BackupInput.damaged }
      if keeps { bytes.append(contentsOf: buffer.bytes(read)) }
      left -= read
    }
    return bytes
  }
}
