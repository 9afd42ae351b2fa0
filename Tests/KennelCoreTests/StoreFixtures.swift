import Foundation
import Synchronization
import TestSupport

@testable import KennelCore

/// Time that stands still until a test moves it.
final class HandClock: Sendable {
  private let passed = Mutex(Duration.zero)

  var clock: KennelClock {
    KennelClock(
      now: {
        Date(
          timeIntervalSince1970: 1_800_000_000
            + Double(self.passed.withLock { $0 }.components.seconds))
      },
      uptime: { self.passed.withLock { $0 } })
  }

  func advance(by duration: Duration) { passed.withLock { $0 += duration } }
}

extension KennelStore.Configuration {
  /// Passwords that cost nothing.
  static var forTest: Self {
    var configuration = Self()
    configuration.accounts.passwordCost = .least
    return configuration
  }
}

/// Opens a store in a directory of its own for as long as `body` runs.
func withStore<Value: Sendable>(
  in directory: TemporaryDirectory? = nil, clock: KennelClock = .system,
  _ change: (inout KennelStore.Configuration) -> Void = { _ in },
  _ body: (KennelStore) async throws -> Value
) async throws -> Value {
  let directory = try directory ?? TemporaryDirectory()
  var configuration = KennelStore.Configuration.forTest
  change(&configuration)
  let store = try await KennelStore.open(
    directory.path("data"), configuration: configuration, clock: clock)
  do {
    let value = try await body(store)
    await store.close()
    return value
  } catch {
    await store.close()
    throw error
  }
}

extension PhotoFacts {
  static let small = PhotoFacts(width: 4, height: 3, format: .jpeg, thumbHash: [1, 2, 3])
}

extension KennelStore {
  /// Bytes that stand for a photo: the store does not look into them.
  static func photo(_ number: Int) -> Data { Data("photo \(number)".utf8) }

  func addUser(_ name: String = "Ada", role: User.Role = .member) async throws -> User {
    try await accounts.addUser(name, password: "correct horse", role: role)
  }

  @discardableResult
  func addPost(_ number: Int, by user: User, caption: String = "") async throws -> Post {
    let photo = try await photos.stage(Self.photo(number))
    return try await posts.add(photo, facts: .small, caption: caption, author: user.id)
  }

  /// The names of the photos' files.
  func photoFiles() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: photos.path)).subtracting(["incoming"])
  }

  func incomingFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: photos.path + "/incoming")
  }
}

/// The error's code; nil when there is none.
func code(_ body: () async throws -> Void) async -> KennelError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? KennelError)?.code
  }
}
