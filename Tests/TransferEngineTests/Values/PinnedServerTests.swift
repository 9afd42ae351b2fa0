import Testing

@testable import TransferEngine

@Suite struct PinnedServerTests {
  private static let one = ServerPin.publicKey([1])
  private static let two = ServerPin.publicKey([2])

  private func server(_ host: String, _ includesSubdomains: Bool, _ pins: ServerPin...) -> PinnedServer {
    PinnedServer(host: host, includesSubdomains: includesSubdomains, pins: Set(pins))
  }

  @Test func `pins are for the host, and for names below it only if they say so`() {
    let exact = [server("example.com", false, Self.one)]
    #expect(PinnedServer.pins(for: "example.com", in: exact) == [Self.one])
    #expect(PinnedServer.pins(for: "example.com.", in: exact) == [Self.one])
    #expect(PinnedServer.pins(for: "www.example.com", in: exact) == nil)
    let below = [server("example.com", true, Self.one)]
    #expect(PinnedServer.pins(for: "example.com", in: below) == [Self.one])
    #expect(PinnedServer.pins(for: "a.b.example.com", in: below) == [Self.one])
    #expect(PinnedServer.pins(for: "badexample.com", in: below) == nil)
    #expect(PinnedServer.pins(for: "com", in: below) == nil)
  }

  @Test func `the longest name has precedence, and entries for one name are combined`() {
    let servers = [
      server("example.com", true, Self.one), server("www.example.com", false, Self.two),
      server("example.com", true, .certificate([3])),
    ]
    #expect(PinnedServer.pins(for: "www.example.com", in: servers) == [Self.two])
    #expect(PinnedServer.pins(for: "mail.example.com", in: servers) == [Self.one, .certificate([3])])
  }

  @Test(arguments: [
    ("::1", "0:0:0:0:0:0:0:1"), ("2001:DB8::0001", "2001:db8::1"), ("fe80::1", "fe80::1%25eth0"),
    ("127.0.0.1", "127.1"), ("127.0.0.1", "0x7f.0.0.1"), ("127.0.0.1", "2130706433"),
    ("127.0.0.1", "0177.0.0.1."), ("10.0.0.7", "10.7"),
  ])
  func `pins of an address are for all of its spellings`(one: String, other: String) {
    for (pinned, loaded) in [(one, other), (other, one)] {
      #expect(PinnedServer.pins(for: loaded, in: [server(pinned, false, Self.one)]) == [Self.one])
    }
    #expect(PinnedServer.pins(for: other, in: [server("127.0.0.2", true, Self.one)]) == nil)
  }

  @Test func `an entry without pins refuses every certificate`() {
    #expect(PinnedServer.pins(for: "example.com", in: [server("example.com", false)]) == [])
  }
}
