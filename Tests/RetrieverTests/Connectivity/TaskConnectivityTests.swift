#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// Loads that wait for a network.
@Suite(.timeLimit(.minutes(5))) struct TaskConnectivityTests {
  /// Networks that the test changes.
  private final class Networks: Sendable {
    private struct State {
      var network: ConnectivityRule.Network
      var waiters: [UInt64: @Sendable () -> Void] = [:]
      var last: UInt64 = 0
    }

    private let state: Mutex<State>
    init(_ network: ConnectivityRule.Network) { state = Mutex(State(network: network)) }

    var waiterCount: Int { state.withLock { $0.waiters.count } }

    func change(to network: ConnectivityRule.Network) {
      let waiters = state.withLock { state in
        state.network = network
        defer { state.waiters = [:] }
        return state.waiters.values.map { $0 }
      }
      for changed in waiters { changed() }
    }

    var source: NetworkSource {
      NetworkSource(
        current: { [self] in state.withLock { $0.network } },
        wait: { [self] changed in
          state.withLock { state in
            state.last += 1
            state.waiters[state.last] = changed
            return state.last
          }
        },
        withdraw: { [self] id in state.withLock { $0.waiters[id] = nil } })
    }
  }

  /// Fails as without a network, until the test makes it reachable.
  private final class Unreachable: URLProtocol, @unchecked Sendable {
    static let attempts = Mutex(0)
    static let isReachable = Mutex(false)

    override class func canInit(with request: URLRequest) -> Bool { true }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

    override func startLoading() {
      Self.attempts.withLock { $0 += 1 }
      guard Self.isReachable.withLock({ $0 }), let url = request.url else {
        client?.urlProtocol(self, didFailWithError: URLError(.notConnectedToInternet))
        return
      }
      let response = URLResponse(
        url: url, mimeType: "text/plain", expectedContentLength: 5, textEncodingName: nil)
      client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
      client?.urlProtocol(self, didLoad: Data("hello".utf8))
      client?.urlProtocolDidFinishLoading(self)
    }

    override func stopLoading() {}
  }

  private final class Delegate: NSObject, URLSessionTaskDelegate {
    let log = Log<String>()
    let waiting = Gate()
    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
      log.add("waiting")
      waiting.open()
    }
  }

  private func session(
    _ networks: Networks, waits: Bool = true, usesProtocol: Bool = false, within limit: TimeInterval = 100
  ) -> URLSession {
    URLSession.forTest { configuration in
      configuration.waitsForConnectivity = waits
      configuration.networks = networks.source
      configuration.timeoutIntervalForResource = limit
      if usesProtocol { configuration.protocolClasses = [Unreachable.self] }
    }
  }

  private let name = URL(string: "http://nothing.invalid/") ?? URL(fileURLWithPath: "/")

  @Test func `a load waits for a network, then succeeds`() async throws {
    let networks = Networks(.offline)
    let delegate = Delegate()
    let load = Task { [session = session(networks, usesProtocol: true)] in
      try await session.data(from: name, delegate: delegate)
    }
    #expect(await delegate.waiting.wait(within: .seconds(90)))
    // A change that brings no network leads to another attempt, and the delegate is not informed again.
    for attempt in 2...3 {
      #expect(await eventually { networks.waiterCount == 1 })
      networks.change(to: .offline)
      #expect(await eventually { Unreachable.attempts.withLock { $0 } >= attempt })
    }
    #expect(await eventually { networks.waiterCount == 1 })
    Unreachable.isReachable.withLock { $0 = true }
    networks.change(to: .online)
    #expect(try await load.value.0 == Data("hello".utf8))
    #expect(delegate.log.all == ["waiting"])
    #expect(networks.waiterCount == 0)
  }

  @Test func `a load without the setting fails immediately`() async throws {
    let networks = Networks(.offline)
    let delegate = Delegate()
    let session = session(networks, waits: false)
    let code = await errorCode { _ = try await session.data(from: name, delegate: delegate) }
    #expect(code == .cannotFindHost || code == .dnsLookupFailed)
    #expect(delegate.log.all.isEmpty)
  }

  @Test func `an unknown host fails immediately while there is a network`() async throws {
    let delegate = Delegate()
    let session = session(Networks(.online))
    let code = await errorCode { _ = try await session.data(from: name, delegate: delegate) }
    #expect(code == .cannotFindHost || code == .dnsLookupFailed)
    #expect(delegate.log.all.isEmpty)
  }

  @Test func `a refused connection fails immediately, even without a network`() async throws {
    let port = try ClosedPort()
    let delegate = Delegate()
    let session = session(Networks(.offline))
    let url = try #require(URL(string: port.address()))
    #expect(
      await errorCode { _ = try await session.data(from: url, delegate: delegate) } == .cannotConnectToHost)
    #expect(delegate.log.all.isEmpty)
  }

  @Test func `a load waits no longer than the time for the resource`() async throws {
    let delegate = Delegate()
    let session = session(Networks(.offline), within: 0.5)
    #expect(await errorCode { _ = try await session.data(from: name, delegate: delegate) } == .timedOut)
    #expect(delegate.log.all == ["waiting"])
  }

  @Test func `a stream that was not read is sent when there is a network`() async throws {
    let networks = Networks(.offline)
    let delegate = Delegate()
    var request = URLRequest(url: name)
    request.httpMethod = "POST"
    request.httpBodyStream = InputStream(data: Data("woof".utf8))
    let load = Task { [session = session(networks), request] in
      try await session.data(for: request, delegate: delegate)
    }
    #expect(await delegate.waiting.wait(within: .seconds(90)))
    #expect(await eventually { networks.waiterCount == 1 })
    networks.change(to: .online)
    // The second attempt looks for the host again.
    let code = await errorCode { _ = try await load.value }
    #expect(code == .cannotFindHost || code == .dnsLookupFailed)
  }

  @Test func `cancelling a load that waits ends it immediately`() async throws {
    let networks = Networks(.offline)
    let delegate = Delegate()
    let load = Task { [session = session(networks)] in
      try await session.data(from: name, delegate: delegate)
    }
    #expect(await delegate.waiting.wait(within: .seconds(90)))
    #expect(await eventually { networks.waiterCount == 1 })
    load.cancel()
    #expect(await errorCode { _ = try await load.value } == .cancelled)
    #expect(await eventually { networks.waiterCount == 0 })
  }

  @Test func `a stream task waits too`() async throws {
    let networks = Networks(.offline)
    let delegate = Delegate()
    let task = session(networks).streamTask(withHostName: "nothing.invalid", port: 7)
    task.delegate = delegate
    task.resume()
    #expect(await delegate.waiting.wait(within: .seconds(90)))
    task.cancel()
    #expect(await errorCode { try await task.write(Data([1]), timeout: 1) } == .cancelled)
  }

  // MARK: The kernel

  /// Whether this process may create networks of its own.
  private static let canIsolate: Bool = {
    guard FileManager.default.isExecutableFile(atPath: "/usr/sbin/ip"), PythonInterpreter.standard != nil
    else {
      return false
    }
    let pair = ["/usr/sbin/ip", "link", "add", "v0", "type", "veth", "peer", "name", "v1"]
    return (try? ChildProcess.run(["/usr/bin/unshare", "-rn"] + pair)) != nil
  }()

  private func isolated(_ script: String) throws -> String {
    let program = ChildProcess.path(ofProgram: "waiting")
    return try ChildProcess.run(
      [
        "/usr/bin/unshare", "-rn", "/bin/bash", "-c",
        script.replacingOccurrences(of: "WAITING", with: program),
      ],
      within: .seconds(60))
  }

  @Test(.enabled(if: canIsolate))
  func `the kernel's messages let a load continue when a link gets a route`() async throws {
    let python = try #require(PythonInterpreter.standard)
    let output = try await runOnThread {
      try isolated(
        """
        ip link set lo up
        cd /var/empty 2>/dev/null || cd /
        \(python) -m http.server --bind 0.0.0.0 8000 >/dev/null 2>&1 &
        server=$!
        until (echo >/dev/tcp/127.0.0.1/8000) 2>/dev/null; do sleep 0.05; done
        exec 3< <(WAITING http://192.0.2.10:8000/)
        read -u 3 line; echo $line
        ip link add v0 type veth peer name v1; ip addr add 192.0.2.10/24 dev v0
        ip link set v1 up; ip link set v0 up; ip route add default dev v0
        read -u 3 line; echo $line
        kill $server
        """)
    }
    #expect(output.split(separator: "\n") == ["waiting", "200"])
  }

  @Test(.enabled(if: canIsolate))
  func `a load without a network fails with the code for that`() async throws {
    let output = try await runOnThread { try isolated("WAITING http://192.0.2.10:8000/ no") }
    #expect(output.split(separator: "\n") == ["\(URLError.Code.notConnectedToInternet.rawValue)"])
  }
}
#endif
