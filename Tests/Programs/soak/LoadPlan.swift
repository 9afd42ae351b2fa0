import TestSupport

/// The plan for one load, for the client and the server. It depends only on the seed and the load's number. Client and
/// server therefore agree without communicating, and a run can be repeated.
struct LoadPlan: Sendable {
  /// The API that the client uses.
  enum Kind: String, Sendable, CaseIterable {
    case data, handler, upload, uploadFile, download, bytes, lines
  }

  /// The route to the server.
  enum Route: String, Sendable {
    case plain, tls, http2
    /// HTTP/2 with a server that also breaks connections, so any load there may fail.
    case http2Breaking
    /// http through a proxy.
    case proxy
    /// https through a proxy's tunnel. The proxy refuses some requests.
    case tunnel
  }

  enum Body: Sendable, Equatable {
    case none
    case data(Int)
    case stream(Int)

    var size: Int {
      switch self {
      case .none: 0
      case .data(let size), .stream(let size): size
      }
    }
  }

  struct Redirect: Sendable {
    var status: Int
    var crossesOrigin: Bool
  }

  /// The maximum number of redirects of one load.
  static let maximumRedirects = 4

  let number: Int
  let kind: Kind
  let method: String
  let route: Route
  let body: Body
  let behaviour: Behaviour
  let redirects: [Redirect]
  /// Nil for a load that is not cancelled.
  let microsecondsUntilCancel: Int?

  /// Whether the request may be sent again after any of it has been sent.
  var isIdempotent: Bool { method != "POST" }

  /// The time-out of the request in seconds.
  var timeout: Double { behaviour.stalls ? 0.7 : 30 }

  /// Returns the path of a load's URL: its number, and the number of redirects so far.
  static func path(_ number: Int, hop: Int) -> String { "/\(number)/\(hop)" }

  /// Returns the number and hop in a path, or in the target of a request to a proxy.
  static func parse(_ target: String) -> (number: Int, hop: Int)? {
    let parts = target.split(separator: "/").suffix(2).compactMap { Int($0) }
    guard parts.count == 2, parts[0] >= 0, 0...maximumRedirects ~= parts[1] else { return nil }
    return (parts[0], parts[1])
  }

  init(seed: UInt64, number: Int) {
    var random = SeededRandom(seed ^ (UInt64(truncatingIfNeeded: number) &* 0x2545_F491_4F6C_DD1D))
    func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }
    self.number = number
    let kind = Kind.allCases.randomElement(using: &random) ?? .data
    self.kind = kind
    let isUpload = kind == .upload || kind == .uploadFile
    let methods = isUpload ? ["POST", "PUT"] : ["GET", "GET", "GET", "HEAD", "POST", "PUT", "DELETE"]
    method = methods.randomElement(using: &random) ?? "GET"
    route =
      switch Int.random(in: 0..<100, using: &random) {
      case 0..<26: .plain
      case 26..<42: .tls
      case 42..<68: .http2
      case 68..<84: .http2Breaking
      case 84..<94: .proxy
      default: .tunnel
      }
    if isUpload {
      body = .data(Self.size(&random))
    } else if method == "POST" || method == "PUT" {
      body = chance(30) ? .stream(Self.size(&random)) : chance(80) ? .data(Self.size(&random)) : .none
    } else {
      body = .none
    }
    let size = Self.size(&random)
    behaviour =
      chance(60)
      ? .random(among: Behaviour.healthy, size: size, &random)
      : .random(among: Behaviour.kinds(for: route), size: size, &random)
    var redirects: [Redirect] = []
    // A tunnel leads to one host, and HTTP/2 has only one origin here.
    let canCross = route == .plain || route == .tls || route == .proxy
    while redirects.count < Self.maximumRedirects, chance(redirects.isEmpty ? 15 : 40) {
      let status = [301, 302, 303, 307, 308].randomElement(using: &random) ?? 302
      redirects.append(Redirect(status: status, crossesOrigin: canCross && chance(40)))
    }
    self.redirects = redirects
    microsecondsUntilCancel =
      chance(20) ? Int.random(in: 0..<(chance(50) ? 2000 : 60_000), using: &random) : nil
  }

  /// Returns a size that is usually small, sometimes close to a buffer size, and rarely large.
  private static func size(_ random: inout SeededRandom) -> Int {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: Int.random(in: 0..<32, using: &random)
    case 10..<70: Int.random(in: 0..<4096, using: &random)
    case 70..<85: 16_384 * Int.random(in: 1...4, using: &random) + Int.random(in: -2...2, using: &random)
    case 85..<97: Int.random(in: 0..<65_536, using: &random)
    default: Int.random(in: 0..<1_048_576, using: &random)
    }
  }

  /// Returns the method after `hop` redirects.
  func method(hop: Int) -> String {
    var method = method
    for redirect in redirects.prefix(hop) {
      switch redirect.status {
      case 301, 302: if method == "POST" { method = "GET" }
      case 303: if method != "HEAD" { method = "GET" }
      default: break
      }
    }
    return method
  }

  /// Returns the size of the request's body after `hop` redirects.
  func bodySize(hop: Int) -> Int {
    for (index, redirect) in redirects.prefix(hop).enumerated() {
      if redirect.status == 303 || method(hop: index + 1) != method(hop: index) { return 0 }
    }
    return body.size
  }

  /// Returns whether a redirect before this hop led to another origin.
  func hasCrossed(hop: Int) -> Bool { redirects.prefix(hop).contains { $0.crossesOrigin } }
}

extension LoadPlan: CustomStringConvertible {
  var description: String {
    var text = "load \(number): \(kind.rawValue), \(method), \(route.rawValue), \(behaviour)"
    if body != .none { text += ", body \(body)" }
    if !redirects.isEmpty {
      let hops = redirects.map { "\($0.status)\($0.crossesOrigin ? " to another origin" : "")" }
      text += ", redirects \(hops.joined(separator: ", "))"
    }
    if let microsecondsUntilCancel { text += ", cancelled after \(microsecondsUntilCancel) µs" }
    return text
  }
}
