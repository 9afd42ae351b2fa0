import Foundation
import Glibc
import TerminalProgram

/// Replaces a file completely or not at all.
enum AtomicFile {
  /// Writes a temporary file in the same folder and renames it. The permissions of the file are kept, and a symbolic
  /// link to it stays a link.
  static func write(_ text: String, to path: String) throws(FileProblem) {
    let target = try target(of: path)
    let slash = target.lastIndex(of: "/").map { target.index(after: $0) } ?? target.startIndex
    let pattern = "\(target[..<slash]).\(target[slash...]).XXXXXX"
    var name = Array(pattern.utf8CString)
    let descriptor = mkstemp(&name)
    guard descriptor >= 0 else { throw .system(path, "cannot be written", errno) }
    let temporary = name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
    var code = prepare(descriptor, like: target)
    if code == 0 { code = put(text, descriptor) }
    if close(descriptor) != 0, code == 0 { code = errno }
    if code == 0, rename(temporary, target) != 0 { code = errno }
    guard code == 0 else {
      unlink(temporary)
      throw .system(path, "cannot be written", code)
    }
  }

  private static func target(of path: String) throws(FileProblem) -> String {
    guard let place = try? OutputPlace(path) else { throw .system(path, "cannot be written", ELOOP) }
    guard case .file(let target) = place else {
      throw FileProblem(path, "is not a regular file, so it cannot be replaced")
    }
    return target
  }

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

  private static func put(_ text: String, _ descriptor: Int32) -> Int32 {
    var text = text
    return text.withUTF8 { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      while !rest.isEmpty {
        let count = Glibc.write(descriptor, rest.baseAddress, rest.count)
        if count > 0 {
          rest = UnsafeRawBufferPointer(rebasing: rest[count...])
        } else if count == 0 {
          return EIO
        } else if errno != EINTR {
          return errno
        }
      }
      return 0
    }
  }
}
