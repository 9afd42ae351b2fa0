import Foundation
import KennelStorage
import Synchronization

/// An unfinished upload while a request sends bytes of it. No other request, and no other process, has it open meanwhile.
package final class OpenUpload: Sendable {
  package let upload: Upload
  let file: ResumableFile
  private let workQueue: BlockingWorkQueue<Void>
  private let size: Mutex<Int>

  init(upload: Upload, file: ResumableFile, offset: Int, workQueue: BlockingWorkQueue<Void>) {
    (self.upload, self.file, self.workQueue) = (upload, file, workQueue)
    size = Mutex(offset)
  }

  /// The number of bytes that were written.
  package var offset: Int { size.withLock { $0 } }
  /// The number of bytes that are missing.
  package var missingCount: Int { upload.byteCount - offset }
  package var isComplete: Bool { missingCount == 0 }

  /// Appends bytes. Calls must not overlap.
  ///
  /// - Throws: `wrongOffset` if they are more than are missing, or an error of the file system.
  package func append(_ bytes: Data) async throws(KennelError) {
    try await workQueue.run { [self] () throws(KennelError) in try write(bytes) }
  }

  /// Appends the bytes of a photo that was received completely.
  package func append(_ photo: StagedPhoto) async throws(KennelError) {
    try await workQueue.run { [self] () throws(KennelError) in
      let source = try OpenFile(reading: photo.path)
      let buffer = FileBuffer()
      while true {
        let count = try source.read(into: buffer.first(.max))
        if count == 0 { return }
        try write(Data(buffer.bytes(count)))
      }
    }
  }

  private func write(_ bytes: Data) throws(KennelError) {
    guard bytes.count <= missingCount else { throw .tooManyBytes }
    try file.append(bytes)
    size.withLock { $0 += bytes.count }
  }

  /// Syncs the bytes to the disk. Returns their number, which may be reported now.
  package func sync() async throws(KennelError) -> Int {
    try await workQueue.run { [file] () throws(KennelError) in try file.sync() }
  }
}

extension KennelError {
  package static let tooManyBytes = KennelError(
    .wrongOffset,
    "The request has more bytes than the upload still needs. Ask for the offset, then send the rest.")
}
