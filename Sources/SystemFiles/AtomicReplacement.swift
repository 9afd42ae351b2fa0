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
    replace(path) { descriptor in
      let code = prepare(descriptor, like: path)
      return code == 0 ? DescriptorIO.write(bytes, to: descriptor) : code
    }
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
    replace(path, renamingWith: replaces ? renamed : linked) { descriptor in
      var code = prepare(descriptor, like: path)
      if code == 0 { code = contents(descriptor) }
      if code == 0, fsync(descriptor) != 0 { code = errno }
      return code
    }
  }

  /// Writes several buffers, one after the other, to a file that only its owner can access.
  ///
  /// - Returns: 0, or the error number of the call that failed.
  public static func writePrivately(_ pieces: [UnsafeRawBufferPointer], to path: String) -> Int32 {
    replace(path) { descriptor in
      for piece in pieces {
        let code = DescriptorIO.write(piece, to: descriptor)
        if code != 0 { return code }
      }
      return 0
    }
  }

  /// Calls a function with a temporary file, which has mode 0600, and renames the file.
  private static func replace(
    _ path: String, renamingWith rename: (String, String) -> Int32 = renamed, _ contents: (Int32) -> Int32
  ) -> Int32 {
    let slash = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    var template = Array("\(path[..<slash]).\(path[slash...]).XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { return errno }
    let name = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    var code = contents(descriptor)
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0 { code = rename(name, path) }
    if code != 0 { unlink(name) }
    return code
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

  /// Gives a new file the permissions and the owner of the file at a path. Returns 0 or an error number.
  private static func prepare(_ descriptor: Int32, like path: String) -> Int32 {
    var status = stat()
    if stat(path, &status) == 0 {
      // Without permission to change the owner, the file belongs to the current user, as after saving in an editor.
      _ = fchown(descriptor, status.st_uid, status.st_gid)
      return fchmod(descriptor, status.st_mode & 0o7777) == 0 ? 0 : errno
    }
    let mask = umask(0)
    umask(mask)
    return fchmod(descriptor, 0o666 & ~mask) == 0 ? 0 : errno
  }
}
