import TestSupport

/// What one load does and what the server does with it: a function of the seed and the load's number, so that client
/// and server agree without talking, and a run can be repeated.
struct LoadPlan: Sendable {
  /// How the program asks for it.
  enum Kind: String, Sendable, CaseIterable {
    case data, handler, upload, uploadFile, download, bytes, lines
  }

  /// The way to the server.
  enum Route: String, Sendable {
    case plain, tls, http2
    /// HTTP/2 whose server also breaks connections: any load there may fail with it.
    case http2Breaking
    /// http through a proxy.
    case proxy
    /// https through a proxy's tunnel; the proxy refuses some.
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

  /// Of so many redirects the longest chain is made.
  static let maximumRedirects = 4

  let number: Int
  let kind: Kind
  let method: String
  let route: Route
  let body: Body
  let behaviour: Behaviour
  let redirects: [Redirect]
  /// Nil for a load that nobody cancels.
  let microsecondsUntilCancel: Int?

  /// Whether the request may be sent again after a byte of it was sent.
  var isIdempotent: Bool { method != "POST" }

  /// The seconds without progress after which the request fails.
  var timeout: Double { behaviour.stalls ? 0.7 : 30 }

  /// The address' path: the number, and how many redirects were followed.
  static func path(_ number: Int, hop: Int) -> String { "/\(number)/\(hop)" }

  /// The number and hop in a path, or in the target of a request to a proxy.
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
    // A tunnel leads to one host. HTTP/2 has one origin here.
    let canCross = route == .plain || route == .tls || route == .proxy
    while redirects.count < Self.maximumRedirects, chance(redirects.isEmpty ? 15 : 40) {
      let status = [301, 302, 303, 307, 308].randomElement(using: &random) ?? 302
      redirects.append(Redirect(status: status, crossesOrigin: canCross && chance(40)))
    }
    self.redirects = redirects
    microsecondsUntilCancel =
      chance(20) ? Int.random(in: 0..<(chance(50) ? 2000 : 60_000), using: &random) : nil
  }

  /// Mostly small; sometimes around the sizes of buffers, and rarely large.
  private static func size(_ random: inout SeededRandom) -> Int {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<10: Int.random(in: 0..<32, using: &random)
    case 10..<70: Int.random(in: 0..<4096, using: &random)
    case 70..<85: 16_384 * Int.random(in: 1...4, using: &random) + Int.random(in: -2...2, using: &random)
    case 85..<97: Int.random(in: 0..<65_536, using: &random)
    default: Int.random(in: 0..<1_048_576, using: &random)
    }
  }

  /// The method after so many redirects.
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

  /// The size of the request's body after so many redirects.
  func bodySize(hop: Int) -> Int {
    for (index, redirect) in redirects.prefix(hop).enumerated() {
      if redirect.status == 303 || method(hop: index + 1) != method(hop: index) { return 0 }
    }
    return body.size
  }

  /// Whether a redirect before this hop led to another origin.
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
