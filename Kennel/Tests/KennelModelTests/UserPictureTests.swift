import Foundation
import KennelTestSupport
import RetrieverImages
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite(.timeLimit(.minutes(5))) struct UserPictureTests {
  private static let first = Data("first".utf8)
  private static let second = Data("second".utf8)

  @Test(arguments: RecordsKind.available)
  func `a picture is set, replaced and removed, with another version each time`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      #expect(ada.picture == nil)
      #expect(try await store.accounts.picture(of: ada.id, for: ada.id) == nil)
      try await store.accounts.setPicture(Self.first, of: ada.id)
      let one = try #require(try await store.accounts.picture(of: ada.id, for: ada.id))
      #expect(one.jpeg == Self.first)
      #expect(try await store.accounts.user(ada.id)?.picture == one.version)
      try await store.accounts.setPicture(Self.second, of: ada.id)
      let two = try #require(try await store.accounts.picture(of: ada.id, for: ada.id))
      #expect(two.jpeg == Self.second && two.version != one.version)
      try await store.accounts.removePicture(of: ada.id)
      #expect(try await store.accounts.picture(of: ada.id, for: ada.id) == nil)
      try await store.accounts.setPicture(Self.first, of: ada.id)
      let three = try #require(try await store.accounts.user(named: "ada")?.picture)
      #expect(![one.version, two.version].contains(three))
      #expect(await code { try await store.accounts.setPicture(Self.first, of: 99) } == .noSuchUser)
    }
  }

  @Test func `a session and remembered credentials know the new picture`() async throws {
    try await withStore { store in
      let ada = try await store.addUser()
      let token = try await store.accounts.beginSession(of: ada.id).token
      for _ in 1...2 {
        try await store.accounts.setPicture(Self.first, of: ada.id)
        let version = try await store.accounts.user(ada.id)?.picture
        #expect(version != nil)
        #expect(try await store.accounts.user(of: token)?.picture == version)
        let signedIn = try await store.accounts.signIn("Ada", password: "correct horse", address: "a")
        #expect(signedIn.user.picture == version)
      }
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a change of a picture changes the version of the content and what posts and comments show`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      let post = try await store.addPost(1, by: ada)
      _ = try await store.posts.addComment("Good dog", to: post.id, author: ada.id)
      var versions = [try await store.versions.current()]
      for picture in [Self.first, Self.second] {
        try await store.accounts.setPicture(picture, of: ada.id)
        versions.append(try await store.versions.current())
        let version = try #require(try await store.accounts.user(ada.id)?.picture)
        #expect(try await store.posts.post(post.id).authorPicture == version)
        #expect(try await store.posts.comments(on: post.id).map(\.authorPicture) == [version])
        let new = try await store.posts.addComment("Sit", to: post.id, author: ada.id)
        #expect(new.authorPicture == version)
        try await store.posts.deleteComment(new.id, by: ada.id)
        let page = try await store.posts.posts(of: ada.id, limit: 1, viewer: nil)
        #expect(page.value.picture == version)
      }
      try await store.accounts.removePicture(of: ada.id)
      versions.append(try await store.versions.current())
      #expect(Set(versions).count == versions.count)
      #expect(try await store.posts.post(post.id).authorPicture == nil)
      // There is nothing to remove, so pages stay as they are.
      try await store.accounts.removePicture(of: ada.id)
      #expect(try await store.versions.current() == versions.last)
    }
  }

  @Test(arguments: RecordsKind.available)
  func `others get the picture of people whom they see with a photo or a comment`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let olga = try await store.addUser("Olga", role: .owner)
      let ada = try await store.addUser("Ada")
      let ben = try await store.addUser("Ben")
      try await store.accounts.setPicture(Self.first, of: ben.id)
      func seen(by viewer: User?) async throws -> Bool {
        try await store.accounts.picture(of: ben.id, for: viewer?.id) != nil
      }
      func seers() async throws -> [Bool] {
        [try await seen(by: ben), try await seen(by: olga), try await seen(by: ada), try await seen(by: nil)]
      }
      #expect(try await seers() == [true, true, false, false])
      let own = try await store.addPost(1, by: ben)
      #expect(try await seers() == [true, true, true, true])
      try await store.posts.moveToBin(own.id, by: ben.id)
      #expect(try await seers() == [true, true, false, false])
      let other = try await store.addPost(2, by: ada)
      _ = try await store.posts.addComment("Good dog", to: other.id, author: ben.id)
      #expect(try await seers() == [true, true, true, true])
      try await store.posts.moveToBin(other.id, by: ada.id)
      #expect(try await seers() == [true, true, false, false])
    }
  }

  @Test(arguments: RecordsKind.available)
  func `the picture is removed with the account`(_ kind: RecordsKind) async throws {
    try await withStore(kind) { store in
      _ = try await store.addUser("Olga", role: .owner)
      let ada = try await store.addUser()
      try await store.accounts.setPicture(Self.first, of: ada.id)
      _ = try await store.accounts.removeUser(ada.id)
      let left = try await store.posts.database.read { connection throws(KennelError) in
        try connection.first("SELECT count(*) FROM user_pictures") { $0.integer(0) }
      }
      #expect(left == 0)
    }
  }

  @Test(.enabled(if: TestWorld.hasFiles, "backups are made of SQLite"))
  func `a backup has the pictures`() async throws {
    let directory = try TemporaryDirectory()
    let version = try await withStore { store in
      let ada = try await store.addUser("Ada", role: .owner)
      try await store.accounts.setPicture(Self.first, of: ada.id)
      _ = try await store.backUp(to: .path(directory.path("kennel.tar")))
      return try await store.accounts.user(ada.id)?.picture
    }
    _ = try await KennelStore.restore(
      from: directory.path("kennel.tar"), to: directory.path("restored"), configuration: .forTest)
    let store = try await KennelStore.open(directory.path("restored"), configuration: .forTest)
    let ada = try #require(try await store.accounts.user(named: "Ada"))
    let picture = try await store.accounts.picture(of: ada.id, for: nil)
    #expect(picture == nil, "Nobody sees Ada on a page.")
    let own = try await store.accounts.picture(of: ada.id, for: ada.id)
    #expect(own?.jpeg == Self.first && own?.version == version)
    await store.close()
  }

  @Test func `a picture is the upright middle of a photo, without metadata`() async throws {
    let directory = try TemporaryDirectory()
    let photo = try CameraPhoto.jpeg(1, orientation: 6, width: 900, height: 600)
    #expect(CameraPhoto.isLeaking(photo))
    try directory.write(photo, to: "photo.jpg")
    let jpeg = try await PhotoInspector.portrait(fileAt: directory.path("photo.jpg"))
    #expect(!CameraPhoto.isLeaking(jpeg))
    let image = try #require(UIImage(data: jpeg))
    #expect(image.size.width == 256 && image.size.height == 256)
    // The photo becomes greener downwards and redder to the right. Rotated, it becomes greener to the left.
    let pixels = try await image.pixels()
    let (left, right) = (try #require(pixels[5, 128]), try #require(pixels[250, 128]))
    #expect(left.green > right.green, "\(left) \(right)")
    #expect(abs(Int(left.red) - Int(right.red)) < 12)
    #expect(!jpeg.prefix(200).contains(Data("Exif".utf8)))
  }

  @Test(arguments: [
    (Data("not a photo".utf8), KennelError.Code.unknownFormat),
    (Data([0, 0, 0, 24] + Array("ftypmp42".utf8) + [UInt8](repeating: 0, count: 40)), .unknownFormat),
    (Data([0xff, 0xd8, 0xff, 0xe0, 0, 16]), .badPhoto),
  ]) func `other files are refused`(data: Data, expected: KennelError.Code) async throws {
    let directory = try TemporaryDirectory()
    try directory.write(data, to: "file")
    let found = await code { _ = try await PhotoInspector.portrait(fileAt: directory.path("file")) }
    #expect(found == expected)
  }
}
