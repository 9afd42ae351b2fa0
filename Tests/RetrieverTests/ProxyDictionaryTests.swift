#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct ProxyDictionaryTests {
  private func proxy(_ dictionary: [AnyHashable: Any], _ url: String = "http://origin.test/") -> ProxyAddress?
  {
    var options = TransferClientOptions()
    options.proxies = ProxySelection(ProxySettings(connectionProxyDictionary: dictionary))
    return options.proxy(for: url)
  }

  private let http: [AnyHashable: Any] = ["HTTPEnable": 1, "HTTPProxy": "proxy.test", "HTTPPort": 8080]

  @Test func `each scheme has its own proxy`() {
    var both = http
    both.merge(["HTTPSEnable": true, "HTTPSProxy": "secure.test", "HTTPSPort": "3128"]) { $1 }
    #expect(proxy(both)?.host == "proxy.test")
    #expect(proxy(both)?.port == 8080)
    #expect(proxy(both, "https://origin.test/")?.host == "secure.test")
    #expect(proxy(both, "https://origin.test/")?.port == 3128)
    #expect(proxy(http, "https://origin.test/") == nil)
  }

  @Test(arguments: [0, false, "0", "no"] as [any Sendable])
  func `a proxy that is not enabled is not used`(value: any Sendable) {
    var dictionary = http
    dictionary["HTTPEnable"] = value
    #expect(proxy(dictionary) == nil)
  }

  @Test func `a SOCKS proxy serves the schemes without another one`() {
    var dictionary = http
    dictionary.merge(["SOCKSEnable": NSNumber(value: 1), "SOCKSProxy": "socks.test"]) { $1 }
    #expect(proxy(dictionary)?.kind == .http)
    #expect(proxy(dictionary, "https://origin.test/")?.kind == .socksWithNames)
    #expect(proxy(dictionary, "https://origin.test/")?.port == 1080)
  }

  @Test func `a proxy may be an IPv6 address or a URL`() {
    var dictionary = http
    dictionary["HTTPProxy"] = "fd00::1"
    #expect(proxy(dictionary)?.host == "fd00::1")
    #expect(proxy(dictionary)?.port == 8080)
    dictionary["HTTPProxy"] = "https://ada:se%20cret@proxy.test"
    #expect(proxy(dictionary)?.isSecure == true)
    #expect(proxy(dictionary)?.port == 8080)
    #expect(proxy(dictionary)?.user == "ada")
    #expect(proxy(dictionary)?.password == "se cret")
  }

  @Test func `the name and password of the dictionary are for the proxy`() {
    var dictionary = http
    dictionary.merge(["kCFProxyUsernameKey": "ada", "kCFProxyPasswordKey": "secret"]) { $1 }
    #expect(proxy(dictionary)?.user == "ada")
    #expect(proxy(dictionary)?.password == "secret")
    #expect(proxy(dictionary)?.sendsPasswordFirst == false)
  }

  @Test(arguments: [
    ("*.example.com", "www.example.com", true), ("*.example.com", "example.com", false),
    ("example.com", "example.com", true), ("example.com", "www.example.com", false),
    (".example.com", "a.example.com", true), ("EXAMPLE.com", "example.COM", true), ("*", "any.test", true),
    ("a*b*c.test", "aXXbYYc.test", true), ("a*b*c.test", "aXXcYYb.test", false), ("10.*", "10.1.2.3", true),
    ("169.254/16", "169.254.7.7", true), ("169.254/16", "169.255.7.7", false),
    ("10.0.0.0/8", "10.9.9.9", true), ("127.0.0.1", "127.0.0.1", true), ("fd00::/8", "[fd12::1]", true),
    ("", "origin.test", false), ("*.local", "printer.local.", true),
  ])
  func `exceptions are reached directly`(pattern: String, host: String, isDirect: Bool) {
    var dictionary = http
    dictionary["ExceptionsList"] = [pattern]
    #expect((proxy(dictionary, "http://\(host)/") == nil) == isDirect)
  }

  @Test func `simple names are reached directly if the dictionary says so`() {
    var dictionary = http
    dictionary["ExcludeSimpleHostnames"] = 1
    #expect(proxy(dictionary, "http://printer/") == nil)
    #expect(proxy(dictionary, "http://printer.test/") != nil)
    #expect(proxy(dictionary, "http://[fd00::1]/") != nil)
  }

  @Test(
    arguments: [
      ["HTTPEnable": 1], ["HTTPEnable": 1, "HTTPProxy": "pro xy"],
      ["HTTPEnable": 1, "HTTPProxy": "proxy.test", "HTTPPort": 70_000],
      ["HTTPEnable": 1, "HTTPProxy": "gopher://user:secret@proxy.test"],
    ] as [[String: any Sendable]])
  func `a load does not bypass a proxy that is invalid`(dictionary: [String: any Sendable]) async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let session = URLSession.forTest { $0.connectionProxyDictionary = dictionary }
    do {
      _ = try await session.data(from: server.url())
      Issue.record("The load succeeded")
    } catch {
      #expect((error as? URLError)?.code == .cannotConnectToHost)
      #expect(!"\(error)".contains("secret"))
    }
    #expect(server.connectionCount == 0)
  }

  @Test func `an empty dictionary means no proxy`() {
    #expect(proxy([:]) == nil)
    #expect(URLSessionConfiguration.default.connectionProxyDictionary == nil)
  }
}
#endif
