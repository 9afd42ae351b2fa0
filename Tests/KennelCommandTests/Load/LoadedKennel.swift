import Foundation
import Glibc
import KennelCore
import RetrieverImages
import TestSupport

/// A kennel with users who have sessions, and posts, so that many can do much at the same time.
struct LoadedKennel: Sendable {
  let kennel: Kennel
  /// The cookie of each user, as a header field.
  let cookies: [String]
  let posts: [Int64]

  init(users: Int, posts count: Int) async throws {
    kennel = try Kennel()
    var configuration = KennelStore.Configuration()
    configuration.accounts.passwordCost = .least
    let store = try await KennelStore.open(kennel.data, configuration: configuration)
    var cookies: [String] = []
    var members: [User] = []
    for number in 0..<users {
      let user = try await store.accounts.addUser(
        "User \(number)", password: "tennis ball", role: number == 0 ? .owner : .member)
      members.append(user)
      let session = try await store.accounts.beginSession(of: user.id)
      cookies.append("Cookie: kennel=\(session.token.text)\r\n")
    }
    self.cookies = cookies
    let picture = try SmallPicture()
    var posts: [Int64] = []
    for number in 0..<count {
      let photo = try await store.photos.stage(picture.file(number))
      let facts = try await PhotoInspector.facts(ofFileAt: photo.path)
      posts.append(
        try await store.posts.add(photo, facts: facts, caption: "\(number)", author: members[0].id).id)
    }
    self.posts = posts
    await store.close()
  }
}

/// A picture that is another file for each number, although it is drawn once.
struct SmallPicture: Sendable {
  private let jpeg: Data

  init() throws {
    let pixels = (0..<16 * 12).map {
      ImagePixels.Pixel(red: UInt8($0), green: UInt8(255 - $0), blue: 128)
    }
    guard let data = UIImage(width: 16, height: 12, pixels: pixels)?.jpegData(compressionQuality: 0.8) else {
      throw TestSupportError("No picture could be made")
    }
    jpeg = data
  }

  /// With a comment that has the number.
  func file(_ number: Int) -> Data {
    let text = Data("\(number)".utf8)
    let comment = Data([0xff, 0xfe, 0, UInt8(clamping: text.count + 2)]) + text
    return jpeg.prefix(2) + comment + jpeg.dropFirst(2)
  }
}

extension Kennel.Server {
  var port: Int { (try? url("/").port) ?? 0 }

  /// How many threads it has.
  var threadCount: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(child.identifier)/task").count) ?? 0
  }
}

/// What may be open at once in this process and its children.
enum DescriptorLimit {
  /// Raises it as far as the system allows, and tells whether that is enough.
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

/// Blocking work on threads of its own, side by side; the results in the order of the numbers.
func onThreads<Value: Sendable>(
  _ count: Int, _ work: @escaping @Sendable (Int) throws -> Value
) async throws -> [Value] {
  try await withThrowingTaskGroup(of: (Int, Value).self) { group in
    for number in 0..<count {
      group.addTask { (number, try await offThePool { try work(number) }) }
    }
    var values: [Int: Value] = [:]
    for try await (number, value) in group { values[number] = value }
    return values.sorted { $0.key < $1.key }.map(\.value)
  }
}
