import Foundation
import Hashing
import KennelTestSupport
import Retriever
import Synchronization
import TestSupport
import Testing

@testable import ObjectStorage

/// The client with a server that checks its signatures.
@Suite(.enabled(if: StoreServer.isAvailable)) struct StoreTests {
  private let server: StoreServer

  init() throws { server = try StoreServer.shared.get() }

  @Test func `an object is stored, described, read in full and in part, and deleted`() async throws {
    let store = try await server.store("dogs", "kennel/originals")
    let photo = Data.pattern(count: 300_000)
    let key = "a b/ü+&=?#%~'\"<>.jpg"
    try await store.put(photo, as: key, ObjectDescription(type: "image/jpeg", metadata: ["owner": "ada"]))
    let properties = try #require(try await store.properties(of: key))
    #expect(properties.size == 300_000)
    #expect(properties.type == "image/jpeg")
    #expect(properties.metadata == ["owner": "ada"])
    #expect(try await store.data(of: key, maximumSize: 1 << 20, sha256: SHA256.hash(photo)) == photo)
    let part = try await store.open(key, range: 299_990..<400_000)
    #expect(part.range == 299_990..<300_000)
    #expect(part.properties.size == 300_000)
    #expect(try await part.chunks.collected().reduce(Data(), +) == photo.suffix(10))
    try await store.delete(key)
    try await store.delete(key)
    #expect(try await store.properties(of: key) == nil)
    let error = await #expect(throws: ObjectStoreError.self) { try await store.open(key) }
    #expect(error?.code == .noSuchObject && error?.storeCode == "NoSuchKey")
  }

  @Test func `an empty object is an object`() async throws {
    let store = try await server.store("empty")
    try await store.put(Data(), as: "nothing")
    #expect(try await store.data(of: "nothing", maximumSize: 0, sha256: SHA256.hash([])) == Data())
    let error = await #expect(throws: ObjectStoreError.self) { try await store.open("nothing", range: 0..<5) }
    #expect(error?.code == .badRange)
  }

  @Test func `a write of what must not exist leaves an existing object as it is`() async throws {
    let store = try await server.store("conditional")
    #expect(try await store.put(Data("one".utf8), as: "name", onlyIfAbsent: true) == .stored)
    #expect(try await store.put(Data("two".utf8), as: "name", onlyIfAbsent: true) == .existed)
    #expect(try await store.data(of: "name", maximumSize: 10) == Data("one".utf8))
    #expect(try await store.put(Data("two".utf8), as: "name") == .stored)
    #expect(try await store.data(of: "name", maximumSize: 10) == Data("two".utf8))
  }

  @Test func `other contents than expected are an error`() async throws {
    let store = try await server.store("verified")
    try await store.put(Data("dog".utf8), as: "name")
    let error = await #expect(throws: ObjectStoreError.self) {
      try await store.data(of: "name", maximumSize: 10, sha256: SHA256.hash("cat".utf8))
    }
    #expect(error?.code == .damaged)
    let large = await #expect(throws: ObjectStoreError.self) {
      try await store.data(of: "name", maximumSize: 2)
    }
    #expect(large?.code == .tooLarge)
  }

  @Test func `a long list comes in pages, and many objects are deleted together`() async throws {
    let store = try await server.store("many", "p")
    let keys = (0..<1203).map { "dog/\(1000 + $0) \($0 % 7)&" }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          for index in stride(from: worker, to: keys.count, by: 8) {
            try await store.put(Data([UInt8(index & 255)]), as: keys[index])
          }
        }
      }
      try await group.waitForAll()
    }
    try await store.put(Data(), as: "cat/1")
    let listed = try await store.objects(prefix: "dog/").collected()
    #expect(listed.map(\.key) == keys.sorted())
    #expect(listed.allSatisfy { $0.size == 1 && $0.modified != nil && !$0.tag.isEmpty })
    #expect(try await store.objects(after: keys.sorted()[1200]).collected().count == 2)
    try await store.delete(keys + ["not/there"])
    #expect(try await store.objects().collected().map(\.key) == ["cat/1"])
    try await store.delete([])
  }

  @Test func `an upload of unknown length is sent in parts of equal size`() async throws {
    let store = try await server.store("parts")
    let movie = Data.pattern(count: 13_000_000)
    var plan = UploadPlan()
    plan.partSize = 5 << 20
    let chunks = Chunks(
      chunks: stride(from: 0, to: movie.count, by: 700_001).map { movie[$0..<min($0 + 700_001, movie.count)] }
    )
    let count = try await store.upload(
      chunks, as: "movie.mp4", ObjectDescription(type: "video/mp4"), plan: plan)
    #expect(count == 13_000_000)
    let properties = try #require(try await store.properties(of: "movie.mp4"))
    #expect(properties.type == "video/mp4" && properties.tag.contains("-3"))
    #expect(try await store.data(of: "movie.mp4", maximumSize: 1 << 30, sha256: SHA256.hash(movie)) == movie)
  }

  @Test func `a short upload and an empty one are single requests`() async throws {
    let store = try await server.store("short")
    #expect(try await store.upload(Chunks(chunks: [Data([1]), Data(), Data([2])]), as: "short") == 2)
    #expect(try await store.data(of: "short", maximumSize: 2) == Data([1, 2]))
    #expect(try await store.upload(Chunks(chunks: []), as: "empty") == 0)
    #expect(try await store.properties(of: "empty")?.size == 0)
  }

  private struct Cut: Error {}

  @Test func `an upload that fails leaves no object and no parts`() async throws {
    let store = try await server.store("aborted")
    var plan = UploadPlan()
    plan.partSize = 5 << 20
    let chunks = Chunks(chunks: Array(repeating: Data(count: 5 << 20), count: 4)) {
      if $0 == 3 { throw Cut() }
    }
    await #expect(throws: Cut.self) { try await store.upload(chunks, as: "movie", plan: plan) }
    #expect(try await store.properties(of: "movie") == nil)
    #expect(try await uploads(in: store) == 0)
  }

  @Test func `an upload that is cancelled leaves no parts`() async throws {
    let store = try await server.store("cancelled")
    var plan = UploadPlan()
    plan.partSize = 5 << 20
    let reached = Gate()
    let chunks = Chunks(chunks: Array(repeating: Data(count: 5 << 20), count: 4)) { index in
      guard index == 3 else { return }
      reached.open()
      try await Task.sleep(for: .seconds(600))
    }
    let task = Task { [plan] in try await store.upload(chunks, as: "movie", plan: plan) }
    await reached.wait()
    task.cancel()
    await #expect(throws: (any Error).self) { try await task.value }
    #expect(try await uploads(in: store) == 0)
  }

  private func uploads(in store: ObjectStore) async throws -> Int {
    try await store.unfinishedUploads().count
  }

  @Test func `an upload that nobody ended is listed and can be aborted`() async throws {
    let store = try await server.store("unfinished", "kennel")
    let upload = try await MultipartUpload.begin(store, "a b", ObjectDescription())
    _ = try await upload.send(Data(count: 5 << 20), number: 1)
    let found = try await store.unfinishedUploads()
    #expect(found.map(\.key) == ["a b"] && found.allSatisfy { $0.begun != nil })
    for upload in found + found { try await store.abort(upload) }
    #expect(try await uploads(in: store) == 0)
  }

  @Test(.enabled(if: StoreServer.checksPresignedURLs))
  func `anyone can load an object with a presigned URL`() async throws {
    let store = try await server.store("presigned", "secret")
    try await store.put(Data("dog".utf8), as: "a dög.txt")
    let url = try store.presignedURL(
      for: "a dög.txt", lifetime: .seconds(60),
      parameters: [("response-content-disposition", "attachment; filename=\"dog.txt\"")])
    let (data, response) = try await URLSession.shared.data(from: url)
    #expect(data == Data("dog".utf8))
    let head = response as? HTTPURLResponse
    #expect(head?.value(forHTTPHeaderField: "Content-Disposition") == "attachment; filename=\"dog.txt\"")
  }

  @Test func `wrong credentials and buckets are errors that a person can act on`() async throws {
    let location = try server.location("dogs-wrong")
    let wrong = ObjectStore(
      location, credentials: StoreCredentials(accessKey: server.credentials.accessKey, secretKey: "s3cret"))
    let error = await #expect(throws: ObjectStoreError.self) { try await wrong.check() }
    #expect(error?.code == .notAllowed && error?.storeCode == "SignatureDoesNotMatch")
    #expect(error.map { "\($0)".contains("s3cret") } == false)
    let missing = ObjectStore(location, credentials: server.credentials)
    let second = await #expect(throws: ObjectStoreError.self) { try await missing.check() }
    #expect(second?.code == .noSuchBucket)
    try await server.store("checked").check()
  }
}
