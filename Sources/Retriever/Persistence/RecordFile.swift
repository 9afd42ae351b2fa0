#if !canImport(Darwin)
import Foundation
import Glibc
import SystemFiles

/// A file of secrets, which only its owner may read. It is replaced completely or not at all, and one process at a time
/// changes it.
struct RecordFile: Sendable {
  /// The directory; nil if there is none, so that nothing is read or written.
  let directory: String?
  let name: String

  static let queue = DispatchQueue(label: "retriever.records", qos: .utility)
  /// Longer files are not read.
  static let maximumBytes = 16 << 20
  static let maximumRecords = 4096

  private var path: String? { directory.map { "\($0)/\(name)" } }

  /// The directory of this program's data: `retriever` in `$XDG_DATA_HOME/PROGRAM` or `~/.local/share/PROGRAM`.
  ///
  /// Nil for a program that has more rights than the user who started it, and without a home directory.
  static let programDirectory: String? = {
    func variable(_ name: String) -> String? {
      guard let value = getenv(name), value.pointee == UInt8(ascii: "/") else { return nil }
      return String(cString: value)
    }
    let program = ProcessInfo.processInfo.processName
    guard getuid() == geteuid(), getgid() == getegid(), !program.isEmpty, program != ".", program != "..",
      !program.utf8.contains(UInt8(ascii: "/")),
      let data = variable("XDG_DATA_HOME") ?? variable("HOME").map({ "\($0)/.local/share" })
    else { return nil }
    return "\(data)/\(program)/retriever"
  }()

  /// Returns the contents; nil if there are none, or if the file is not a file of this user.
  func read() -> [UInt8]? {
    guard let path else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
      status.st_size <= Self.maximumBytes
    else { return nil }
    var contents = [UInt8](repeating: 0, count: Int(status.st_size))
    var count = 0
    while count < contents.count {
      let read = contents.withUnsafeMutableBytes { bytes in
        SystemCall.retrying {
          Glibc.read(descriptor, bytes.baseAddress?.advanced(by: count), bytes.count - count)
        }
      }
      guard read > 0 else { break }
      count += read
    }
    return Array(contents.prefix(count))
  }

  /// Replaces the contents. No other process does so between the call of the closure and the replacement.
  ///
  /// - Parameter change: Gets the contents, and returns the new ones; nil to change nothing.
  /// - Returns: False if the file could not be written.
  func replace(_ change: ([UInt8]?) -> [UInt8]?) -> Bool {
    guard let directory, let path else { return true }
    guard PrivateDirectory.make(directory) else { return false }
    let lock = open("\(path).lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard lock >= 0 else { return false }
    // Closing the descriptor unlocks it, also when the process is killed.
    defer { close(lock) }
    guard SystemCall.retrying({ Int(flock(lock, LOCK_EX)) }) == 0 else { return false }
    removeLeftovers(directory)
    guard let contents = change(read()) else { return false }
    return contents.withUnsafeBytes { AtomicReplacement.writePrivately([$0], to: path) } == 0
  }

  /// Removes the temporary files of processes that were killed while they wrote. The process that holds the lock has none yet.
  private func removeLeftovers(_ directory: String) {
    guard let stream = opendir(directory) else { return }
    defer { closedir(stream) }
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix(".\(self.name).") { unlink("\(directory)/\(name)") }
    }
  }
}
#endif
