#if !canImport(Darwin)
import CLinux
import Retriever
import Testing

struct AddressPolicyTests {
  private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text), "\(text)") }

  @Test(arguments: [
    "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.100.100.200", "100.127.255.255",
    "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.0.1", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255",
    "198.18.0.1",
    "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
    "255.255.255.255", "::", "::1", "fc00::1", "fd00:ec2::254", "fdff::1", "fe80::1", "febf::1", "fec0::1",
    "ff02::1", "2001:db8::1", "3fff::1", "100::1", "5f00::1", "2001:10::1", "2001:20::1", "64:ff9b:1::1",
    "4000::1",
  ])
  func `publicOnly refuses addresses that are not public`(_ text: String) throws {
    #expect(AddressPolicy.publicOnly.refusal(address: try address(text)) != nil)
    #expect(AddressPolicy.publicOnly.refusal(host: text, port: 80) != nil)
    #expect(AddressPolicy.unrestricted.refusal(address: try address(text)) == nil)
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
    "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255",
    "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111",
    "2001:4860:4860::8888",
    "2a00::1", "3ffe::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
  ])
  func `publicOnly allows public addresses`(_ text: String) throws {
    #expect(AddressPolicy.publicOnly.refusal(address: try address(text)) == nil)
    #expect(AddressPolicy.publicOnly.refusal(host: text, port: 80) == nil)
  }

  @Test(arguments: [
    "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:0:127.0.0.1", "::127.0.0.1",
    "::8.8.8.8", "64:ff9b::127.0.0.1", "64:ff9b::a00:1", "2002:7f00:1::", "2002:a00:1::1",
    "2002:c0a8:101::",
    // Teredo with a private client (its bits are inverted), and with a private server
    "2001:0:808:808::f5ff:fffe", "2001:0:a00:1::f7f7:f7f7",
    // ISATAP below a public prefix
    "2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:127.0.0.1",
  ])
  func `publicOnly checks the IPv6 forms of IPv4 addresses`(_ text: String) throws {
    #expect(AddressPolicy.publicOnly.refusal(address: try address(text)) != nil)
  }

  @Test(arguments: [
    "127.1", "127.0.1", "0x7f.0.0.1", "0x7f000001", "0177.0.0.1", "2130706433", "017700000001",
    "127.0.0.1.",
    "[::1]", "[::ffff:7f00:1]", "0", "localhost", "LOCALHOST", "localhost.", "a.localhost", "fe80::1%eth0",
    "[fe80::1%25eth0]", "0xa9fea9fe", "169.254.43518",
  ])
  func `publicOnly refuses every spelling of a local host`(_ host: String) {
    #expect(AddressPolicy.publicOnly.refusal(host: host, port: 80) != nil)
  }

  @Test(arguments: [
    "dogs.example", "1.1.1.1.example", "0x7f.example", "localhost.example", "notlocalhost", "134744072",
    "256.256.256.256",
    "1.2.3.4.5", "-1", "+1", "08.8.8.8",
  ])
  func aNameIsNotRefusedBeforeItIsLookedUp(_ host: String) {
    #expect(AddressPolicy.publicOnly.refusal(host: host, port: 80) == nil)
  }

  @Test func aRefusalIsASentenceThatNamesTheAddress() throws {
    let sentence = AddressPolicy.publicOnly.refusal(address: try address("::ffff:10.0.0.1"))
    #expect(
      sentence
        == "The session's address policy allows public addresses only: ::ffff:10.0.0.1 is not one.")
  }

  @Test func anAllowedRangeIsAnExceptionFromPublicOnly() throws {
    var policy = AddressPolicy.publicOnly
    try policy.allow("10.1.0.0/16")
    #expect(policy.refusal(address: try address("10.1.2.3")) == nil)
    #expect(policy.refusal(address: try address("::ffff:10.1.2.3")) == nil)
    #expect(policy.refusal(address: try address("10.2.0.1")) != nil)
    #expect(policy.refusal(host: "10.1.2.3", port: 80) == nil)
  }

  @Test func aHostThatIsAllowedByNameMayHaveAnyAddress() throws {
    var policy = AddressPolicy.publicOnly
    try policy.allow("images.internal:8080")
    let inside = try address("10.0.0.1")
    #expect(policy.refusal(address: inside, host: "Images.Internal", port: 8080) == nil)
    #expect(policy.refusal(address: inside, host: "images.internal", port: 80) != nil)
    #expect(policy.refusal(address: inside, host: "other.internal", port: 8080) != nil)
    #expect(policy.refusal(address: inside) != nil)
  }

  @Test func `denied entries have precedence over allowed ones`() throws {
    var policy = AddressPolicy.unrestricted
    try policy.deny("*.internal")
    try policy.deny("10.0.0.0/8")
    try policy.allow("a.internal")
    try policy.allow("10.0.0.1")
    #expect(policy.refusal(host: "a.internal", port: 80) != nil)
    #expect(policy.refusal(host: "internal", port: 80) == nil)
    #expect(policy.refusal(address: try address("10.0.0.1"), host: "dogs.example") != nil)
    for disguise in ["::ffff:10.0.0.1", "2002:a00:1::", "64:ff9b::a00:1"] {
      #expect(policy.refusal(address: try address(disguise)) != nil, "\(disguise)")
    }
    #expect(policy.refusal(address: try address("192.168.0.1")) == nil)
  }

  @Test func listedOnlyAllowsNothingElse() throws {
    var policy = AddressPolicy.listedOnly
    #expect(policy.refusal(host: "dogs.example", port: 443) != nil)
    try policy.allow("*.dogs.example")
    #expect(policy.refusal(host: "a.dogs.example", port: 443) == nil)
    #expect(policy.refusal(host: "a.b.dogs.example", port: 443) == nil)
    #expect(policy.refusal(host: "dogs.example", port: 443) != nil)
    #expect(policy.refusal(host: "evildogs.example", port: 443) != nil)
    #expect(policy.refusal(host: "a.dogs.example.evil.example", port: 443) != nil)
    #expect(policy.refusal(address: try address("8.8.8.8"), host: "a.dogs.example") == nil)
    #expect(policy.refusal(address: try address("8.8.8.8"), host: "b.example") != nil)
    try policy.allow("8.8.8.0/24")
    #expect(policy.refusal(host: "b.example", port: 443) == nil)
    #expect(policy.refusal(address: try address("8.8.8.8"), host: "b.example") == nil)
    #expect(policy.refusal(address: try address("8.8.9.8"), host: "b.example") != nil)
  }

  @Test(arguments: [
    "", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "a b", "a*b.example", "*.*.example",
    "http://a/",
    "a:0", "a:65536", "a/8", "*.", "a\u{0}b", "a@b", ":80", "10.0.0.1:80", "[::1]:80", "127.1",
  ])
  func anEntryThatCouldNeverMatchIsAnError(_ entry: String) {
    let error = #expect(throws: AddressPolicy.InvalidEntry.self) {
      var policy = AddressPolicy.publicOnly
      try policy.allow(entry)
    }
    #expect(error?.entry == entry)
  }

  @Test(arguments: [
    ("10.1.2.3/8", "10.0.0.0/8"), ("::1", "::1/128"), ("0.0.0.0/0", "0.0.0.0/0"), ("::/0", "::/0"),
    ("2001:DB8::/32", "2001:db8::/32"), ("192.0.2.1", "192.0.2.1/32"),
  ])
  func aRangeIsWrittenInItsShortestForm(_ text: String, _ expected: String) throws {
    #expect(AddressRange(text)?.description == expected)
    #expect(AddressRange(expected) == AddressRange(text))
  }

  @Test(arguments: ["*", "example.com", "*.example.com", "example.com:8443", "*.example.com:1", "*:80"])
  func `the description of a host pattern is its text`(_ text: String) {
    #expect(HostPattern(text)?.description == text)
  }

  @Test func aPatternInAnyScriptMatchesTheHostOfAURL() throws {
    var policy = AddressPolicy.listedOnly
    try policy.allow("*.MÜLLER.example")
    #expect(policy.refusal(host: "www.xn--mller-kva.example", port: 443) == nil)
  }

  @Test func anUnrestrictedPolicyNeedsNoCheck() throws {
    #expect(AddressPolicy.unrestricted.isUnrestricted)
    #expect(!AddressPolicy.publicOnly.isUnrestricted)
    var policy = AddressPolicy.unrestricted
    try policy.deny("a.example")
    #expect(!policy.isUnrestricted)
  }
}

struct AddressPolicySocketTests {
  @Test func anIPv4SocketAddressIsRead() {
    var socket = sockaddr_in()
    socket.sin_family = sa_family_t(AF_INET)
    socket.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    withUnsafeBytes(of: &socket) { bytes in
      guard let base = bytes.baseAddress else { return }
      #expect(IPAddress(sockaddr: base, length: bytes.count)?.description == "127.0.0.1")
      #expect(IPAddress(sockaddr: base, length: 4) == nil)
      #expect(AddressPolicy.publicOnly.refusal(sockaddr: base, length: bytes.count) != nil)
      #expect(AddressPolicy.unrestricted.refusal(sockaddr: base, length: bytes.count) == nil)
    }
  }

  @Test func anIPv6SocketAddressIsRead() {
    var socket = sockaddr_in6()
    socket.sin6_family = sa_family_t(AF_INET6)
    withUnsafeMutableBytes(of: &socket.sin6_addr) { $0[15] = 1 }
    withUnsafeBytes(of: &socket) { bytes in
      guard let base = bytes.baseAddress else { return }
      #expect(IPAddress(sockaddr: base, length: bytes.count)?.description == "::1")
      #expect(IPAddress(sockaddr: base, length: 16) == nil)
    }
  }

  @Test func aUnixSocketIsNotPublic() {
    var socket = sockaddr_un()
    socket.sun_family = sa_family_t(AF_UNIX)
    withUnsafeBytes(of: &socket) { bytes in
      guard let base = bytes.baseAddress else { return }
      #expect(IPAddress(sockaddr: base, length: bytes.count) == nil)
      #expect(AddressPolicy.publicOnly.refusal(sockaddr: base, length: bytes.count) != nil)
      #expect(AddressPolicy.unrestricted.refusal(sockaddr: base, length: bytes.count) == nil)
    }
  }

  @Test(arguments: ["1.2.3.4", "0.0.0.0", "::", "::1", "2001:db8::ff00:42:8329", "::ffff:1.2.3.4"])
  func `the description of an address is its text`(_ text: String) {
    #expect(IPAddress(text)?.description == text)
  }

  @Test(arguments: [
    "", "1.2.3", "1.2.3.4.5", "256.1.1.1", "01.2.3.4", "::1%eth0", "[::1]", ":::", "1.2.3.4 ", "g::1",
    "1.2.3.4\u{0}",
  ])
  func `text that is not an address is refused`(_ text: String) {
    #expect(IPAddress(text) == nil)
  }
}
#endif
