#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// Where the servers are.
private struct NegotiatePlace: Sendable {
  let folder: String
  let http: Int
  let https: Int
  let proxy: Int

  init?(_ text: String?) {
    let words = (text ?? "").split(separator: " ").map(String.init)
    guard words.count == 4, let http = Int(words[1]), let https = Int(words[2]), let proxy = Int(words[3])
    else { return nil }
    (folder, self.http, self.https, self.proxy) = (words[0], http, https, proxy)
  }

  static let current = NegotiatePlace(ProcessInfo.processInfo.environment["RETRIEVER_NEGOTIATE"])
}

/// Negotiate with a Kerberos server, and with Apache as the server and the proxy. `scripts/test-negotiate` starts them and
/// sets `RETRIEVER_NEGOTIATE`: a folder with the caches of tickets, and the ports.
@Suite(.timeLimit(.minutes(5)), .serialized, .enabled(if: NegotiatePlace.current != nil))
struct NegotiateTests {
  private let place: NegotiatePlace

  init() throws { place = try #require(NegotiatePlace.current) }

  /// Answers challenges of Negotiate with the user's ticket.
  private final class Answering: NSObject, URLSessionTaskDelegate, Sendable {
    let spaces = Log<URLProtectionSpace>()
    private let credential: URLCredential?

    init(_ persistence: URLCredential.Persistence? = .forSession) {
      credential = persistence.map { URLCredential(user: "", password: "", persistence: $0) }
    }

    func urlSession(
      _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      guard challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodNegotiate else {
        return completionHandler(.performDefaultHandling, nil)
      }
      spaces.add(challenge.protectionSpace)
      guard challenge.previousFailureCount == 0 else {
        return completionHandler(.performDefaultHandling, nil)
      }
      completionHandler(credential == nil ? .rejectProtectionSpace : .useCredential, credential)
    }
  }

  /// Makes a cache of tickets the user's cache; nil for none.
  private func use(_ cache: String?) throws {
    let current = "\(place.folder)/current"
    try? FileManager.default.removeItem(atPath: current)
    guard let cache else { return }
    try FileManager.default.copyItem(atPath: "\(place.folder)/\(cache).cache", toPath: current)
  }

  private func session(
    _ delegate: (any URLSessionDelegate)?, _ change: (URLSessionConfiguration) -> Void = { _ in }
  ) -> URLSession {
    URLSession.forTest(delegate: delegate) {
      $0.trustedCertificates = .file(URL(fileURLWithPath: "\(place.folder)/tls.pem"))
      $0.asksDelegatesAboutServers = false
      change($0)
    }
  }

  private func url(_ path: String, isSecure: Bool = false, host: String = "localhost") throws -> URL {
    try #require(
      URL(string: isSecure ? "https://\(host):\(place.https)\(path)" : "http://\(host):\(place.http)\(path)"))
  }

  /// Loads a URL. Returns the status, the user whom the server knows, and the start of the body.
  private func load(
    _ url: URL, _ session: URLSession, _ delegate: Answering? = nil
  ) async throws -> String {
    let (data, response) = try await session.data(from: url, delegate: delegate)
    let head = response as? HTTPURLResponse
    let user = head?.value(forHTTPHeaderField: "X-User") ?? ""
    let body = head?.statusCode == 200 ? String(decoding: data, as: UTF8.self) : "\n"
    return "\(head?.statusCode ?? 0) \(user) " + body
  }

  private static let refused = "401  \n"

  // MARK: Servers

  /// `/request` wants a ticket with each request, `/connection` with the first of each connection.
  @Test(arguments: ["/request/dog", "/connection/dog"], [false, true])
  func `a ticket signs in`(path: String, isSecure: Bool) async throws {
    try use("ada")
    let delegate = Answering()
    let session = session(delegate)
    for _ in 0..<3 {
      #expect(try await load(url(path, isSecure: isSecure), session) == "200 ada@DOGS.TEST woof\n")
    }
    let space = try #require(delegate.spaces.all.first)
    #expect(delegate.spaces.all.count == 1)
    #expect(space.authenticationMethod == NSURLAuthenticationMethodNegotiate)
    #expect(space.host == "localhost" && space.port == (isSecure ? place.https : place.http))
  }

  @Test func `the ticket is used only for a credential without a name`() async throws {
    try use("ada")
    #expect(try await load(url("/request/dog"), session(nil)) == Self.refused)
    #expect(try await load(url("/request/dog"), session(Answering(nil))) == Self.refused)
  }

  @Test func `without tickets the server's refusal is delivered`() async throws {
    try use(nil)
    let delegate = Answering()
    #expect(try await load(url("/request/dog"), session(delegate)) == Self.refused)
    #expect(delegate.spaces.all.isEmpty)
  }

  @Test func `a server that the Kerberos realm does not know refuses, and the next challenge counts it`()
    async throws
  {
    try use("ada")
    try await expectRefusal(url("/request/dog", host: "127.0.0.1"))
  }

  @Test func `an expired ticket is refused, and the next challenge counts it`() async throws {
    try use("expired")
    try await expectRefusal(url("/request/dog"))
  }

  /// The challenge is answered, fails, and the second one is not answered.
  private func expectRefusal(_ url: URL) async throws {
    let delegate = Answering()
    #expect(try await load(url, session(delegate)) == Self.refused)
    #expect(delegate.spaces.all.count == 2)
  }

  @Test(arguments: [false, true])
  func `a connection of one user serves no other`(isSecure: Bool) async throws {
    let session = session(nil)
    for path in ["/connection/dog", "/request/dog"] {
      for user in ["ada", "rex", "ada"] {
        try use(user)
        let url = try url(path, isSecure: isSecure)
        let signedIn = try await load(url, session, Answering(URLCredential.Persistence.none))
        #expect(signedIn == "200 \(user)@DOGS.TEST woof\n")
        // A request without a credential gets no connection that is signed in.
        #expect(try await load(url, session) == Self.refused)
      }
    }
  }

  @Test func `a ticket is not sent to another origin`() async throws {
    try use("ada")
    let delegate = Answering()
    let session = session(delegate)
    // Kerberos knows this server by the same name.
    let other = try ScriptedServer.http { _ in Reply(text: "elsewhere") }
    let (data, _) = try await session.data(from: url("/request/to/\(other.port)"))
    #expect(String(decoding: data, as: UTF8.self) == "elsewhere")
    _ = try await session.data(from: try #require(URL(string: "http://localhost:\(other.port)/again")))
    #expect(other.requests.map(\.target) == ["/next", "/again"])
    #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
    #expect(delegate.spaces.all.count == 1)
  }

  @Test func `many loads at the same time each have their own connection`() async throws {
    try use("ada")
    let session = session(Answering())
    let url = try url("/connection/dog")
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await load(url, session) } }
      for try await result in group { #expect(result == "200 ada@DOGS.TEST woof\n") }
    }
  }

  // MARK: Proxies

  private func throughProxy(_ delegate: Answering?, host: String = "localhost") -> URLSession {
    session(delegate) {
      var dictionary: [String: any Sendable] = [:]
      for name in ["HTTP", "HTTPS"] {
        dictionary[name + "Enable"] = 1
        dictionary[name + "Proxy"] = host
        dictionary[name + "Port"] = place.proxy
      }
      $0.connectionProxyDictionary = dictionary
      // A stored response needs no proxy.
      $0.urlCache = nil
    }
  }

  @Test(arguments: [false, true]) func `a ticket signs in to a proxy`(isSecure: Bool) async throws {
    try use("ada")
    let delegate = Answering()
    let session = throughProxy(delegate)
    for _ in 0..<3 {
      let (data, response) = try await session.data(from: url("/open/dog", isSecure: isSecure))
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: data, as: UTF8.self) == "woof\n")
    }
    let space = try #require(delegate.spaces.all.first)
    #expect(delegate.spaces.all.count == 1)
    #expect(space.isProxy() && space.host == "localhost" && space.port == place.proxy)
    #expect(
      space.proxyType == (isSecure ? NSURLProtectionSpaceHTTPSProxy : NSURLProtectionSpaceHTTPProxy))
  }

  @Test func `a connection to a proxy serves no request without the credential`() async throws {
    try use("ada")
    let session = throughProxy(nil)
    let url = try url("/open/dog")
    for _ in 0..<2 {
      #expect(try await load(url, session, Answering(URLCredential.Persistence.none)).hasPrefix("200 "))
      #expect(try await load(url, session).hasPrefix("407 "))
    }
  }

  @Test(arguments: [false, true])
  func `a ticket signs in to a proxy and to the server behind it`(isSecure: Bool) async throws {
    try use("ada")
    let delegate = Answering()
    let session = throughProxy(delegate)
    for _ in 0..<2 {
      let (data, response) = try await session.data(from: url("/request/dog", isSecure: isSecure))
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: data, as: UTF8.self) == "woof\n")
    }
    #expect(delegate.spaces.all.map { $0.isProxy() } == [true, false])
  }

  @Test func `a proxy that the Kerberos realm does not know refuses`() async throws {
    try use("ada")
    let delegate = Answering()
    let session = throughProxy(delegate, host: "127.0.0.1")
    #expect(try await load(url("/open/dog"), session).hasPrefix("407 "))
    #expect(delegate.spaces.all.count == 2)
    #expect(
      await errorCode { _ = try await load(url("/open/dog", isSecure: true), session) }
        == .cannotConnectToHost)
  }
}
#endif
