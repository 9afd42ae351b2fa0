import Foundation
import Synchronization
import TestSupport

@testable import KennelCore

/// A clock that stands still until a test advances it.
final class ManualKennelClock: Sendable {
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
  /// A configuration with a minimal password cost.
  static var forTest: Self {
    var configuration = Self()
    configuration.accounts.passwordCost = .minimum
    return configuration
  }
}

/// Opens a store while `body` runs, in a new directory by default.
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
  /// Returns bytes that represent a photo. The store does not decode them.
  static func photo(_ number: Int) -> Data { Data("photo \(number)".utf8) }

  func addUser(_ name: String = "Ada", role: User.Role = .member) async throws -> User {
    try await accounts.addUser(name, password: "correct horse", role: role)
  }

  @discardableResult
  func addPost(_ number: Int, by user: User, caption: String = "") async throws -> Post {
    let photo = try await photos.stage(Self.photo(number))
    return try await posts.add(photo, facts: .small, caption: caption, author: user.id)
  }

  /// Returns the names of the photo files.
  func photoFiles() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: photos.path)).subtracting(["incoming"])
  }

  func incomingFiles() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: photos.path + "/incoming")
  }
}

/// Returns the code of the error that a closure throws, or nil if it throws none.
func code(_ body: () async throws -> Void) async -> KennelError.Code? {
  do {
    try await body()
    return nil
  } catch {
    return (error as? KennelError)?.code
  }
}
