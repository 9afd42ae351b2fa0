#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization
import Testing

struct AuthenticationTypesTests {
  private let space = URLProtectionSpace(
    host: "dogs.example", port: 443, protocol: "https", realm: "dogs",
    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
  private let alice = URLCredential(user: "alice", password: "wonder-sesame", persistence: .forSession)
  private let bob = URLCredential(user: "bob", password: "builder", persistence: .permanent)

  @Test func nothingThatPrintsACredentialShowsThePassword() {
    let challenge = URLAuthenticationChallenge(
      protectionSpace: space, proposedCredential: alice, previousFailureCount: 1, failureResponse: nil,
      error: nil, sender: nil)
    var dumped = ""
    dump(alice, to: &dumped)
    dump(challenge, to: &dumped)
    let texts = [
      alice.description, alice.debugDescription, "\([alice])", String(reflecting: alice),
      challenge.description, challenge.debugDescription, dumped,
    ]
    for text in texts { #expect(!text.contains("wonder-sesame"), "\(text)") }
    #expect(alice.description.contains("alice"))
  }

  @Test func credentialsAreEqualByUserPasswordAndPersistence() {
    #expect(alice == URLCredential(user: "alice", password: "wonder-sesame", persistence: .forSession))
    #expect(alice != URLCredential(user: "alice", password: "other", persistence: .forSession))
    #expect(alice != URLCredential(user: "alice", password: "wonder-sesame", persistence: .none))
    #expect(alice.copy() as? URLCredential === alice)
    #expect(alice.hasPassword)
  }

  @Test func `protection spaces are compared ignoring the case of the host`() {
    let other = URLProtectionSpace(
      host: "DOGS.example", port: 443, protocol: "https", realm: "dogs",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    #expect(space == other)
    #expect(space.hash == other.hash)
    #expect(Set([space, other]).count == 1)
    let elsewhere = URLProtectionSpace(
      host: "dogs.example", port: 443, protocol: "https", realm: "cats",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    #expect(space != elsewhere)
  }

  @Test func `the protection space of a proxy is marked as one`() {
    let proxy = URLProtectionSpace(
      proxyHost: "proxy", port: 3128, type: NSURLProtectionSpaceHTTPProxy, realm: nil,
      authenticationMethod: nil)
    #expect(proxy.isProxy())
    #expect(proxy.protocol == nil)
    #expect(proxy.proxyType == NSURLProtectionSpaceHTTPProxy)
    #expect(proxy.authenticationMethod == NSURLAuthenticationMethodDefault)
    #expect(!space.isProxy())
  }

  @Test func `an unencrypted password is not received securely`() {
    func isSecure(_ scheme: String, _ method: String) -> Bool {
      URLProtectionSpace(host: "h", port: 1, protocol: scheme, realm: nil, authenticationMethod: method)
        .receivesCredentialSecurely
    }
    #expect(!isSecure("http", NSURLAuthenticationMethodHTTPBasic))
    #expect(isSecure("https", NSURLAuthenticationMethodHTTPBasic))
    #expect(isSecure("http", NSURLAuthenticationMethodHTTPDigest))
  }

  @Test func aStorageKeepsCredentialsBySpaceAndUser() {
    let storage = URLCredentialStorage()
    #expect(storage.credentials(for: space) == nil)
    storage.set(alice, for: space)
    #expect(storage.defaultCredential(for: space) == alice)
    storage.set(bob, for: space)
    #expect(storage.credentials(for: space) == ["alice": alice, "bob": bob])
    #expect(storage.defaultCredential(for: space) == nil)
    storage.setDefaultCredential(bob, for: space)
    #expect(storage.defaultCredential(for: space) == bob)
    #expect(storage.allCredentials == [space: ["alice": alice, "bob": bob]])
    storage.remove(bob, for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    storage.remove(alice, for: space)
    #expect(storage.allCredentials.isEmpty)
  }

  @Test func aNewPasswordReplacesTheOldOneAlsoAsDefault() {
    let storage = URLCredentialStorage()
    storage.setDefaultCredential(alice, for: space)
    let changed = URLCredential(user: "alice", password: "new", persistence: .forSession)
    storage.set(changed, for: space)
    #expect(storage.defaultCredential(for: space) == changed)
  }

  @Test func `a storage does not keep credentials without persistence`() {
    let storage = URLCredentialStorage()
    storage.set(URLCredential(user: "u", password: "p", persistence: .none), for: space)
    #expect(storage.allCredentials.isEmpty)
  }

  @Test func `a synchronizable credential is removed only with the option`() {
    let storage = URLCredentialStorage()
    let shared = URLCredential(user: "u", password: "p", persistence: .synchronizable)
    storage.set(shared, for: space)
    storage.remove(shared, for: space)
    #expect(storage.credentials(for: space) != nil)
    storage.remove(
      shared, for: space, options: [NSURLCredentialStorageRemoveSynchronizableCredentials: true])
    #expect(storage.credentials(for: space) == nil)
  }

  @Test func `every change posts one notification, and its observer may read the storage`() {
    let storage = URLCredentialStorage()
    let seen = Mutex<[Int]>([])
    let observer = NotificationCenter.default.addObserver(
      forName: .NSURLCredentialStorageChanged, object: storage, queue: nil
    ) { _ in
      let count = storage.allCredentials.count
      seen.withLock { $0.append(count) }
    }
    storage.set(alice, for: space)
    storage.set(alice, for: space)
    storage.remove(bob, for: space)
    storage.remove(alice, for: space)
    NotificationCenter.default.removeObserver(observer)
    #expect(seen.withLock { $0 } == [1, 0])
  }
}
#endif
