import Foundation
import TerminalProgram

/// What somebody wants to have imported: a photo, or a folder of them.
enum PhotoSource: Sendable {
  /// Whatever its name is, and by a link too: it was asked for.
  case file(PhotoFolder.File)
  case folder(PhotoFolder)

  /// Looks what is at a path. Blocks.
  init(_ path: String) throws(Failure) {
    let keys: Set<URLResourceKey> = [
      .isDirectoryKey, .isRegularFileKey, .fileSizeKey, .contentModificationDateKey,
    ]
    // What a link leads to, not the link.
    let url = URL(fileURLWithPath: path).resolvingSymlinksInPath()
    guard let values = try? url.resourceValues(forKeys: keys) else {
      throw Failure(.fileSystem, "there is no file or folder \(path)")
    }
    if values.isDirectory == true {
      self = .folder(PhotoFolder(path))
    } else if values.isRegularFile == true {
      let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) != nil
      self = .file(
        PhotoFolder.File(
          path: isLink ? url.path : path, byteCount: values.fileSize ?? 0,
          date: values.contentModificationDate ?? Date()))
    } else {
      throw Failure(.fileSystem, "\(path) is neither a file nor a folder: give a photo, or a folder of them")
    }
  }
}
