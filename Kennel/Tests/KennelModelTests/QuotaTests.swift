import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelModel
@testable import KennelStorage

@Suite struct QuotaTests {
  /// Each photo of ``KennelStore/photo(_:)`` with one digit has 7 bytes.
  private static let size: Int64 = 7

  @Test(arguments: [
    ("none", Quota.unlimited), ("20GB", .bytes(20_000_000_000)), ("500 MB", .bytes(500_000_000)),
    ("1.5kB", .bytes(1500)), ("2TiB", .bytes(2 << 40)), ("0B", .bytes(0)),
  ])
  func `a size has a number and a unit`(text: String, quota: Quota) {
    #expect(Quota(text) == quota)
  }

  @Test(arguments: [
    "", "20", "GB", "-1GB", "1e3GB", "1..2GB", "2000TB", "20 gigabytes", "nanGB", "99999999999999999999TB",
  ])
  func `other texts are refused`(text: String) {
    #expect(Quota(text) == nil)
  }

  @Test(arguments: RecordsKind.available) func `a photo that does not fit is refused and leaves no file`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      try await store.quotas.set(.bytes(2 * Self.size), of: ada.id)
      try await store.addPost(1, by: ada)
      let second = try await store.addPost(2, by: ada)
      #expect(await code { try await store.addPost(3, by: ada) } == .quotaExceeded)
      #expect(await code { try await store.quotas.requireRoom(for: 1, of: ada.id) } == .quotaExceeded)
      #expect(try !TestWorld.hasFiles || store.photoFiles().count == 2)
      // Photos in the bin count.
      try await store.posts.moveToBin(second.id, by: ada.id)
      #expect(await code { try await store.addPost(3, by: ada) } == .quotaExceeded)
      try await store.posts.emptyBin(completely: true)
      try await store.quotas.requireRoom(for: Self.size, of: ada.id)
      try await store.addPost(3, by: ada)
      #expect(try await store.quotas.usage(of: ada.id) == QuotaUsage(used: 14, quota: .bytes(14)))
      #expect(try await store.checkedProblems() == [])
    }
  }

  @Test(arguments: RecordsKind.available)
  func `a file that a user posted twice counts once, and for each user who posted it`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let (ada, ben) = (try await store.addUser(), try await store.addUser("Ben"))
      try await store.quotas.setDefault(.bytes(Self.size))
      try await store.addPost(1, by: ada)
      try await store.addPost(1, by: ada)
      try await store.addPost(1, by: ben)
      let usages = try await store.quotas.usages()
      #expect(usages[ada.id]?.used == Self.size && usages[ben.id]?.used == Self.size)
    }
  }

  @Test(arguments: RecordsKind.available) func `uploads at the same time do not exceed the quota`(
    _ kind: RecordsKind
  ) async throws {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      try await store.quotas.set(.bytes(3 * Self.size), of: ada.id)
      let accepted = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<10 {
          group.addTask {
            // All have passed the first check.
            let post = try? await store.addPost(number, by: ada)
            return post != nil
          }
        }
        return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
      }
      #expect(accepted == 3)
      #expect(try await store.quotas.usage(of: ada.id).used == 3 * Self.size)
    }
  }

  @Test func `a user has the default or a quota of their own`() async throws {
    let directory = try TemporaryDirectory()
    try await withStore(in: directory) { store in
      let (ada, ben) = (try await store.addUser(), try await store.addUser("Ben"))
      #expect(try await store.quotas.usage(of: ada.id).quota == .unlimited)
      try await store.quotas.setDefault(.bytes(5))
      try await store.quotas.set(.unlimited, of: ben.id)
      #expect(try await store.quotas.usage(of: ada.id).quota == .bytes(5))
      #expect(try await store.quotas.usage(of: ben.id).quota == .unlimited)
      #expect(await code { try await store.addPost(1, by: ada) } == .quotaExceeded)
      try await store.addPost(1, by: ben)
      #expect(await code { try await store.quotas.set(.unlimited, of: 99) } == .noSuchUser)
    }
    try await withStore(in: directory) { store in
      #expect(try await store.quotas.defaultQuota() == .bytes(5))
      let ben = try #require(try await store.accounts.user(named: "Ben"))
      try await store.quotas.set(nil, of: ben.id)
      #expect(try await store.quotas.usage(of: ben.id).quota == .bytes(5))
      try await store.quotas.setDefault(.unlimited)
      #expect(try await store.quotas.usage(of: ben.id).quota == .unlimited)
      _ = try await store.addUser("Owner", role: .owner)
      _ = try await store.accounts.removeUser(ben.id, contentPolicy: .removed)
    }
  }

  @Test(arguments: RecordsKind.available) func `imports count but are not refused`(_ kind: RecordsKind)
    async throws
  {
    try await withStore(kind) { store in
      let ada = try await store.addUser()
      try await store.quotas.set(.bytes(0), of: ada.id)
      let photo = try await store.photos.stage(KennelStore.photo(1))
      _ = try await store.posts.add(
        NewPhoto(unchanged: photo, facts: .small), caption: "", author: ada.id, ignoresQuota: true)
      #expect(try await store.quotas.usage(of: ada.id).used == Self.size)
    }
  }
}
