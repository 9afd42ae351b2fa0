import Foundation
import Glibc
import TestSupport

extension CaseContext {
  private static let proxyVariables = ["http_proxy", "https_proxy", "all_proxy", "no_proxy"]

  /// Sets these proxy variables and removes all others. Cases that call this method run in their own process.
  func setProxies(_ variables: [String: String]) {
    for name in Self.proxyVariables {
      unsetenv(name)
      unsetenv(name.uppercased())
    }
    setEnvironment(variables)
  }

  /// Starts an HTTP proxy and sets it in the environment for http and https.
  func proxy(
    connect: @escaping @Sendable (ScriptedRequest) -> ScriptedProxy.Answer = { _ in .accept },
    forward: @escaping @Sendable (ScriptedRequest) -> Reply? = { _ in nil }
  ) throws -> ScriptedProxy {
    let proxy = try ScriptedProxy(connect: connect, forward: forward)
    keep(proxy.server)
    setProxies(["http_proxy": proxy.url, "https_proxy": proxy.url])
    return proxy
  }

  /// Starts a well-behaved origin with the case's transport. Its name does not look like this machine, because many
  /// clients connect to localhost without a proxy, with any environment.
  func serveNamed(
    _ answer: @escaping @Sendable (CountedRequest) -> Reply
  ) throws -> (origin: String, requests: RequestCount) {
    let count = RequestCount()
    guard transport == .http2 else {
      let (origin, _) = try serveHTTP { request in
        let counted = CountedRequest(method: request.method, path: request.path, fields: request.fields)
        count.add(counted)
        return answer(counted)
      }
      return (Self.renamed(origin), count)
    }
    let origin = try serveHTTP2 { connection in
      try connection.handshake()
      while true {
        let stream = try connection.nextRequest()
        let counted = CountedRequest(method: "", path: "", fields: [])
        count.add(counted)
        let reply = answer(counted)
        try connection.sendHead(stream: stream, status: reply.status, fields: reply.headers)
        try connection.sendData(stream: stream, reply.body, isLast: true)
      }
    }
    return (Self.renamed(origin), count)
  }

  /// Returns the same origin under a name that needs a look-up.
  static func renamed(_ origin: String) -> String {
    origin.replacingOccurrences(of: "//localhost", with: "//origin.test")
      .replacingOccurrences(of: "//127.0.0.1", with: "//origin.test")
  }
}

/// A request as an origin behind a proxy received it. Over HTTP/2, only its existence is known.
struct CountedRequest: Sendable {
  var method: String
  var path: String
  var fields: [ScriptedRequest.Field]

  subscript(name: String) -> String? {
    fields.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// The requests that arrived at an origin.
final class RequestCount: Sendable {
  private let stored = Slot<[CountedRequest]>([])

  var all: [CountedRequest] { stored.value ?? [] }

  func add(_ request: CountedRequest) { stored.change { $0 = ($0 ?? []) + [request] } }
}
