import Foundation
import Glibc
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand
@testable import KennelModel
@testable import KennelStorage

extension Kennel {
  /// Writes small, different photos into a folder and its subfolder.
  func writePhotos(_ count: Int, firstSeed: Int = 0) throws {
    let folder = directory.file("photos/below")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for index in 0..<count {
      var picture = Litter.posts[0].picture
      picture.seed = UInt64(firstSeed + index)
      let data = picture.jpeg(scale: 0.04) ?? Data()
      let name = index % 2 == 0 ? "photos/rex_\(Self.names[index % 4]).jpg" : "photos/below/IMG_\(index).jpg"
      try directory.write(data, to: name)
    }
  }

  private static let names = ["at-the-beach", "", "asleep", ""]
}

@Suite(.timeLimit(.minutes(5))) struct ImportTests {
  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `a folder is imported with its subfolders, and each photo only once`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(3)
    try kennel.directory.write(Data("hello".utf8), to: "photos/notes.txt")
    try kennel.directory.write(Data("hidden".utf8), to: "photos/.hidden.jpg")
    let first = try await kennel.run("import", kennel.directory.path("photos"), "--captions")
    #expect(first.status == 0 && first.output == "3 photos posted by Ada, 1 other file skipped\n")
    let second = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(second.output == "0 photos posted by Ada, 3 already posted, 1 other file skipped\n")
    let check = try await kennel.run("check")
    #expect(check.status == 0 && check.output == "3 photos: no problems found.\n")
  }

  @Test func `files that cannot be posted are reported, and the import continues`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    try kennel.directory.write(Data("no photo".utf8), to: "photos/broken.jpg")
    let photo = try Data(contentsOf: kennel.directory.file("photos/rex_at-the-beach.jpg"))
    try kennel.directory.write(photo.prefix(photo.count / 2), to: "photos/cut.jpg")
    let result = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(result.status == 10 && result.output == "2 photos posted by Ada, 2 failed\n")
    #expect(
      result.errors.contains("broken.jpg: The file type is not supported.")
        && result.errors.contains("cut.jpg: The photo is "))
    // On the command line, the message ends with the decoder's reason in parentheses.
    let cut = try #require(result.errors.split(separator: "\n").first { $0.contains("cut.jpg") })
    #expect(cut.hasSuffix(".)"))
  }

  @Test func `names that are not UTF-8 are reported, and the import is not complete`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(1)
    let wrong =
      Array("\(kennel.directory.path("photos"))/".utf8CString.dropLast()) + [CChar(bitPattern: 0xff)]
    let paths = [".jpg", ".txt"].map { wrong + Array($0.utf8CString) }
    for path in paths {
      let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      #expect(descriptor >= 0)
      close(descriptor)
    }
    defer { for path in paths { unlink(path) } }
    let result = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(result.status == 10)
    #expect(result.output == "1 photo posted by Ada, 1 failed, 1 other file skipped\n")
    #expect(result.errors.contains(".jpg is not valid UTF-8. It was skipped."))
  }

  @Test(.enabled(if: geteuid() != 0, "the superuser can read all folders"))
  func `a folder that cannot be read is reported, and the import is not complete`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    let below = kennel.directory.path("photos/below")
    chmod(below, 0)
    defer { chmod(below, 0o700) }
    let result = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(result.status == 10 && result.output == "1 photo posted by Ada, 1 failed\n")
    #expect(result.errors.contains("Could not read the folder \(below). It was skipped."))
  }

  @Test func `single files are posted regardless of their names`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    let photo = try Data(contentsOf: kennel.directory.file("photos/rex_at-the-beach.jpg"))
    let bare = try kennel.directory.write(photo, to: "rex").path
    let link = kennel.directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: bare)
    let other = kennel.directory.path("photos/below/IMG_1.jpg")
    let result = try await kennel.run("import", link, other)
    #expect(result.status == 0 && result.output == "2 photos posted by Ada\n", "\(result.errors)")
    // A file is posted only once, even if it is given as a file and in a folder.
    let again = try await kennel.run("import", bare, kennel.directory.path("photos"))
    #expect(again.output == "0 photos posted by Ada, 3 already posted\n", "\(again.errors)")
    let nothing = try await kennel.run("import", kennel.directory.path("nothing.jpg"))
    #expect(nothing.status == 8)
    #expect(nothing.errors.contains("There is no file or folder “\(kennel.directory.path("nothing.jpg"))”."))
    let device = try await kennel.run("import", "/dev/null")
    #expect(device.status == 8 && device.errors.contains("/dev/null is neither a file nor a folder"))
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `an imported photo is shared now, and was taken when its file or its camera says`() async throws {
    var kennel = try await Kennel.withOwner()
    kennel.environment["KENNEL_TIME_ZONE"] = "Asia/Tokyo"
    try kennel.writePhotos(2)
    let plain = try Data(contentsOf: kennel.directory.file("photos/rex_at-the-beach.jpg"))
    let dated = EXIFFixture.jpeg(plain, original: "2015:03:04 05:06:07")
    let path = kennel.directory.path("photos/rex_at-the-beach.jpg")
    try dated.write(to: kennel.directory.file("photos/dated.jpg"))
    let old = Date(timeIntervalSince1970: 1_234_567_890)
    try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: path)
    _ = try await kennel.run("import", kennel.directory.path("photos/dated.jpg"), path)
    let store = try await kennel.openStore()
    let posts = try await store.posts.page()
    await store.close()
    #expect(posts.map(\.taken.iso8601) == ["2015-03-04T05:06:07+09:00", "2009-02-14T08:31:30+09:00"])
    #expect(posts.map(\.taken.source) == [.cameraClock, .file])
    #expect(posts.allSatisfy { $0.created > old + 1_000_000 })
    kennel.environment["KENNEL_TIME_ZONE"] = "Dogland"
    let refused = try await kennel.run("check")
    #expect(refused.status == 2 && refused.errors.contains("KENNEL_TIME_ZONE must be a time zone such as"))
  }

  @Test func `importing an empty path is an error`() async throws {
    let kennel = try await Kennel.withOwner()
    // A shell passes an empty path for an unset variable. This must not import the current directory.
    let result = try await kennel.run("import", "")
    #expect(result.status == 8 && result.output == "", "\(result.output)")
    #expect(result.errors.contains("There is no file or folder “”."))
  }

  @Test func `an interrupted import continues`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(1)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    try kennel.writePhotos(4)
    let rest = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(rest.output == "3 photos posted by Ada, 1 already posted\n")
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a photo whose post was deleted during a backup can be posted again`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(1)
    _ = try await kennel.run("import", kennel.directory.path("photos"))
    let store = try await kennel.openStore()
    let ada = try #require(try await store.accounts.user(named: "Ada"))
    // A backup also keeps the file of a deleted post in this way.
    let held = try store.photos.holdRemovals()
    try await store.posts.delete(1, by: ada.id)
    let again = try await kennel.run("import", kennel.directory.path("photos"))
    #expect(again.output == "1 photo posted by Ada\n")
    withExtendedLifetime(held) {}
    await store.close()
    #expect(try await kennel.run("check").output == "1 photo: no problems found.\n")
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `a dry run reports which files would be posted and which would fail`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(3)
    try FileManager.default.createDirectory(
      at: kennel.directory.file("first"), withIntermediateDirectories: true)
    let known = try Data(contentsOf: kennel.directory.file("photos/rex_at-the-beach.jpg"))
    try kennel.directory.write(known, to: "first/known.jpg")
    _ = try await kennel.run("import", kennel.directory.path("first"))
    try kennel.directory.write(Data("no photo".utf8), to: "photos/broken.jpg")
    try kennel.directory.write(known.prefix(known.count / 2), to: "photos/cut.jpg")
    let result = try await kennel.run("import", kennel.directory.path("photos"), "--dry-run")
    #expect(result.status == 10)
    #expect(result.errors.hasSuffix("2 photos would be posted by Ada, 1 already posted, 2 would fail\n"))
    #expect(result.output.split(separator: "\n").count == 2)
    #expect(
      result.errors.contains("broken.jpg: The file type is not supported.")
        && result.errors.contains("cut.jpg: "))
    #expect(try await kennel.run("check").output == "1 photo: no problems found.\n")
  }

  @Test(.enabled(if: TestWorld.hasFiles, "it checks the kennel, which needs SQLite"))
  func `a dry run posts nothing`() async throws {
    let kennel = try await Kennel.withOwner()
    try kennel.writePhotos(2)
    let result = try await kennel.run("import", kennel.directory.path("photos"), "--dry-run")
    #expect(result.status == 0 && result.output.split(separator: "\n").count == 2)
    #expect(result.errors == "2 photos would be posted by Ada\n")
    #expect(try await kennel.run("check").output.hasPrefix("0 photos"))
  }

  @Test(
    arguments: [
      ("rex_at-the-beach (2).jpg", "rex at the beach"), ("IMG_2041.JPG", ""), ("PXL_20211107_101112.jpg", ""),
      ("Bella and Max.png", "Bella and Max"), ("DSC00012.jpg", ""), ("2021-11-07.jpg", ""),
      ("Rex 2021.jpg", "Rex 2021"),
    ])
  func `descriptive file names become captions`(file: String, caption: String) {
    #expect(CaptionText.from("/photos/\(file)") == caption)
  }
}
