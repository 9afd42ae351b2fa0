#if !canImport(Darwin)
import Foundation
import Glibc
import Synchronization
import SystemFiles
import TransferEngine

/// The body of an upload.
enum UploadBody: Sendable {
  case data(Data)
  case file(URL)
  /// A stream that the delegate provides.
  case streamFromDelegate
  /// A sequence, which can be iterated once.
  case sequence(AsyncSequenceBody)
  /// The rest of data, a part of which the server already has.
  case restOfData(Data)
  /// The rest of a file, which must not have changed.
  case restOfFile(URL, from: Int64, FileStamp)
  /// A stream from the delegate that begins at an offset, and its length if it is known.
  case restFromDelegate(from: Int64, length: Int64?)

  var length: Int64? {
    switch self {
    case .data(let data), .restOfData(let data): Int64(data.count)
    case .file(let url):
      (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber)?.int64Value
    case .streamFromDelegate: nil
    case .sequence(let body): body.length
    case .restOfFile(_, let offset, let stamp): stamp.size - offset
    case .restFromDelegate(_, let length): length
    }
  }
}

/// A body in memory that is too long to be copied in one piece.
final class DataBodySource: TransferBodySource {
  let length: Int64?
  private let data: Data
  private let position = Mutex(0)

  init(_ data: Data) {
    self.data = data
    length = Int64(data.count)
  }

  func start(moreAvailable: @escaping @Sendable () -> Void) {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    position.withLock { position in
      let count = min(buffer.count, data.count - position)
      guard count > 0 else { return .end }
      let start = data.startIndex + position
      data.copyBytes(to: buffer, from: start..<start + count)
      position += count
      return .bytes(count)
    }
  }

  func rewind() -> Bool {
    position.withLock { $0 = 0 }
    return true
  }
}

/// A body in a file, which is read as it is sent and is never completely in memory. If the file becomes shorter, the
/// transfer fails.
///
/// Files in /proc have a size of 0 but do have content. Such a file is read to its end, regardless of its length.
final class FileBodySource: TransferBodySource {
  let length: Int64?
  let stamp: FileStamp
  private let start: Int64
  private let descriptor: Int32
  private let position = Mutex<Int64>(0)

  /// - Parameters:
  ///   - start: The position of the first byte to send.
  ///   - expected: The stamp that the file must have; nil if any file may be sent.
  init(_ url: URL, from start: Int64 = 0, expecting expected: FileStamp? = nil) throws(URLError) {
    guard url.isFileURL else {
      throw URLError(.fileDoesNotExist, message: "The URL to upload from is not a file URL.", url: url)
    }
    // Without O_NONBLOCK, opening a named pipe would wait for its writer.
    let file = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      let code = errno
      throw URLError(
        code == EACCES ? .noPermissionsToReadFile : .fileDoesNotExist,
        message: "Could not read the file to upload, \(url.path): \(String(cString: strerror(code))).",
        url: url)
    }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(file)
      throw URLError(
        .fileIsDirectory, message: "Could not upload \(url.path): it is not a regular file.", url: url)
    }
    let stamp = FileStamp(status)
    guard expected.map({ $0 == stamp && 0...stamp.size ~= start }) ?? (start == 0) else {
      close(file)
      throw URLError(
        .requestBodyStreamExhausted,
        message: "Could not resume the upload of \(url.path): the file has changed since the upload began.",
        suggestion: "Upload it from the beginning.", url: url)
    }
    descriptor = file
    self.stamp = stamp
    self.start = start
    var first: UInt8 = 0
    let hasNoSize = status.st_size == 0 && pread(file, &first, 1, 0) > 0
    length = hasNoSize ? nil : stamp.size - start
  }

  deinit { close(descriptor) }

  func start(moreAvailable: @escaping @Sendable () -> Void) {}

  func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
    position.withLock { position in
      // Bytes that were added after the length was announced are not sent.
      let wanted = min(Int64(buffer.count), (length ?? .max) - position)
      guard wanted > 0 else { return .end }
      let count = SystemCall.retrying {
        pread(descriptor, buffer.baseAddress, Int(wanted), Int(start + position))
      }
      // If there are no more bytes, although more were announced, the file has become shorter.
      guard count > 0 else { return count == 0 && length == nil ? .end : .failed }
      position += Int64(count)
      return .bytes(count)
    }
  }

  func rewind() -> Bool {
    position.withLock { $0 = 0 }
    return true
  }
}
#endif
