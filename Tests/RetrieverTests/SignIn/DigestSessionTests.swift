#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization
import Testing
import TransferEngine

struct DigestSessionTests {
  private func session(_ field: String, clientNonce: String = "c") throws -> DigestSession {
    let offer = try #require(AuthenticateOffer.parse([field]).first)
    return DigestSession(try #require(DigestChallenge(offer)), clientNonce: clientNonce)
  }

  private func request(_ target: String, method: String = "GET", body: String? = nil) -> DigestSession.Request
  {
    DigestSession.Request(method: method, target: target) { algorithm in
      body.flatMap { Digests.hash(algorithm, $0.utf8) }
    }
  }

  private func parameters(_ proof: DigestSession.Proof?) throws -> [String: String] {
    let field = try #require(proof).fieldValue
    return try #require(AuthenticateOffer.parse([field]).first).parameters
  }

  // MARK: Examples of the RFCs

  private static let clientNonce = "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ"

  @Test(arguments: [
    ("MD5", "8ca523f5e9506fed4657c9700eebdbec"),
    ("SHA-256", "753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1"),
  ])
  func `the examples of RFC 7616, 3_9_1, give their responses`(algorithm: String, expected: String) throws {
    let session = try session(
      "Digest realm=\"http-auth@example.org\", qop=\"auth, auth-int\", algorithm=\(algorithm), "
        + "nonce=\"7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v\", "
        + "opaque=\"FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS\"",
      clientNonce: Self.clientNonce)
    let sent = try parameters(
      session.proof(user: "Mufasa", password: "Circle of Life", for: request("/dir/index.html")))
    #expect(
      sent == [
        "username": "Mufasa", "realm": "http-auth@example.org", "uri": "/dir/index.html",
        "algorithm": algorithm, "nonce": "7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", "nc": "00000001",
        "cnonce": Self.clientNonce, "qop": "auth", "response": expected,
        "opaque": "FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS",
      ])
  }

  /// The values are those of the erratum 4897: the printed ones come from a draft of SHA-512/256.
  @Test func `the example of RFC 7616, 3_9_2, hashes the user's name with SHA-512-256`() throws {
    let session = try session(
      "Digest realm=\"api@example.org\", qop=\"auth\", algorithm=SHA-512-256, "
        + "nonce=\"5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK\", "
        + "opaque=\"HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS\", charset=UTF-8, userhash=true",
      clientNonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v")
    let sent = try parameters(
      session.proof(
        user: "J\u{e4}s\u{f8}n Doe", password: "Secret, or not?", for: request("/doe.json")))
    #expect(sent["username"] == "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b")
    #expect(sent["response"] == "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5")
    #expect(sent["userhash"] == "true")
  }

  @Test func `the example of RFC 2617, 3_5, gives its response and its confirmation`() throws {
    let session = try session(
      "Digest realm=\"testrealm@host.com\", qop=\"auth,auth-int\", "
        + "nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"",
      clientNonce: "0a4f113b")
    let proof = try #require(
      session.proof(user: "Mufasa", password: "Circle Of Life", for: request("/dir/index.html")))
    #expect(try parameters(proof)["response"] == "6629fae49393a05397450978507c4ef1")
  }

  @Test func `the example of RFC 2069, as corrected, gives its response without qop`() throws {
    let session = try session(
      "Digest realm=\"testrealm@host.com\", nonce=\"dcd98b7102dd2f0e8b11d0f600bfb0c093\", "
        + "opaque=\"5ccc069c403ebaf9f0171e9517f40e41\"")
    let sent = try parameters(
      session.proof(user: "Mufasa", password: "CircleOfLife", for: request("/dir/index.html")))
    #expect(sent["response"] == "1949323746fe6a43ef61f9606e7febea")
    #expect(sent["qop"] == nil && sent["nc"] == nil && sent["cnonce"] == nil && sent["algorithm"] == nil)
  }

  // MARK: Parameters

  private func md5(_ text: String) -> String { hex(Digests.md5(text.utf8)) }

  private func hex(_ bytes: [UInt8]?) -> String {
    (bytes ?? []).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test func `auth-int covers the body, and needs its hash`() throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=\"auth-int\"")
    let sent = try parameters(
      session.proof(user: "u", password: "p", for: request("/x", method: "POST", body: "text")))
    let protected = md5("POST:/x:\(md5("text"))")
    #expect(sent["response"] == md5("\(md5("u:r:p")):n:00000001:c:auth-int:\(protected)"))
    #expect(sent["qop"] == "auth-int")
    #expect(session.proof(user: "u", password: "p", for: request("/x", method: "POST")) == nil)
  }

  @Test(arguments: [
    ("MD5-sess", HashAlgorithm.md5), ("SHA-256-sess", .sha256), ("sha-512-256-SESS", .sha512_256),
  ])
  func `a session's key depends on its first nonces, also after nextnonce`(
    name: String, algorithm: HashAlgorithm
  ) throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=auth, algorithm=\(name)")
    func hash(_ text: String) -> String { hex(Digests.hash(algorithm, text.utf8)) }
    let key = hash("\(hash("u:r:p")):n:c")
    let first = try #require(session.proof(user: "u", password: "p", for: request("/")))
    #expect(try parameters(first)["response"] == hash("\(key):n:00000001:c:auth:\(hash("GET:/"))"))
    #expect(try parameters(first)["algorithm"] == name)
    #expect(first.isConfirmed(by: ["nextnonce=\"m\""]))
    let second = try parameters(session.proof(user: "u", password: "p", for: request("/")))
    #expect(second["nonce"] == "m")
    #expect(second["response"] == hash("\(key):m:00000001:c:auth:\(hash("GET:/"))"))
  }

  @Test func `quotes and backslashes are hashed as they are and sent with an escape`() throws {
    let session = try session(#"Digest realm="a \"b\" \\c", nonce="n\"1", qop="auth""#)
    let proof = try #require(session.proof(user: #"u"\"#, password: "p", for: request("/")))
    #expect(proof.fieldValue.contains(#"username="u\"\\", realm="a \"b\" \\c", nonce="n\"1""#))
    let key = md5(#"u"\:a "b" \c:p"#)
    #expect(try parameters(proof)["response"] == md5("\(key):n\"1:00000001:c:auth:\(md5("GET:/"))"))
  }

  @Test func `a name beyond ASCII is sent as username* if the server decodes UTF-8`() throws {
    let modern = try session("Digest realm=\"r\", nonce=\"n\", qop=auth, charset=utf-8")
    let sent = try #require(modern.proof(user: "Jose\u{301} D", password: "p", for: request("/"))).fieldValue
    #expect(sent.contains("username*=UTF-8''Jos%C3%A9%20D"))
    #expect(!sent.contains("username="))
    let old = try session("Digest realm=\"r\", nonce=\"n\", qop=auth")
    #expect(
      try parameters(old.proof(user: "Jos\u{e9}", password: "p", for: request("/")))["username"]
        == "Jos\u{e9}")
  }

  @Test func `a name with a line end is never sent`() throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=auth")
    #expect(session.proof(user: "u\r\nX: y", password: "p", for: request("/")) == nil)
    #expect(session.proof(user: "u", password: "p\r\n", for: request("/")) != nil)
  }

  // MARK: Nonces

  @Test func `concurrent requests never use the same count`() async throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=auth")
    let counts = try await withThrowingTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        group.addTask {
          try (0..<50).map { _ in
            let sent = try parameters(session.proof(user: "u", password: "p", for: request("/")))
            return try #require(sent["nc"])
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    let expected = (1...400).map { number -> String in
      let digits = String(number, radix: 16)
      return String(repeating: "0", count: 8 - digits.count) + digits
    }
    #expect(counts.sorted() == expected)
  }

  @Test func `a repeated nextnonce continues its count`() throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=auth")
    func sent() throws -> (String?, String?, DigestSession.Proof) {
      let proof = try #require(session.proof(user: "u", password: "p", for: request("/")))
      let sent = try parameters(proof)
      return (sent["nonce"], sent["nc"], proof)
    }
    let first = try sent()
    #expect(first.2.isConfirmed(by: ["nextnonce=\"n\""]))
    let second = try sent()
    #expect((second.0, second.1) == ("n", "00000002"))
    #expect(second.2.isConfirmed(by: ["nextnonce=\"m\""]))
    #expect(try sent().1 == "00000001")
    #expect(second.2.isConfirmed(by: ["nextnonce=\"n\""]))
    #expect(try sent().1 == "00000003")
  }

  @Test func `a nextnonce that cannot be repeated in a field is ignored`() throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=auth")
    let proof = try #require(session.proof(user: "u", password: "p", for: request("/")))
    #expect(proof.isConfirmed(by: ["nextnonce=\"a\rb\""]))
    #expect(proof.isConfirmed(by: ["nextnonce=\"\(String(repeating: "x", count: 5000))\""]))
    #expect(session.nonce == "n")
  }

  // MARK: The server's proof

  @Test func `a wrong rspauth is detected, and a correct or missing one is accepted`() throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=auth")
    let proof = try #require(session.proof(user: "u", password: "p", for: request("/a?b")))
    let right = md5("\(md5("u:r:p")):n:00000001:c:auth:\(md5(":/a?b"))")
    #expect(proof.isConfirmed(by: ["rspauth=\"\(right)\", qop=auth, cnonce=\"c\", nc=00000001"]))
    #expect(proof.isConfirmed(by: ["rspauth=\"\(right.uppercased())\""]))
    #expect(!proof.isConfirmed(by: ["rspauth=\"\(md5("x"))\", qop=auth, nextnonce=\"evil\""]))
    #expect(session.nonce == "n")
    #expect(proof.isConfirmed(by: []))
    #expect(proof.isConfirmed(by: ["rspauth=\"\(md5("x"))\", qop=auth-int"]))
    #expect(proof.bodyProof(in: ["rspauth=\"\(md5("x"))\", qop=auth-int"]) == nil)
  }

  @Test func `a proof that covers the body waits for the hash of the body`() throws {
    let session = try session("Digest realm=\"r\", nonce=\"n\", qop=auth-int")
    let proof = try #require(session.proof(user: "u", password: "p", for: request("/a?b", body: "")))
    let right = md5("\(md5("u:r:p")):n:00000001:c:auth-int:\(md5(":/a?b:\(md5("woof"))"))")
    let body = try #require(Digests.md5("woof".utf8))
    let other = try #require(Digests.md5("meow".utf8))
    for qop in ["", ", qop=auth-int", ", qop=\"AUTH-INT\""] {
      #expect(proof.isConfirmed(by: ["rspauth=\"\(right)\"" + qop]))
      let covered = try #require(proof.bodyProof(in: ["rspauth=\"\(right)\"" + qop]))
      #expect(covered.isRight(for: [.md5: body]))
      #expect(!covered.isRight(for: [.md5: other, .sha256: body]))
      #expect(covered.isRight(for: [:]))
    }
    #expect(proof.bodyProof(in: ["nextnonce=\"m\""]) == nil)
    #expect(!proof.isConfirmed(by: ["rspauth=\"\(right)\", qop=auth"]))
  }
}
#endif
