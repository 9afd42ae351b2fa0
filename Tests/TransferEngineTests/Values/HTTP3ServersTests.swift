import Testing

@testable import TransferEngine

@Suite struct HTTP3ServersTests {
  private let server = ServerAddress(isSecure: true, host: "a.test", port: 443)
  private let other = ServerAddress(isSecure: true, host: "b.test", port: 443)

  private func at(_ seconds: Int64) -> Monotonic { Monotonic(nanoseconds: seconds * 1_000_000_000) }

  private func field(_ value: String = #"h3=":443""#) throws -> AlternativeServiceField {
    try #require(AlternativeServiceField(value))
  }

  @Test func `a server that announced nothing is reached over TCP, unless the request assumes HTTP/3`() {
    var servers = HTTP3Servers()
    #expect(servers.route(to: server, assumes: false, now: at(0)) == .tcp)
    #expect(servers.route(to: server, assumes: true, now: at(0)) == .race(fresh: false))
    #expect(servers.count == 0)
  }

  @Test func `one transfer tries an announced server, and all use it after it worked`() throws {
    var servers = HTTP3Servers()
    servers.announced(try field(), by: server, now: at(0))
    #expect(servers.route(to: other, assumes: false, now: at(0)) == .tcp)
    #expect(servers.route(to: server, assumes: false, now: at(0)) == .race(fresh: true))
    #expect(servers.route(to: server, assumes: false, now: at(0)) == .tcp)
    #expect(servers.route(to: server, assumes: true, now: at(0)) == .tcp)
    servers.worked(server, now: at(1))
    #expect(servers.route(to: server, assumes: false, now: at(1)) == .http3)
    #expect(servers.route(to: server, assumes: true, now: at(1)) == .http3)
  }

  @Test func `an attempt without an outcome lets the next transfer try`() throws {
    var servers = HTTP3Servers()
    servers.announced(try field(), by: server, now: at(0))
    for _ in 0..<3 {
      #expect(servers.route(to: server, assumes: false, now: at(0)) == .race(fresh: true))
      servers.isUncertain(server)
    }
    servers.worked(server, now: at(0))
    servers.isUncertain(server)
    #expect(servers.route(to: server, assumes: false, now: at(0)) == .race(fresh: true))
  }

  @Test func `after a failure, TCP is used for a time that doubles each time`() throws {
    var servers = HTTP3Servers()
    servers.announced(try field("h3=\":443\"; ma=2592000"), by: server, now: at(0))
    var now: Int64 = 0
    for pause in [60, 120, 240, 480] as [Int64] {
      #expect(servers.route(to: server, assumes: false, now: at(now)) == .race(fresh: true))
      servers.failed(server, now: at(now))
      // Others that notice the same failure do not make the pause longer.
      servers.failed(server, now: at(now + 1))
      // Neither does an attempt that began earlier make it shorter.
      servers.isUncertain(server)
      for assumes in [false, true] {
        #expect(servers.route(to: server, assumes: assumes, now: at(now + pause - 1)) == .tcp)
      }
      now += pause
    }
    #expect(servers.route(to: server, assumes: true, now: at(now)) == .race(fresh: true))
    servers.worked(server, now: at(now))
    servers.failed(server, now: at(now))
    #expect(servers.route(to: server, assumes: false, now: at(now + 59)) == .tcp)
    #expect(servers.route(to: server, assumes: false, now: at(now + 60)) == .race(fresh: true))
  }

  @Test func `a pause is never longer than a day`() {
    var servers = HTTP3Servers()
    var now: Int64 = 0
    for _ in 0..<100 {
      servers.failed(server, now: at(now))
      now += 86_400
      #expect(servers.route(to: server, assumes: true, now: at(now)) == .race(fresh: false))
    }
  }

  @Test func `an announcement expires, and a new field replaces it`() throws {
    var servers = HTTP3Servers()
    servers.announced(try field("h3=\":443\"; ma=10"), by: server, now: at(0))
    servers.worked(server, now: at(0))
    #expect(servers.route(to: server, assumes: false, now: at(9)) == .http3)
    #expect(servers.route(to: server, assumes: false, now: at(10)) == .tcp)
    for value in ["clear", #"h2=":443""#, #"h3=":443"; ma=0"#] {
      servers.announced(try field(), by: server, now: at(20))
      #expect(servers.route(to: server, assumes: false, now: at(20)) == .http3)
      servers.announced(try field(value), by: server, now: at(20))
      #expect(servers.route(to: server, assumes: false, now: at(20)) == .tcp, "\(value)")
    }
    // What the program assumes does not depend on announcements.
    #expect(servers.route(to: server, assumes: true, now: at(20)) == .http3)
  }

  @Test(arguments: [
    (#"h3="a.test:443""#, true), (#"h3="A.TEST:443""#, true), (#"h3="b.test:443", h3=":443""#, true),
    (#"h3="b.test:443""#, false), (#"h3=":8443""#, false), (#"h3="a.test:8443""#, false),
  ])
  func `only the server's own host and port are used`(value: String, isUsed: Bool) throws {
    var servers = HTTP3Servers()
    servers.announced(try field(value), by: server, now: at(0))
    let route = servers.route(to: server, assumes: false, now: at(0))
    #expect(route == (isUsed ? .race(fresh: true) : .tcp))
  }

  @Test func `the servers that were not used for the longest time are forgotten first`() throws {
    var servers = HTTP3Servers()
    func address(_ number: Int) -> ServerAddress {
      ServerAddress(isSecure: true, host: "\(number).test", port: 443)
    }
    for number in 0..<HTTP3Servers.maximumServers {
      servers.announced(try field(), by: address(number), now: at(Int64(number)))
    }
    _ = servers.route(to: address(0), assumes: false, now: at(5_000))
    servers.announced(try field(), by: server, now: at(5_001))
    #expect(servers.count == HTTP3Servers.maximumServers)
    #expect(servers.route(to: address(0), assumes: false, now: at(5_002)) == .tcp)
    servers.isUncertain(address(0))
    #expect(servers.route(to: address(0), assumes: false, now: at(5_002)) == .race(fresh: true))
    #expect(servers.route(to: address(1), assumes: false, now: at(5_002)) == .tcp)
    #expect(servers.route(to: server, assumes: false, now: at(5_002)) == .race(fresh: true))
  }
}
