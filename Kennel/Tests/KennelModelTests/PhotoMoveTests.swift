import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

/// What a move and a backup take for a missing photo.
@Suite(.timeLimit(.minutes(5))) struct PhotoMoveTests {
  @Test(arguments: [EMFILE, ENFILE, EIO, EACCES, EROFS, ENOTDIR])
  func `an error of the machine does not make a photo missing`(_ number: Int32) {
    let error = KennelError.file("A file could not be opened", path: "/photos/1", errno: number)
    #expect(!error.isAboutPhoto)
  }

  @Test func `a photo that has no file or other bytes, or is not in the store, is missing`() {
    #expect(KennelError.file("A file could not be opened", path: "/photos/1", errno: ENOENT).isAboutPhoto)
    #expect(KennelError(.damaged, "The photo was altered.").isAboutPhoto)
    #expect(KennelError(.cannotOpen, "The photo is missing in the store.").isAboutPhoto)
    #expect(!KennelError.storeUnavailable(cause: "").isAboutPhoto)
  }

  @Test func `photos whose directory cannot be read end a move`() async throws {
    let directory = try TemporaryDirectory()
    try directory.write(Data("a file".utf8), to: "file")
    let source = try PhotoDirectory(
      inspecting: directory.path("file") + "/photos", limits: FileLimits(photo: 1000))
    let target = try PhotoDirectory(path: directory.path("target"), maximumPhotoSize: 1000)
    let hash = try #require(PhotoHash(bytes: Sodium.sha256([1])))
    let move = PhotoMove(directory: target, source: source, target: target)
    let error = await #expect(throws: KennelError.self) {
      try await move.copy([StoredPhoto(hash, byteCount: 1)]) { _, _ in }
    }
    #expect(error?.errno == ENOTDIR)
    await source.workQueue.close()
    await target.workQueue.close()
  }
}
