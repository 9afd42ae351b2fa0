import Foundation
import Glibc
import KennelModel
import KennelStorage
import RetrieverImages
import TestSupport

/// A kennel with posts and with users who are signed in, for load tests.
struct LoadedKennel: Sendable {
  let kennel: Kennel
  /// The cookie of each user, as a header field.
  let cookies: [String]
  var posts: [Int64]

  /// - Parameter database: the address of an empty database of PostgreSQL; nil for SQLite.
  init(users: Int, posts count: Int, database: String? = nil) async throws {
    var kennel = try Kennel()
    kennel.environment["KENNEL_DATABASE"] = database
    self.kennel = kennel
    var configuration = KennelStore.Configuration()
    configuration.accounts.passwordCost = .minimum
    configuration.databaseAddress = database
    let store = try await kennel.openStore(configuration)
    var cookies: [String] = []
    var members: [User] = []
    for number in 0..<users {
      let user = try await store.accounts.addUser(
        "User \(number)", password: "tennis ball", role: number == 0 ? .owner : .member)
      members.append(user)
      let proof = try await store.accounts.signIn(
        user.name, password: "tennis ball", address: "client-\(number)")
      let session = try await store.accounts.beginSession(with: proof)
      cookies.append("Cookie: kennel=\(session.token.text)\r\n")
    }
    self.cookies = cookies
    let picture = try SmallPicture()
    var posts: [Int64] = []
    for number in 0..<count {
      let photo = try await store.photos.stage(picture.file(number))
      let facts = try await PhotoInspector.facts(ofFileAt: photo.path)
      posts.append(
        try await store.posts.add(
          NewPhoto(unchanged: photo, facts: facts), caption: "\(number)", author: members[0].id
        ).id)
    }
    self.posts = posts
    await store.close()
  }
}

/// A picture that is drawn once but gives a different file for each number.
struct SmallPicture: Sendable {
  private let jpeg: Data

  init() throws {
    let pixels = (0..<16 * 12).map {
      ImagePixels.Pixel(red: UInt8($0), green: UInt8(255 - $0), blue: 128)
    }
    guard let data = UIImage(width: 16, height: 12, pixels: pixels)?.jpegData(compressionQuality: 0.8) else {
      throw TestSupportError("No picture could be created")
    }
    jpeg = data
  }

  /// Returns the picture with a JPEG comment that contains the number.
  func file(_ number: Int) -> Data {
    let text = Data("\(number)".utf8)
    let comment = Data([0xff, 0xfe, 0, UInt8(clamping: text.count + 2)]) + text
    return jpeg.prefix(2) + comment + jpeg.dropFirst(2)
  }
}

extension Kennel.Server {
  var port: Int { (try? url("/").port) ?? 0 }

  /// The number of threads of the server.
  var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.identifier)/task").count) ?? 0
  }
}

/// The maximum number of open descriptors in this process and in its children.
enum DescriptorLimit {
  /// Raises the limit as far as the system allows, and returns whether it is high enough.
  static func allows(_ count: Int) -> Bool {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return false }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      setrlimit(resource, &limit)
      getrlimit(resource, &limit)
    }
    return limit.rlim_cur >= rlim_t(count)
  }
}

/// Runs blocking work concurrently on separate threads. Returns the results in the order of the numbers.
func onThreads<Value: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (Int) throws -> Value
) async throws -> [Value] {
  try await withThrowingTaskGroup(of: (Int, Value).self) { group in
    for number in 0..<count {
      group.addTask { (number, try await runOnThread { try work(number) }) }
    }
    var values: [Int: Value] = [:]
    for try await (number, value) in group { values[number] = value }
    return values.sorted { $0.key < $1.key }.map(\.value)
  }
}
