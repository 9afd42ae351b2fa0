#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Replaces a file completely or not at all.
public enum AtomicReplacement {
  /// Writes a temporary file in the same directory and renames it.
  ///
  /// The permissions of an existing file are kept. Its owner is kept too if this process may do that. A new file gets the
  /// usual permissions of the process. If the call fails, the old file is unchanged and no temporary file is left.
  ///
  /// The contents are not synced to the disk. A symbolic link at the path is replaced, not followed; see
  /// ``SymbolicLinks/follow(_:)``.
  ///
  /// - Returns: 0, or the error number of the call that failed.
  public static func write(_ bytes: UnsafeRawBufferPointer, to path: String) -> Int32 {
    replace(path, access: .asBefore) { DescriptorIO.write(bytes, to: $0) }
  }

  /// Does the same with contents that a function writes to a descriptor, and waits until they are on the disk before the
  /// old file is replaced.
  ///
  /// - Parameters:
  ///   - replaces: Whether an existing file is replaced. If not, an existing file is the error EEXIST.
  ///   - contents: Writes to the descriptor, and returns 0 or an error number. With an error, the old file stays.
  /// - Returns: 0, or the error number of the call that failed.
  public static func writeDurably(
    to path: String, replaces: Bool = true, contents: (Int32) -> Int32
  ) -> Int32 {
    replace(path, access: .asBefore, renamingWith: replaces ? renamed : linked) { descriptor in
      var code = contents(descriptor)
      if code == 0, fsync(descriptor) != 0 { code = errno }
      return code
    }
  }

  /// Writes several buffers, one after the other, to a file that only its owner can access.
  ///
  /// - Returns: 0, or the error number of the call that failed.
  public static func writePrivately(_ pieces: [UnsafeRawBufferPointer], to path: String) -> Int32 {
    replace(path, access: .owner) { descriptor in
      for piece in pieces {
        let code = DescriptorIO.write(piece, to: descriptor)
        if code != 0 { return code }
      }
      return 0
    }
  }

  /// Who has access to the new file.
  private enum Access {
    case owner
    /// Those who have access to the file that is replaced, or to any new file of this process.
    case asBefore
  }

  /// Calls a function with a temporary file, and renames the file.
  private static func replace(
    _ path: String, access: Access, renamingWith rename: (String, String) -> Int32 = renamed,
    _ contents: (Int32) -> Int32
  ) -> Int32 {
    var status = stat()
    let isNew = stat(path, &status) != 0
    // The kernel applies the process's mask. Asking for the mask would change it for a moment, also for other threads.
    let file = temporaryFile(for: path, mode: access == .asBefore && isNew ? 0o666 : 0o600)
    guard file.descriptor >= 0 else { return errno }
    var code: Int32 = 0
    if access == .asBefore, !isNew {
      // Without permission to change the owner, the file belongs to the current user, as after saving in an editor.
      _ = fchown(file.descriptor, status.st_uid, status.st_gid)
      if fchmod(file.descriptor, status.st_mode & 0o7777) != 0 { code = errno }
    }
    if code == 0 { code = contents(file.descriptor) }
    if close(file.descriptor) != 0, code == 0 { code = errno }
    if code == 0 { code = rename(file.name, path) }
    if code != 0 { unlink(file.name) }
    return code
  }

  /// Creates a file with a new name in the directory of a path. Its descriptor is -1 if this fails.
  private static func temporaryFile(for path: String, mode: mode_t) -> (descriptor: Int32, name: String) {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    // A name has at most 255 bytes.
    let beginning = String(decoding: path[slash...].utf8.prefix(200), as: UTF8.self)
    while true {
      let name = "\(path[..<slash]).\(beginning).\(String(UInt64.random(in: 0...(.max)), radix: 36))"
      let descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode)
      if descriptor >= 0 || errno != EEXIST && errno != EINTR { return (descriptor, name) }
    }
  }

  private static func renamed(_ name: String, _ path: String) -> Int32 { rename(name, path) == 0 ? 0 : errno }

  /// Renames a file, but never replaces one, not even one that was created a moment ago.
  private static func linked(_ name: String, _ path: String) -> Int32 {
    if link(name, path) == 0 {
      unlink(name)
      return 0
    }
    let code = errno
    var status = stat()
    // Some file systems have no links.
    guard code == EPERM || code == EOPNOTSUPP, lstat(path, &status) != 0 else { return code }
    return renamed(name, path)
  }
}
