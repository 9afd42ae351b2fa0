#if !canImport(Darwin)
import Retriever
import Testing
import TransferEngine

struct DigestChallengeTests {
  private func challenge(
    _ field: String, isAvailable: @escaping (HashAlgorithm) -> Bool = { _ in true }
  ) throws -> DigestChallenge? {
    DigestChallenge(try #require(AuthenticateOffer.parse([field]).first), isAvailable: isAvailable)
  }

  @Test func `the parameters of a challenge are read`() throws {
    let field = """
      Digest realm="r", nonce="n", algorithm=SHA-256, qop="auth", userhash=TRUE, charset=utf-8, stale=True
      """
    let known = try #require(try challenge(field))
    #expect(known.realm == "r")
    #expect(known.nonce == "n")
    #expect(known.algorithm == .sha256)
    #expect(known.protection == .auth)
    #expect(known.hashesUser && known.isUTF8 && known.isStale && !known.isSession)
  }

  @Test(arguments: [
    ("", HashAlgorithm.md5, false), ("MD5", .md5, false), ("md5-Sess", .md5, true),
    ("\"SHA-256\"", .sha256, false), ("SHA-256-sess", .sha256, true), ("SHA-512-256", .sha512_256, false),
    ("SHA-512-256-sess", .sha512_256, true),
  ])
  func `every algorithm of RFC 7616 is known`(name: String, algorithm: HashAlgorithm, isSession: Bool) throws
  {
    let parameter = name.isEmpty ? "" : ", algorithm=\(name)"
    let known = try #require(try challenge("Digest realm=r, nonce=n, qop=auth\(parameter)"))
    #expect(known.algorithm == algorithm)
    #expect(known.isSession == isSession)
  }

  @Test(arguments: [
    ("", DigestChallenge.Protection.legacy), (", qop=\"\"", .legacy), (", qop=auth", .auth),
    (", qop=\"auth-int\"", .authInt), (", qop=\"auth-int, auth\"", .auth),
    (", qop=\"AUTH-INT,,new\"", .authInt),
  ])
  func `auth is preferred, and auth-int used if the server wants nothing else`(
    parameter: String, protection: DigestChallenge.Protection
  ) throws {
    #expect(try challenge("Digest realm=r, nonce=n\(parameter)")?.protection == protection)
  }

  @Test(arguments: [
    "Digest realm=r", "Basic realm=r, nonce=n", "Digest realm=r, nonce=n, algorithm=SHA",
    "Digest realm=r, nonce=n, algorithm=MD5-new", "Digest realm=r, nonce=n, qop=new",
    "Digest realm=r, nonce=n, algorithm=MD5-sess", "Digest realm=\"a\rb\", nonce=n",
    "Digest realm=r, nonce=\"a\u{0}b\"", "Digest realm=r, nonce=n, opaque=\"\u{7f}\"",
    "Digest realm=r, nonce=\(String(repeating: "n", count: 4097))",
  ])
  func `a challenge that cannot be answered is no challenge`(field: String) throws {
    #expect(try challenge(field) == nil)
  }

  @Test func `a challenge whose hash cannot be computed is no challenge`() throws {
    #expect(try challenge("Digest realm=r, nonce=n", isAvailable: { $0 != .md5 }) == nil)
    #expect(try challenge("Digest realm=r, nonce=n, algorithm=SHA-256", isAvailable: { $0 != .md5 }) != nil)
  }
}
#endif
