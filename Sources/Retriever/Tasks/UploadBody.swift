#if !canImport(Darwin)
  import Foundation
  import Glibc
  import Synchronization
  import TransferEngine

  /// What a task sends.
  enum UploadBody: Sendable {
    case data(Data)
    case file(URL)
    /// A stream that the delegate is asked for.
    case streamFromDelegate

    var length: Int64? {
      switch self {
      case .data(let data): Int64(data.count)
      case .file(let url):
        (try? FileManager.default.attributesOfItem(atPath: url.path)[.size] as? NSNumber)?.int64Value
      case .streamFromDelegate: nil
      }
    }
  }

  /// A body in memory that is too long to be copied at once.
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

  /// A body in a file, read as it is sent, never whole. A file that shrinks meanwhile ends the transfer.
  ///
  /// The files of /proc have a size of 0 and content all the same: such a file is read to its end, whatever its length.
  final class FileBodySource: TransferBodySource {
    let length: Int64?
    private let descriptor: Int32
    private let position = Mutex<Int64>(0)

    init(_ url: URL) throws(URLError) {
      guard url.isFileURL else {
        throw URLError(.fileDoesNotExist, sentence: "What is to be uploaded has no file URL.", url: url)
      }
      // Without O_NONBLOCK, opening a named pipe would wait for its writer.
      let file = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
      guard file >= 0 else {
        let code = errno
        throw URLError(
          code == EACCES ? .noPermissionsToReadFile : .fileDoesNotExist,
          sentence: "The file to upload, \(url.path), cannot be read: \(String(cString: strerror(code))).",
          url: url)
      }
      var status = stat()
      guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
        close(file)
        throw URLError(
          .fileIsDirectory, sentence: "\(url.path) cannot be uploaded: it is not a regular file.", url: url)
      }
      descriptor = file
      var first: UInt8 = 0
      let hasNoSize = status.st_size == 0 && pread(file, &first, 1, 0) > 0
      length = hasNoSize ? nil : Int64(status.st_size)
    }

    deinit { close(descriptor) }

    func start(moreAvailable: @escaping @Sendable () -> Void) {}

    func read(into buffer: UnsafeMutableRawBufferPointer) -> TransferBodyRead {
      position.withLock { position in
        // What has been added since the length was announced is not sent.
        let wanted = min(Int64(buffer.count), (length ?? .max) - position)
        guard wanted > 0 else { return .end }
        while true {
          let count = pread(descriptor, buffer.baseAddress, Int(wanted), Int(position))
          if count > 0 {
            position += Int64(count)
            return .bytes(count)
          }
          if count == 0, length == nil { return .end }
          // Nothing, though more was promised: the file has shrunk.
          if count == 0 || errno != EINTR { return .failed }
        }
      }
    }

    func rewind() -> Bool {
      position.withLock { $0 = 0 }
      return true
    }
  }
#endif
