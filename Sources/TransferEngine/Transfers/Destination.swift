/// A server as one client reaches it: what is known of its names and its protocol, and the transfers that wait for that.
///
/// `@unchecked Sendable`: `address`, `proxy` and `place` are immutable; everything else is touched by the holder of the
/// loop's turn only.
final class Destination: @unchecked Sendable {
  /// A name that has to be looked up before libcurl can connect.
  struct Name {
    let host: String
    let port: UInt16
    var isAsked = false
    var known: NameService.Known?
  }

  let address: ServerAddress
  let proxy: ProxyAddress?
  let place: LoadQueue<Transfer>.HostID

  /// Transfers that may run as soon as the names, and the trust store, are there.
  var pending: [Transfer] = []
  /// Transfers that hold a place: running, or pending.
  var admittedCount = 0
  /// Whether several transfers share one connection; nil as long as no connection has told.
  var isMultiplexed: Bool?

  private var names: [Name]
  /// When the first of the names expires; nil while one of them is not known.
  private var expiry: Monotonic?
  /// What libcurl has not taken in yet.
  private(set) var resolveLines: [String] = []

  init(
    address: ServerAddress, proxy: ProxyAddress?, place: LoadQueue<Transfer>.HostID, looksUpNames: Bool
  ) {
    self.address = address
    self.proxy = proxy
    self.place = place
    var names: [Name] = []
    if let proxy, !proxy.needsNoLookup { names.append(Name(host: proxy.host, port: proxy.port)) }
    let isReachedByAddress = proxy.map { $0.kind == .socksWithAddresses } ?? true
    if isReachedByAddress, !address.needsNoLookup {
      names.append(Name(host: address.host, port: address.port))
    }
    self.names = looksUpNames ? names : []
  }

  /// Whether TLS is spoken with the server or with its proxy.
  var usesTLS: Bool { address.isSecure || proxy?.isSecure == true }

  // MARK: Names

  /// Whether libcurl has, or is going to be given, addresses that may still be used.
  func hasAddresses(now: Monotonic) -> Bool {
    if names.isEmpty { return true }
    guard let expiry else { return false }
    return now < expiry
  }

  /// Asks for the names that nobody has asked for yet; true when all of them are known.
  func askForNames(now: Monotonic, _ ask: (_ name: String, _ index: Int) -> NameService.Known?) -> Bool {
    if let expiry, expiry <= now { forgetNames() }
    for index in names.indices where !names[index].isAsked {
      // One of two names may expire before the other one is known.
      if let known = names[index].known, now < known.expiry { continue }
      names[index].known = nil
      names[index].isAsked = true
      if let known = ask(names[index].host, index) { take(known, at: index) }
    }
    return hasAddresses(now: now)
  }

  /// A name's addresses are known.
  func take(_ known: NameService.Known, at index: Int) {
    guard names.indices.contains(index) else { return }
    names[index].isAsked = false
    names[index].known = known
    let expiries = names.compactMap(\.known?.expiry)
    guard expiries.count == names.count else { return }
    expiry = expiries.min()
    resolveLines = names.flatMap { name in
      Self.spellings(of: name).map {
        "\($0):\(name.port):" + (name.known?.addresses ?? []).joined(separator: ",")
      }
    }
  }

  /// A look-up failed; the next transfer asks again.
  func nameFailed(at index: Int) {
    guard names.indices.contains(index) else { return }
    names[index].isAsked = false
  }

  /// The addresses are too old, or did not work.
  func forgetNames() {
    expiry = nil
    for index in names.indices { names[index].known = nil }
  }

  var namesToForget: [String] { names.map(\.host) }

  /// libcurl has taken the addresses in: the transfers after this one find them there.
  func addressesAreKnown() { resolveLines = [] }

  /// What takes the names out of libcurl's cache.
  var removalLines: [String] {
    names.flatMap { name in Self.spellings(of: name).map { "-\($0):\(name.port)" } }
  }

  /// Some versions of libcurl leave a last dot out.
  private static func spellings(of name: Name) -> [String] {
    name.host.hasSuffix(".") ? [name.host, String(name.host.dropLast())] : [name.host]
  }
}
