import Foundation
import KennelModel
import KennelStorage
import KennelTestSupport
import ObjectStorage
import Retriever
import RetrieverTesting
import TestSupport
import Testing

@testable import StoredPhotos

/// A kennel whose store, or the way to it, fails.
@Suite(.timeLimit(.minutes(5))) struct StoreFaultTests {
  private let stubs = HTTPStubs()

  private func store() throws -> ObjectStore {
    ObjectStore(
      try StoreLocation("s3://dogs?endpoint=http://objects.test&region=eu", environment: [:]),
      credentials: StoreCredentials(accessKey: "key", secretKey: "s3cret"), session: stubs.session(),
      clock: StoreClock(now: { Date() }, sleep: { _ in }, jitter: { 1 }))
  }

  @Test func `a photo is not lost when the store is gone in the middle of a put`() async throws {
    let directory = try TemporaryDirectory()
    let put = stubs.when("PUT /**", answer: .failure(.networkConnectionLost))
    let blobs = StoredBlobs.opening(try store(), directory)
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      let photo = try await store.photos.stage(KennelStore.photo(1))
      let error = await #expect(throws: KennelError.self) {
        try await store.posts.add(photo, facts: .small, caption: "", author: user.id)
      }
      #expect(error?.code == .storeUnavailable)
      #expect(error?.description.contains("objects.test") == false)
      #expect(error?.cause?.contains("s3cret") == false)
      #expect(put.requestCount == 5)
      #expect(try await store.posts.page().isEmpty)
      #expect(try Data(contentsOf: URL(fileURLWithPath: photo.path)) == KennelStore.photo(1))
      // The store is back.
      stubs.when("PUT /**", answer: .status(200))
      let post = try await store.posts.add(photo, facts: .small, caption: "", author: user.id)
      #expect(post.photo == photo.hash)
    }
  }

  @Test func `a download that is cut in the middle continues, and is verified`() async throws {
    let directory = try TemporaryDirectory()
    let photo = Data.pattern(count: 100_000)
    let blobs = StoredBlobs.opening(try store(), directory)
    stubs.when("PUT /**", answer: .status(200))
    stubs.when("GET /**") { request in
      let start = request.value(forHTTPHeaderField: "Range").flatMap { Int($0.dropFirst(6).dropLast(6)) } ?? 0
      let answer = StubAnswer.data(
        photo[start...], status: start == 0 ? 200 : 206,
        headers: start == 0
          ? ["ETag": "\"1\""] : ["ETag": "\"1\"", "Content-Range": "bytes \(start)-99999/100000"])
      return start < 60_000 ? answer.losingConnection(afterBytes: 30_000) : answer
    }
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      let staged = try await store.photos.stage(photo)
      let post = try await store.posts.add(staged, facts: .small, caption: "", author: user.id)
      let copy = directory.path("data/photo-cache/\(post.photo)")
      try FileCalls.remove(copy)
      let file = try await store.blobs.file(post.photo, byteCount: post.byteCount)
      #expect(file.path == copy)
      #expect(try Data(contentsOf: URL(fileURLWithPath: copy)) == photo)
      let mode = try FileManager.default.attributesOfItem(atPath: copy)[.posixPermissions] as? Int
      #expect(mode == 0o600)
      #expect(stubs.requests.count { $0.request.httpMethod == "GET" } == 3)
    }
  }

  @Test func `wrong bytes from the store never look like the photo`() async throws {
    let directory = try TemporaryDirectory()
    let photo = Data.pattern(count: 100_000)
    var wrong = photo
    wrong[50_000] ^= 1
    let blobs = StoredBlobs.opening(try store(), directory)
    stubs.when("PUT /**", answer: .status(200))
    stubs.when("GET /**", answer: .data(wrong))
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      let staged = try await store.photos.stage(photo)
      let post = try await store.posts.add(staged, facts: .small, caption: "", author: user.id)
      try FileCalls.remove(directory.path("data/photo-cache/\(post.photo)"))
      let reading = await code { _ = try await store.blobs.file(post.photo, byteCount: post.byteCount) }
      #expect(reading == .damaged)
      guard case .chunks(let open) = try await store.blobs.body(of: post.photo, byteCount: photo.count) else {
        Issue.record("There is no local copy.")
        return
      }
      let chunks = try await open(0..<Int64(photo.count))
      var count = 0
      await #expect(throws: ObjectStoreError.self) { try await chunks.write { count += $0.count } }
      #expect(count < photo.count)
      let isIntact = try await store.blobs.isIntact(StoredPhoto(post.photo, byteCount: post.byteCount))
      #expect(!isIntact)
      #expect(try store.incomingFiles().count == 1)
      withExtendedLifetime(staged) {}
    }
  }

  @Test func `parts of a photo that a process did not store completely are removed after a day`() async throws
  {
    let directory = try TemporaryDirectory()
    let blobs = StoredBlobs.opening(try store(), directory)
    let hash = String(repeating: "a", count: 64)
    let (now, old) = (Date().formatted(.iso8601), (Date() - 2 * 86_400).formatted(.iso8601))
    let uploads = [(hash, "new", now), (hash, "old", old), ("a letter", "other", old)].map { upload in
      "<Upload><Key>\(upload.0)</Key><UploadId>\(upload.1)</UploadId><Initiated>\(upload.2)</Initiated></Upload>"
    }
    stubs.when(
      "GET /**",
      answer: .text("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>"))
    let list = stubs.when(
      "GET /**?uploads",
      answer: .text("<ListMultipartUploadsResult>\(uploads.joined())</ListMultipartUploadsResult>"))
    let removal = stubs.when("DELETE /**?uploadId=old", answer: .status(204))
    try await withStore(in: directory, { $0.blobs = blobs }) { (store: KennelStore) async throws in
      #expect(try await store.sweepOrphans() == 0)
      #expect(list.requestCount == 1 && removal.requestCount == 1)
      #expect(stubs.requests.count { $0.request.httpMethod == "DELETE" } == 1)
      // A store that cannot list uploads is not an error.
      stubs.when("GET /**?uploads", answer: .status(501))
      #expect(try await store.sweepOrphans() == 0)
    }
  }

  @Test func `a store that cannot be reached is 503 with a time to wait`() async throws {
    let directory = try TemporaryDirectory()
    let blobs = StoredBlobs.opening(try store(), directory)
    stubs.when("PUT /**", answer: .status(200))
    try await withSite(in: directory, store: { $0.blobs = blobs }) { web in
      let post = try await web.addPicture(1, by: try await web.store.addUser())
      try FileCalls.remove(directory.path("data/photo-cache/\(post.photo)"))
      stubs.when("GET /**", answer: .failure(.cannotConnectToHost))
      for path in ["photo", "thumbnail"] {
        let answer = try await web.get("/posts/\(post.id)/\(path)", ["Accept": "application/json"])
        #expect(answer.status == 503, "\(path)")
        #expect(answer.field("Retry-After") == "30")
        #expect(answer.text.contains("The store of the photos cannot be reached."))
        #expect(!answer.text.contains("objects.test"))
      }
    }
  }

  @Test func `of copies that are larger than their limit, only the last one stays`() async throws {
    let directory = try TemporaryDirectory()
    let blobs = StoredBlobs.opening(try store(), directory) { $0.maximumCacheSize = 500 }
    stubs.when("PUT /**", answer: .status(200))
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      for number in UInt8(1)...3 {
        let staged = try await store.photos.stage(Data(repeating: number, count: 1000))
        try await store.posts.add(staged, facts: .small, caption: "", author: user.id)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path("data/photo-cache"))
      #expect(names.count == 1)
    }
  }

  @Test func `the least recently used copies are removed, except those in use`() async throws {
    let directory = try TemporaryDirectory()
    let blobs = StoredBlobs.opening(try store(), directory) { $0.maximumCacheSize = 2500 }
    stubs.when("PUT /**", answer: .status(200))
    try await withStore(in: directory, { $0.blobs = blobs }) { store in
      let user = try await store.addUser()
      func add(_ number: UInt8) async throws -> PhotoHash {
        let staged = try await store.photos.stage(Data(repeating: number, count: 1000))
        return try await store.posts.add(staged, facts: .small, caption: "", author: user.id).photo
      }
      func isCopied(_ hash: PhotoHash) -> Bool {
        FileCalls.size(of: directory.path("data/photo-cache/\(hash)")) != nil
      }
      let (first, second) = (try await add(1), try await add(2))
      let inUse = try await store.blobs.file(first, byteCount: 1000)
      _ = try await store.blobs.file(second, byteCount: 1000)
      let third = try await add(3)
      #expect(isCopied(first) && isCopied(second) && isCopied(third))
      withExtendedLifetime(inUse) {}
      let fourth = try await add(4)
      #expect(!isCopied(second) && isCopied(third) && isCopied(fourth))
    }
  }
}
