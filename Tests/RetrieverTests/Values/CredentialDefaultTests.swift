#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

/// The default credential of a protection space.
struct CredentialDefaultTests {
  private let storage = URLCredentialStorage()
  private let space = URLProtectionSpace(
    host: "dogs.example", port: 443, protocol: "https", realm: "dogs",
    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
  private let alice = URLCredential(user: "alice", password: "a", persistence: .forSession)
  private let bob = URLCredential(user: "bob", password: "b", persistence: .forSession)

  @Test func `removing the default leaves no default, even if other credentials are stored`() {
    storage.setDefaultCredential(alice, for: space)
    storage.set(bob, for: space)
    #expect(storage.defaultCredential(for: space) == alice)
    storage.remove(alice, for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    #expect(storage.credentials(for: space) == ["bob": bob])
  }

  @Test func `the only credential of a space is its default until another one is stored`() {
    storage.set(alice, for: space)
    #expect(storage.defaultCredential(for: space) == alice)
    storage.set(bob, for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    storage.remove(alice, for: space)
    #expect(storage.defaultCredential(for: space) == nil)
    storage.remove(bob, for: space)
    storage.set(bob, for: space)
    #expect(storage.defaultCredential(for: space) == bob)
  }

  @Test func `a default that was chosen stays when others are stored and removed`() {
    storage.set(bob, for: space)
    storage.setDefaultCredential(alice, for: space)
    storage.remove(bob, for: space)
    storage.set(bob, for: space)
    #expect(storage.defaultCredential(for: space) == alice)
  }

  @Test func `the only credential can be chosen as the default and stays it`() {
    storage.set(alice, for: space)
    storage.setDefaultCredential(alice, for: space)
    storage.set(bob, for: space)
    #expect(storage.defaultCredential(for: space) == alice)
  }
}
#endif
