import Testing

@testable import KennelWeb

@Suite struct AllowedHostsTests {
  private func hosts(_ names: String..., machine: String? = "Kennel-Pi") throws -> AllowedHosts {
    var hosts = AllowedHosts(machine: machine)
    for name in names {
      let isTaken = hosts.allow(name)
      try #require(isTaken)
    }
    return hosts
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:8080", "192.168.1.20:80", "8.8.8.8", "[::1]", "[::1]:8080", "[2001:DB8::1]:",
    "[fe80::1%25eth0]:8080", "[::ffff:10.0.0.1]", "localhost", "LOCALHOST:8080", "localhost.", "localhost.:1",
    "dogs.localhost:8080", "a.b.localhost.", "kennel-pi", "KENNEL-PI:8080", "kennel-pi.", "Kennel-Pi.local",
    "kennel-pi.local.:8080", "",
  ]) func `addresses and this machine's names are allowed by default`(field: String) throws {
    #expect(try hosts().verdict(on: field) == .allowed)
  }

  @Test(arguments: [
    ("evil.example", "evil.example"), ("Evil.Example.:8080", "evil.example"),
    ("127.0.0.1.evil.example", "127.0.0.1.evil.example"),
    ("localhost.evil.example", "localhost.evil.example"),
    ("notlocalhost", "notlocalhost"), ("kennel-pi.evil.example", "kennel-pi.evil.example"),
    ("x.kennel-pi", "x.kennel-pi"), ("x.kennel-pi.local", "x.kennel-pi.local"), ("local", "local"),
    ("127.1", "127.1"), ("0x7f.0.0.1", "0x7f.0.0.1"), ("2130706433", "2130706433"), ("a_b", "a_b"),
  ]) func `any other name is unknown`(field: String, name: String) throws {
    #expect(try hosts().verdict(on: field) == .unknown(name))
  }

  @Test(arguments: [
    " ", ".", ":8080", "a..b", ".a", "a:b", "a:80:80", "a:-1", "[::1", "::1", "[127.0.0.1]", "[]", "[::1]x",
    "[::g]",
    "a b", "a/b", "user@localhost", "dögs.example", "a,localhost", "localhost\u{0}", "[::1]:8x",
    // Characters that combine with the dot or the bracket next to them.
    "localhost\u{600}.", "[\u{301}::1]", "localhost.\u{301}",
    String(repeating: "a", count: 254),
  ]) func `an invalid host is malformed`(field: String) throws {
    #expect(try hosts().verdict(on: field) == .malformed)
  }

  @Test func `an allowed name is accepted with any port and case`() throws {
    let hosts = try hosts("Dogs.Example.", "kennel")
    for field in ["dogs.example", "DOGS.example:443", "dogs.example.", "kennel:8080"] {
      #expect(hosts.verdict(on: field) == .allowed)
    }
    #expect(hosts.verdict(on: "www.dogs.example") == .unknown("www.dogs.example"))
    #expect(hosts.verdict(on: "example") == .unknown("example"))
  }

  @Test func `a leading dot also allows all subdomains`() throws {
    let hosts = try hosts(".dogs.example")
    for field in ["dogs.example", "a.dogs.example", "a.b.dogs.example.:1"] {
      #expect(hosts.verdict(on: field) == .allowed)
    }
    #expect(hosts.verdict(on: "baddogs.example") == .unknown("baddogs.example"))
  }

  @Test func `a star allows any host`() throws {
    let hosts = try hosts("*")
    for field in ["evil.example", "a b", ""] { #expect(hosts.verdict(on: field) == .allowed) }
  }

  @Test func `the first part of a machine's name is also allowed`() throws {
    let hosts = try hosts(machine: "pi.house.example")
    for field in ["pi.house.example", "pi", "pi.local"] { #expect(hosts.verdict(on: field) == .allowed) }
    #expect(hosts.verdict(on: "house.example") == .unknown("house.example"))
  }

  @Test(arguments: [nil, "", "(none)", "10.0.0.1", "a b"])
  func `a machine without a valid name allows no extra names`(machine: String?) throws {
    #expect(try hosts(machine: machine) == AllowedHosts(machine: nil))
  }

  @Test(arguments: [
    "", ".", "https://dogs.example", "dogs.example:80", "dogs example", "*.dogs.example", "[::1]:80",
  ])
  func `an invalid name cannot be allowed`(text: String) {
    var hosts = AllowedHosts(machine: nil)
    let isTaken = hosts.allow(text)
    #expect(!isTaken)
    #expect(hosts == AllowedHosts(machine: nil))
  }
}
