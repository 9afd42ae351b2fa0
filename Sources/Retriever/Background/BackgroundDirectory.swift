#if !canImport(Darwin)
import Foundation
import Glibc
import HTTPSyntax
import SystemFiles

/// A file that lines are appended to.
final class JournalFile: Sendable {
  private let descriptor: Int32

  init(_ descriptor: Int32) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// Writes at the end of the file, which has `length` bytes. If that fails, the file does not change.
  func append(_ bytes: [UInt8], after length: Int) throws(SystemError) {
    let code = bytes.withUnsafeBytes { DescriptorIO.write($0, to: descriptor) }
    guard code != 0 else { return }
    // A part of a line would also damage the next one.
    _ = ftruncate(descriptor, length)
    throw SystemError(code)
  }

  /// Waits until the disk has what was written.
  func sync() { fdatasync(descriptor) }
}

/// The directory of one background session: its journal, and the files of its downloads. Only the user may access it.
///
/// Releasing it unlocks the directory for other sessions and processes. The system does the same when the process ends.
final class BackgroundDirectory: Sendable {
  /// Why a directory cannot be used.
  enum Problem: Error, Equatable {
    case inUse
    case unusable(path: String, reason: String)
  }

  let path: String
  private let lock: Int32

  var journalPath: String { "\(path)/journal" }

  /// Opens the directory and locks it.
  init(_ path: String) throws(Problem) {
    try Self.prepare(path)
    // Without O_NONBLOCK, a named pipe could block.
    let lock = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0o600)
    guard lock >= 0 else { throw Self.failure("\(path)/lock", errno) }
    guard SystemCall.retrying({ Int(flock(lock, LOCK_EX | LOCK_NB)) }) == 0 else {
      let code = errno
      close(lock)
      throw code == EWOULDBLOCK ? .inUse : Self.failure("\(path)/lock", code)
    }
    self.path = path
    self.lock = lock
  }

  deinit { close(lock) }

  private static func failure(_ path: String, _ code: Int32) -> Problem {
    .unusable(path: path, reason: String(cString: strerror(code)))
  }

  /// Creates the directory, and makes sure that no other user may change it.
  private static func prepare(_ path: String) throws(Problem) {
    guard PrivateDirectory.make(path) else { throw failure(path, errno) }
    var status = stat()
    guard lstat(path, &status) == 0 else { throw failure(path, errno) }
    guard status.st_mode & S_IFMT == S_IFDIR else {
      throw .unusable(path: path, reason: "It is not a directory")
    }
    guard status.st_uid == geteuid() else {
      throw .unusable(path: path, reason: "It belongs to another user")
    }
    guard status.st_mode & 0o777 == 0o700 || chmod(path, 0o700) == 0 else { throw failure(path, errno) }
  }

  // MARK: Files

  /// The file name for the identifier of a session. Different identifiers have different names.
  static func name(for identifier: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var name: [UInt8] = []
    for byte in identifier.utf8 {
      let isPlain =
        ASCII.isDigit(byte) || UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
        || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte || byte == UInt8(ascii: "-")
        || byte == UInt8(ascii: "_")
        || (byte == UInt8(ascii: ".") && !name.isEmpty)
      name += isPlain ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
    }
    guard name.count > maximumName else { return String(decoding: name, as: UTF8.self) }
    // No short name has a tilde.
    let digest = SHA1.digest(Array(identifier.utf8)).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return String(decoding: name.prefix(maximumName - 41), as: UTF8.self) + "~"
      + String(decoding: digest, as: UTF8.self)
  }

  private static let maximumName = 200

  /// Reads the journal; empty if there is none, or if it is not a file of this user. At most `limit` bytes are read.
  func readJournal(limit: Int) -> [UInt8] {
    let descriptor = open(journalPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return [] }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid()
    else { return [] }
    return (try? DescriptorIO.contents(of: descriptor, limit: limit)) ?? []
  }

  /// Replaces the journal, and opens the new one for appending.
  func replaceJournal(_ contents: [UInt8]) throws(SystemError) -> JournalFile {
    let code = contents.withUnsafeBytes { AtomicReplacement.writePrivately([$0], to: journalPath) }
    guard code == 0 else { throw SystemError(code) }
    let descriptor = open(journalPath, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw SystemError(errno) }
    return JournalFile(descriptor)
  }

  /// Returns the path of a download's file.
  func path(of partial: BackgroundTaskRecord.Partial) -> String? {
    guard PartialFileName.isValid(partial.name) else { return nil }
    return (partial.isTemporary ? FileManager.default.temporaryDirectory.path : path) + "/" + partial.name
  }

  /// Returns the length of a download's file; nil if there is none that belongs to this user.
  func length(of partial: BackgroundTaskRecord.Partial) -> Int64? {
    var status = stat()
    guard let path = path(of: partial), lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_uid == geteuid()
    else { return nil }
    return Int64(status.st_size)
  }

  /// Removes the files of downloads that are not in the set, and those of an interrupted replacement of the journal.
  func removeFiles(except names: Set<String>) {
    guard let stream = opendir(path) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(".journal.") || (PartialFileName.isValid(name) && !names.contains(name)) {
        unlink("\(path)/\(name)")
      }
    }
  }

  /// The current run of the machine; nil if the system does not say.
  static let boot: String? = {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text.map { $0.filter { !$0.isWhitespace } }
  }()
}
#endif
