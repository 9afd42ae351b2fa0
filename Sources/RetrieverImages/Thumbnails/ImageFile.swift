import Foundation
import Glibc

/// A file that contains an image.
enum ImageFile {
  /// The number of bytes that are read at a time while frames are decoded.
  static let pieceSize = 64 << 10

  /// Opens a regular file. Never waits for the other end of a named pipe.
  static func open(_ path: String) throws(ImageError) -> FileHandle {
    let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw unreadable(path, String(cString: strerror(errno))) }
    let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw unreadable(path, "it is not a regular file")
    }
    return handle
  }

  /// Returns the next bytes of a file; nil at its end.
  static func read(_ handle: FileHandle, atMost count: Int, path: String) throws(ImageError) -> Data? {
    let result = Result { try handle.read(upToCount: count) }
    switch result {
    case .success(let data): return data.flatMap { $0.isEmpty ? nil : $0 }
    case .failure(let error): throw unreadable(path, error.localizedDescription)
    }
  }

  /// Returns the number of pixels per point that the name of a file states, as in `dog@2x.png` and `dog@3x~ipad.png`.
  static func scale(named path: String) -> Double {
    var name = path.split(separator: "/").last ?? ""
    if let dot = name.lastIndex(of: ".") { name = name[..<dot] }
    for device in ["~iphone", "~ipad"] where name.hasSuffix(device) { name = name.dropLast(device.count) }
    return name.hasSuffix("@2x") ? 2 : name.hasSuffix("@3x") ? 3 : 1
  }

  private static func unreadable(_ path: String, _ reason: String) -> ImageError {
    ImageError(.unreadableFile, "Could not read the file \(path): \(reason).")
  }
}
