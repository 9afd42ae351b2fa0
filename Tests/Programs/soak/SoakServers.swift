import Foundation
import Glibc
import Synchronization
import TestSupport

/// All servers of a run. They are created before the first load, because the environment sets the proxies.
final class SoakServers: Sendable {
  private let plain: [ScriptedServer]
  private let secure: [ScriptedServer]
  private let proxy: ScriptedServer
  private let tunnel: ScriptedServer
  private let http2: HTTP2FaultServer
  private let http2Breaking: HTTP2FaultServer
  private let securePorts: [UInt16]

  /// A host name that only the proxy can resolve. One of the test certificates is valid for it.
  private static let proxiedHost = "other.example"

  init(seed: UInt64, runLog: RunLog) throws {
    // There are two servers of each kind, and each is the other origin for its partner.
    let addresses = Mutex<[String]>(Array(repeating: "", count: 4))
    func serve(otherOrigin index: Int?) throws -> ScriptedServer {
      let other: @Sendable () -> String = {
        index.map { index in addresses.withLock { $0[index] } } ?? "http://second.example"
      }
      let behaviour = HTTP1Behaviour(seed: seed, runLog: runLog, otherOrigin: other)
      return try ScriptedServer(recordsRequests: false) { try behaviour.serve($0) }
    }
    plain = [try serve(otherOrigin: 1), try serve(otherOrigin: 0)]
    secure = [try serve(otherOrigin: 3), try serve(otherOrigin: 2)]
    let relay = try TLSRelay.shared()
    securePorts = try secure.map { try relay.forward(to: $0.port) }
    let known = plain.map { "http://127.0.0.1:\($0.port)" } + securePorts.map { "https://localhost:\($0)" }
    addresses.withLock { $0 = known }
    proxy = try serve(otherOrigin: nil)
    let tunnelProxy = TunnelProxy(
      port: try relay.forward(to: secure[0].port, certificate: .wrongHost), runLog: runLog)
    tunnel = try ScriptedServer(recordsRequests: false) { try tunnelProxy.serve($0) }
    func serveHTTP2() throws -> HTTP2FaultServer {
      try HTTP2FaultServer { connection in
        var behaviour = HTTP2Behaviour(seed: seed, runLog: runLog, connection: connection)
        try behaviour.serve()
      }
    }
    http2 = try serveHTTP2()
    http2Breaking = try serveHTTP2()
    setenv("http_proxy", "http://127.0.0.1:\(proxy.port)", 1)
    setenv("https_proxy", "http://127.0.0.1:\(tunnel.port)", 1)
    for name in ["HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"] { unsetenv(name) }
  }

  /// Returns the URL where a load starts.
  func url(for plan: LoadPlan) -> URL? {
    let path = LoadPlan.path(plan.number, hop: 0)
    return switch plan.route {
    case .plain: plain[plan.number % 2].url(path)
    case .tls: URL(string: "https://localhost:\(securePorts[plan.number % 2])\(path)")
    case .http2: URL(string: http2.address(path))
    case .http2Breaking: URL(string: http2Breaking.address(path))
    case .proxy: URL(string: "http://\(Self.proxiedHost)\(path)")
    case .tunnel: URL(string: "https://\(Self.proxiedHost)\(path)")
    }
  }

  private var all: [ScriptedServer] { plain + secure + [proxy, tunnel, http2.server, http2Breaking.server] }

  var openConnectionCount: Int { all.reduce(0) { $0 + $1.openConnectionCount } }
  var connectionCount: Int { all.reduce(0) { $0 + $1.connectionCount } }
  var failures: [String] { all.flatMap(\.failures) }

  func stop() {
    for server in all { server.stop() }
  }
}
