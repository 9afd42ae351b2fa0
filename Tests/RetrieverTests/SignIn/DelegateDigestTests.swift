#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct DelegateDigestTests {
  private struct Result {
    let status: Int?
    let text: String
    let challenges: [URLAuthenticationChallenge]
  }

  private static let credential = URLCredential(user: "user", password: "pass", persistence: .forSession)

  private func load(
    _ request: URLRequest, _ session: URLSession = .forTest(), upload: Data? = nil, file: URL? = nil,
    answer:
      @escaping @Sendable (URLAuthenticationChallenge) -> (
        URLSession.AuthChallengeDisposition, URLCredential?
      ) = { $0.previousFailureCount == 0 ? (.useCredential, credential) : (.performDefaultHandling, nil) }
  ) async throws -> Result {
    let delegate = HandlerDelegate(.init(challenge: answer))
    let (data, response) =
      if let file {
        try await session.upload(for: request, fromFile: file, delegate: delegate)
      } else if let upload {
        try await session.upload(for: request, from: upload, delegate: delegate)
      } else {
        try await session.data(for: request, delegate: delegate)
      }
    return Result(
      status: (response as? HTTPURLResponse)?.statusCode, text: String(decoding: data, as: UTF8.self),
      challenges: delegate.log.current.challenges)
  }

  private func post(_ url: URL) -> URLRequest {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    return request
  }

  @Test(
    arguments: [
      ("MD5", nil), ("MD5", "auth"), ("MD5-sess", "auth"), ("SHA-256", "auth"), ("SHA-256", nil),
      ("SHA-256-sess", "auth"), ("SHA-512-256", "auth"), ("SHA-512-256-sess", "auth"),
    ] as [(String, String?)])
  func `a Digest challenge is answered`(algorithm: String, qop: String?) async throws {
    let digest = DigestServer { options in
      (options.algorithm, options.qop) = (algorithm, qop)
      options.hash = algorithm.contains("512") ? .sha512_256 : algorithm.contains("256") ? .sha256 : .md5
    }
    let server = try ScriptedServer.http(digest.reply)
    let result = try await load(URLRequest(url: server.url("/a/../dogs;v=1?x=%22y%22&z")))
    #expect(result.text == "in")
    let space = try #require(result.challenges.first?.protectionSpace)
    #expect(result.challenges.count == 1)
    #expect(space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest)
    #expect(space.realm == "kennel")
    #expect(space.receivesCredentialSecurely)
    #expect(server.requests.count == 2)
  }

  @Test func `a Digest challenge is answered over HTTP/2`() async throws {
    let digest = DigestServer()
    let server = try ScriptedServer.http(digest.reply)
    var options = NginxServer.Options()
    options.serverDirectives = "location /locked { proxy_pass http://127.0.0.1:\(server.port); }"
    let nginx = try NginxServer(options)
    let authority = try TestAuthority.shared().authorityFile
    let session = URLSession.forTest {
      $0.trustedCertificates = .file(authority)
      $0.asksDelegatesAboutServers = false
    }
    for number in 0..<3 {
      let url = try #require(URL(string: "https://localhost:\(nginx.http2Port)/locked/\(number)?a=%20b"))
      let result = try await load(URLRequest(url: url), session)
      #expect(result.text == "in")
      #expect(result.challenges.count == (number == 0 ? 1 : 0))
    }
    #expect(digest.accepted.map { $0["nc"] } == ["00000001", "00000002", "00000003"])
  }

  @Test func `a hashed user name is sent if the server wants one`() async throws {
    let digest = DigestServer { $0.parameters = ", userhash=true, charset=UTF-8" }
    let server = try ScriptedServer.http(digest.reply)
    #expect(try await load(URLRequest(url: server.url())).text == "in")
    #expect(digest.accepted.first?["userhash"] == "true")
  }

  @Test func `auth-int covers a body in memory and a body in a file`() async throws {
    let digest = DigestServer { $0.qop = "auth-int" }
    let server = try ScriptedServer.http(digest.reply)
    let body = Data(repeating: 7, count: 200_000)
    #expect(try await load(URLRequest(url: server.url())).text == "in")
    #expect(try await load(post(server.url()), upload: Data("dog".utf8)).text == "in")
    #expect(try await load(post(server.url()), upload: body).text == "in")
    let directory = try TemporaryDirectory()
    let file = directory.url.appendingPathComponent("body")
    try body.write(to: file)
    #expect(try await load(post(server.url()), file: file).text == "in")
    #expect(server.requests.last?.body.count == body.count)
  }

  @Test func `a body stream cannot be covered by auth-int`() async throws {
    let digest = DigestServer { $0.qop = "auth-int" }
    let server = try ScriptedServer.http(digest.reply)
    var request = post(server.url())
    request.httpBodyStream = InputStream(data: Data("dog".utf8))
    let delegate = HandlerDelegate(
      .init(
        challenge: { _ in (.useCredential, Self.credential) },
        newStream: { InputStream(data: Data("dog".utf8)) }))
    let stream = request
    let code = await errorCode {
      _ = try await URLSession.forTest().data(for: stream, delegate: delegate)
    }
    #expect(code == .userAuthenticationRequired)
  }

  @Test func `a wrong password leads to another challenge`() async throws {
    let digest = DigestServer()
    let server = try ScriptedServer.http(digest.reply)
    let result = try await load(URLRequest(url: server.url())) { challenge in
      let password = challenge.previousFailureCount < 2 ? "wrong" : "pass"
      return (.useCredential, URLCredential(user: "user", password: password, persistence: .none))
    }
    #expect(result.text == "in")
    #expect(result.challenges.map(\.previousFailureCount) == [0, 1, 2])
  }

  // MARK: Several requests

  @Test func `later requests answer before they are asked, each with its own count`() async throws {
    let digest = DigestServer()
    let server = try ScriptedServer.http(digest.reply)
    let session = URLSession.forTest()
    _ = try await load(URLRequest(url: server.url("/private/a")), session)
    for path in ["/", "/private/b?c", "/other/d"] {
      #expect(try await load(URLRequest(url: server.url(path)), session).challenges.isEmpty)
    }
    #expect(digest.refusals == 1)
    #expect(digest.accepted.map { $0["nc"] } == (1...4).map { "0000000\($0)" })
  }

  @Test func `concurrent loads share a nonce and never repeat a count`() async throws {
    let digest = DigestServer()
    let server = try ScriptedServer.http(digest.reply)
    let session = URLSession.forTest()
    let texts = try await withThrowingTaskGroup(of: String.self) { group in
      for number in 0..<24 {
        group.addTask { try await load(URLRequest(url: server.url("/\(number)")), session).text }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(texts.allSatisfy { $0 == "in" })
    #expect(digest.replays == 0)
    #expect(Set(digest.accepted.map { $0["nonce"] }).count == 1)
  }

  @Test(arguments: [false, true])
  func `a stale nonce is replaced without asking again`(hidesStaleness: Bool) async throws {
    let digest = DigestServer { options in
      options.usesOfNonce = 2
      options.hidesStaleness = hidesStaleness
    }
    let server = try ScriptedServer.http(digest.reply)
    let session = URLSession.forTest()
    for number in 0..<7 {
      let result = try await load(URLRequest(url: server.url("/\(number)")), session) { _ in
        number == 0 ? (.useCredential, Self.credential) : (.cancelAuthenticationChallenge, nil)
      }
      #expect(result.text == "in")
    }
    #expect(digest.replays == 0)
  }

  @Test func `a server that calls every nonce stale is given up`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(401, headers: [("WWW-Authenticate", "Digest realm=\"k\", nonce=\"n\", stale=true")], text: "out")
    }
    let result = try await load(URLRequest(url: server.url()))
    #expect(result.status == 401)
    #expect(server.requests.count <= ChallengeMachine.maximumStaleNonces + 2)
  }

  @Test func `nextnonce is used for the next request`() async throws {
    let digest = DigestServer { $0.sendsNextNonce = true }
    let server = try ScriptedServer.http(digest.reply)
    let session = URLSession.forTest()
    for number in 0..<4 {
      #expect(try await load(URLRequest(url: server.url("/\(number)")), session).text == "in")
    }
    #expect(digest.refusals == 1)
    #expect(digest.accepted.map { $0["nonce"] } == (0..<4).map { "nonce-\($0)" })
    #expect(digest.accepted.allSatisfy { $0["nc"] == "00000001" })
  }

  @Test func `a domain limits the requests that answer before they are asked`() async throws {
    let digest = DigestServer { $0.parameters = ", domain=\"/dogs http://other.example/ /cats/\"" }
    let server = try ScriptedServer.http(digest.reply)
    let session = URLSession.forTest()
    _ = try await load(URLRequest(url: server.url("/dogs/1")), session)
    for (path, asks) in [("/dogs/2", false), ("/cats/1", false), ("/birds", true)] {
      let result = try await load(URLRequest(url: server.url(path)), session) { _ in (.useCredential, nil) }
      #expect(result.challenges.isEmpty != asks, "\(path)")
    }
  }

  @Test func `a redirect within the origin is answered for its own target`() async throws {
    let digest = DigestServer()
    let server = try ScriptedServer.http { request in
      let reply = digest.reply(to: request)
      return request.target == "/from" && reply.status == 200 ? .redirect(to: "/to") : reply
    }
    let credential = URLCredential(user: "user", password: "pass", persistence: .none)
    let result = try await load(URLRequest(url: server.url("/from"))) { _ in (.useCredential, credential) }
    #expect(result.text == "in")
    #expect(digest.accepted.map { $0["uri"] } == ["/from", "/to"])
  }

  // MARK: The server's proof

  @Test func `a server that proves that it knows the password is accepted`() async throws {
    let digest = DigestServer { $0.sendsProof = true }
    let server = try ScriptedServer.http(digest.reply)
    #expect(try await load(URLRequest(url: server.url())).text == "in")
  }

  @Test(arguments: [true, false])
  func `a stored response has no proof, and needs none`(isFresh: Bool) async throws {
    let digest = DigestServer { $0.sendsProof = true }
    let fields =
      isFresh ? [("Cache-Control", "max-age=60")] : [("Cache-Control", "no-cache"), ("ETag", "\"a\"")]
    let server = try ScriptedServer.http { request in
      var reply = digest.reply(to: request)
      guard reply.status == 200 else { return reply }
      if request["If-None-Match"] != nil {
        return Reply(304, headers: reply.headers + fields, framing: .none)
      }
      reply.headers += fields
      return reply
    }
    let session = URLSession.forTest { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    for _ in 1...3 {
      #expect(try await load(URLRequest(url: server.url()), session).text == "in")
    }
    #expect(server.requests.count == (isFresh ? 2 : 4))
    #expect(digest.refusals == 1)
  }

  @Test func `a stored response is not delivered for a wrong password`() async throws {
    let digest = DigestServer()
    let server = try ScriptedServer.http { request in
      var reply = digest.reply(to: request)
      if reply.status == 200 { reply.headers += [("Cache-Control", "max-age=600"), ("ETag", "\"a\"")] }
      return reply
    }
    let cache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0)
    func session() -> URLSession { URLSession.forTest { $0.urlCache = cache } }
    #expect(try await load(URLRequest(url: server.url()), session()).text == "in")
    let wrong = URLCredential(user: "user", password: "wrong", persistence: .none)
    let result = try await load(URLRequest(url: server.url()), session()) {
      $0.previousFailureCount == 0 ? (.useCredential, wrong) : (.performDefaultHandling, nil)
    }
    #expect(result.status == 401 && result.text == "out")
    // The program's own answer, which is not one of this server's.
    var request = URLRequest(url: server.url())
    request.setValue(
      #"Digest username="user", realm="kennel", nonce="nonce-0", uri="/", response="x""#,
      forHTTPHeaderField: "Authorization")
    let forged = try await load(request, session()) { _ in (.performDefaultHandling, nil) }
    #expect(forged.status == 401)
    // The right password still gets it.
    #expect(try await load(URLRequest(url: server.url()), session()).text == "in")
  }

  @Test func `a server with a wrong proof is refused`() async throws {
    let digest = DigestServer { options in
      options.sendsProof = true
      options.wrongProof = true
    }
    let server = try ScriptedServer.http(digest.reply)
    #expect(
      await errorCode { _ = try await load(URLRequest(url: server.url())) } == .badServerResponse)
  }

  @Test(arguments: [HashAlgorithm.md5, .sha256])
  func `a proof with auth-int covers the response's body`(hash: HashAlgorithm) async throws {
    func code(_ change: (inout DigestServer.Options) -> Void) async throws -> URLError.Code? {
      let digest = DigestServer { options in
        (options.sendsProof, options.qop, options.hash) = (true, "auth-int", hash)
        options.algorithm = hash == .md5 ? "MD5" : "SHA-256"
        change(&options)
      }
      let server = try ScriptedServer.http(digest.reply)
      do {
        #expect(try await load(post(server.url()), upload: Data("dog".utf8)).text == "in")
        return nil
      } catch { return (error as? URLError)?.code }
    }
    #expect(try await code { _ in } == nil)
    #expect(try await code { $0.replyBody = Data("changed".utf8) } == .badServerResponse)
    #expect(try await code { $0.wrongProof = true } == .badServerResponse)
  }

  @Test func `a proof with auth-int covers the body before it is decoded`() async throws {
    let packed = CompressedFixture.gzip(Data("woof woof".utf8))
    for covered in [packed, Data("woof woof".utf8)] {
      let digest = DigestServer { options in
        (options.sendsProof, options.qop, options.replyBody) = (true, "auth-int", covered)
      }
      let server = try ScriptedServer.http { request in
        var reply = digest.reply(to: request)
        if reply.status == 200 {
          reply.headers.append(("Content-Encoding", "gzip"))
          reply.body = packed
        }
        return reply
      }
      if covered == packed {
        #expect(try await load(URLRequest(url: server.url())).text == "woof woof")
      } else {
        let code = await errorCode { _ = try await load(URLRequest(url: server.url())) }
        #expect(code == .badServerResponse)
      }
    }
  }

  @Test func `a wrong proof with auth-int fails a download and a stream at their end`() async throws {
    let digest = DigestServer { options in
      (options.sendsProof, options.qop, options.replyBody) = (true, "auth-int", Data("changed".utf8))
    }
    let server = try ScriptedServer.http(digest.reply)
    let delegate = HandlerDelegate(.init(challenge: { _ in (.useCredential, Self.credential) }))
    let session = URLSession.forTest()
    #expect(
      await errorCode { _ = try await session.download(from: server.url(), delegate: delegate) }
        == .badServerResponse)
    let (bytes, _) = try await session.bytes(from: server.url(), delegate: delegate)
    let code = await errorCode { for try await _ in bytes {} }
    #expect(code == .badServerResponse)
  }

  // MARK: Several offers

  @Test func `the strongest offer comes first, and rejecting a space leads to the next one`() async throws {
    let basic = "Basic \(Data("user:pass".utf8).base64EncodedString())"
    let digest = DigestServer { options in
      (options.algorithm, options.hash) = ("SHA-256", .sha256)
      options.fields = [
        ("WWW-Authenticate", "Basic realm=\"kennel\", Digest realm=\"kennel\", nonce=\"md5\", algorithm=MD5")
      ]
    }
    let server = try ScriptedServer.http { request in
      request["Authorization"] == basic ? Reply(text: "basic") : digest.reply(to: request)
    }
    let strongest = try await load(URLRequest(url: server.url()))
    #expect(strongest.text == "in")
    #expect(digest.accepted.first?["algorithm"] == "SHA-256")

    let second = try await load(URLRequest(url: server.url())) { challenge in
      challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
        ? (.rejectProtectionSpace, nil) : (.useCredential, Self.credential)
    }
    #expect(second.text == "basic")
    #expect(
      second.challenges.map(\.protectionSpace.authenticationMethod) == [
        NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodHTTPBasic,
      ])
  }

  @Test func `an unsupported Digest offer leaves the others`() async throws {
    let basic = "Basic \(Data("user:pass".utf8).base64EncodedString())"
    let server = try ScriptedServer.http { request in
      request["Authorization"] == basic
        ? Reply(text: "in")
        : Reply(
          401,
          headers: [
            ("WWW-Authenticate", "Digest realm=\"k\", nonce=\"n\", algorithm=SHA3-256"),
            ("WWW-Authenticate", "HOBA"), ("WWW-Authenticate", "Basic realm=\"k\""),
          ])
    }
    let result = try await load(URLRequest(url: server.url()))
    #expect(result.text == "in")
    #expect(
      result.challenges.map(\.protectionSpace.authenticationMethod) == [NSURLAuthenticationMethodHTTPBasic])
  }
}
#endif
