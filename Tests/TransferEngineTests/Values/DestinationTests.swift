import Testing

@testable import TransferEngine

@Suite struct DestinationTests {
  private typealias Known = NameService.Known

  private func moment(_ seconds: Int64) -> Monotonic { Monotonic(nanoseconds: seconds * 1_000_000_000) }

  private func destination(
    _ host: String, port: UInt16 = 80, isSecure: Bool = false, proxy: String? = nil, looksUpNames: Bool = true
  ) -> Destination {
    var queue = LoadQueue<Transfer>()
    return Destination(
      address: ServerAddress(isSecure: isSecure, host: host, port: port),
      proxy: proxy.flatMap(ProxyAddress.init),
      place: queue.addHost(limit: 6), looksUpNames: looksUpNames)
  }

  @Test(
    arguments: [
      ("example.com", nil, ["example.com"]),
      ("127.0.0.1", nil, []),
      ("localhost", nil, []),
      ("example.com", "http://proxy.test:8080", ["proxy.test"]),
      ("example.com", "socks5://proxy.test", ["proxy.test", "example.com"]),
      ("example.com", "socks4://127.0.0.1", ["example.com"]),
      ("127.0.0.1", "socks5://proxy.test", ["proxy.test"]),
      ("example.com", "socks5h://proxy.test", ["proxy.test"]),
      ("example.com", "https://[::1]:3128", []),
    ] as [(String, String?, [String])])
  func `names that the client must resolve are looked up`(host: String, proxy: String?, names: [String]) {
    let destination = destination(host, proxy: proxy)
    #expect(destination.namesToForget == names)
    #expect(destination.hasAddresses(now: moment(0)) == names.isEmpty)
  }

  @Test func `no name is looked up if look-ups are disabled`() {
    let destination = destination("example.com", looksUpNames: false)
    #expect(destination.hasAddresses(now: moment(0)))
    #expect(destination.askForNames(now: moment(0)) { _, _ in fatalError("No name should be looked up.") })
  }

  @Test func `a secure server or a secure proxy uses TLS`() {
    #expect(!destination("a.test").usesTLS)
    #expect(destination("a.test", isSecure: true).usesTLS)
    #expect(destination("a.test", proxy: "https://p.test").usesTLS)
    #expect(!destination("a.test", proxy: "http://p.test").usesTLS)
  }

  @Test func `addresses are given to libcurl once and used until they expire`() {
    let destination = destination("example.com", port: 8080)
    var asked: [String] = []
    #expect(
      !destination.askForNames(now: moment(0)) { name, _ in
        asked.append(name); return nil
      })
    #expect(
      !destination.askForNames(now: moment(1)) { name, _ in
        asked.append(name); return nil
      })
    #expect(asked == ["example.com"])
    destination.take(Known(addresses: ["192.0.2.1", "[2001:db8::1]"], expiry: moment(60)), at: 0)
    #expect(destination.resolveLines == ["example.com:8080:192.0.2.1,[2001:db8::1]"])
    #expect(destination.hasAddresses(now: moment(59)))
    destination.addressesAreKnown()
    #expect(destination.resolveLines.isEmpty)
    #expect(!destination.hasAddresses(now: moment(60)))
    #expect(
      destination.askForNames(now: moment(60)) { _, _ in Known(addresses: ["192.0.2.2"], expiry: moment(120))
      })
    #expect(destination.resolveLines == ["example.com:8080:192.0.2.2"])
    #expect(destination.hasAddresses(now: moment(119)))
  }

  @Test func `a name with a trailing dot is passed in both spellings`() {
    let destination = destination("example.com.")
    destination.take(Known(addresses: ["192.0.2.1"], expiry: moment(60)), at: 0)
    #expect(destination.resolveLines == ["example.com.:80:192.0.2.1", "example.com:80:192.0.2.1"])
    #expect(destination.removalLines == ["-example.com.:80", "-example.com:80"])
  }

  @Test(arguments: [(60, 30), (30, 60)])
  func `two names are known until the first of them expires`(first: Int64, second: Int64) {
    let destination = destination("example.com", proxy: "socks5://proxy.test")
    #expect(!destination.askForNames(now: moment(0)) { _, _ in nil })
    destination.take(Known(addresses: ["192.0.2.1"], expiry: moment(first)), at: 0)
    #expect(!destination.hasAddresses(now: moment(0)))
    #expect(destination.resolveLines.isEmpty)
    destination.take(Known(addresses: ["192.0.2.2"], expiry: moment(second)), at: 1)
    #expect(destination.resolveLines == ["proxy.test:1080:192.0.2.1", "example.com:80:192.0.2.2"])
    #expect(destination.hasAddresses(now: moment(29)))
    #expect(!destination.hasAddresses(now: moment(30)))
  }

  @Test func `a name that expired while the other one was looked up is asked for again`() {
    let destination = destination("example.com", proxy: "socks5://proxy.test")
    _ = destination.askForNames(now: moment(0)) { _, _ in nil }
    destination.take(Known(addresses: ["192.0.2.1"], expiry: moment(60)), at: 0)
    destination.nameFailed(at: 1)
    var asked: [Int] = []
    _ = destination.askForNames(now: moment(100)) { _, index in
      asked.append(index); return nil
    }
    #expect(asked == [0, 1])
  }

  @Test func `a failed look-up is repeated by the next transfer`() {
    let destination = destination("example.com")
    var asked = 0
    for _ in 0..<3 {
      #expect(
        !destination.askForNames(now: moment(0)) { _, _ in
          asked += 1; return nil
        })
      destination.nameFailed(at: 0)
    }
    #expect(asked == 3)
  }

  @Test func `addresses that did not work are asked for again`() {
    let destination = destination("example.com")
    destination.take(Known(addresses: ["192.0.2.1"], expiry: moment(60)), at: 0)
    destination.forgetNames()
    #expect(!destination.hasAddresses(now: moment(0)))
    var asked = 0
    #expect(
      !destination.askForNames(now: moment(0)) { _, _ in
        asked += 1; return nil
      })
    #expect(asked == 1)
  }

  @Test func `an answer without a request is ignored`() {
    let destination = destination("127.0.0.1")
    destination.take(Known(addresses: ["192.0.2.1"], expiry: moment(60)), at: 0)
    destination.nameFailed(at: 7)
    #expect(destination.resolveLines.isEmpty)
    #expect(destination.hasAddresses(now: moment(100)))
  }

  private func allowsHTTP3(
    isSecure: Bool = true, proxy: String? = nil, _ change: (inout TransferClientOptions) -> Void = { _ in }
  ) -> Bool {
    var options = TransferClientOptions()
    options.usesHTTP3 = true
    change(&options)
    var queue = LoadQueue<Transfer>()
    let destination = Destination(
      address: ServerAddress(isSecure: isSecure, host: "a.test", port: 443),
      proxy: proxy.flatMap(ProxyAddress.init), place: queue.addHost(limit: 6), looksUpNames: true,
      options: options)
    return destination.allowsHTTP3
  }

  @Test func `HTTP/3 is for https without a proxy, if the client wants it`() {
    #expect(allowsHTTP3())
    #expect(!allowsHTTP3 { $0.usesHTTP3 = false })
    #expect(!allowsHTTP3(isSecure: false))
    #expect(!allowsHTTP3(proxy: "http://p.test"))
    #expect(!allowsHTTP3(proxy: "socks5://p.test"))
    #expect(!allowsHTTP3 { $0.unixSocketPath = "/tmp/socket" })
    #expect(!allowsHTTP3 { $0.maximumTLS = .v12 })
    #expect(!destination("a.test", isSecure: true).allowsHTTP3)
  }

  @Test func `servers with checks of their own do not use HTTP/3, which would bypass these`() {
    #expect(!allowsHTTP3 { $0.asksAboutServers = true })
    let pin = PinnedServer(host: "a.test", includesSubdomains: false, pins: [.publicKey([1])])
    #expect(!allowsHTTP3 { $0.pinnedServers = [pin] })
  }
}
