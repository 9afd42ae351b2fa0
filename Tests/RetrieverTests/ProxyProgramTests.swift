#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Sessions through proxies that were not written for this project. The proxies are optional.
@Suite(.timeLimit(.minutes(5)), .serialized) struct ProxyProgramTests {
  private static let credential = URLCredential(user: "ada", password: "secret", persistence: .forSession)

  private func session(_ proxy: ProxyProgram, _ names: [String]) throws -> URLSession {
    let authority = try TestAuthority.shared().authorityFile
    return URLSession.forTest { configuration in
      configuration.trustedCertificates = .file(authority)
      var dictionary: [String: any Sendable] = [:]
      for name in names {
        dictionary[name + "Enable"] = true
        dictionary[name + "Proxy"] = "127.0.0.1"
        dictionary[name + "Port"] = Int(proxy.port)
      }
      configuration.connectionProxyDictionary = dictionary
    }
  }

  /// Loads several URLs, and returns how often the delegate was asked for a password.
  private func load(_ addresses: [String], _ session: URLSession) async throws -> Int {
    let delegate = HandlerDelegate(
      .init(challenge: {
        $0.previousFailureCount == 0 ? (.useCredential, Self.credential) : (.performDefaultHandling, nil)
      }))
    for address in addresses {
      let url = try #require(URL(string: address))
      let (data, response) = try await session.data(from: url, delegate: delegate)
      #expect((response as? HTTPURLResponse)?.statusCode == 200, "\(address)")
      #expect(data.count == 1024, "\(address)")
    }
    return delegate.log.current.challenges.filter { $0.protectionSpace.serverTrust == nil }.count
  }

  private func addresses(_ origin: NginxServer) -> [String] {
    let http = "http://127.0.0.1:\(origin.httpPort)/1k"
    return (0..<5).map { "\(http)?\($0)" } + [
      "https://localhost:\(origin.httpsPort)/1k", "https://localhost:\(origin.http2Port)/1k",
    ]
  }

  @Test(.enabled(if: ProxyProgram.Kind.tinyproxy.isInstalled))
  func `tinyproxy accepts Basic, with and without a tunnel`() async throws {
    let proxy = try ProxyProgram(.tinyproxy)
    let origin = try NginxServer()
    // One challenge for each kind of URL.
    #expect(try await load(addresses(origin), session(proxy, ["HTTP", "HTTPS"])) == 2)
  }

  @Test(.enabled(if: ProxyProgram.Kind.squid.isInstalled))
  func `squid accepts Digest, with and without a tunnel, although its nonces become stale`() async throws {
    let digest = try MessageDigest.hexadecimal("EVP_md5", "ada:gate:secret")
    let proxy = try ProxyProgram(.squid, digest: digest)
    let origin = try NginxServer()
    #expect(try await load(addresses(origin), session(proxy, ["HTTP", "HTTPS"])) == 2)
  }

  @Test(.enabled(if: ProxyProgram.Kind.danted.isInstalled))
  func `danted forwards HTTP and TLS`() async throws {
    let proxy = try ProxyProgram(.danted)
    let origin = try NginxServer()
    #expect(try await load(addresses(origin), session(proxy, ["SOCKS"])) == 0)
  }
}
#endif
