import TestSupport

/// What the server does with a request.
struct Behaviour: Sendable, CustomStringConvertible {
  enum Kind: String, Sendable {
    // Healthy, over every version.
    case length, chunked, untilClose, inPieces, notFound, noContent, interim, gzip
    // Healthy replies that end or spoil the connection (HTTP/1.1).
    case closes, closesSilently, bytesAfterBody
    // Broken (HTTP/1.1).
    case drop, resetAtOnce, cutLength, cutChunked, resetInBody, notHTTP, badChunkSize, twoLengths, longField
    case badGzip, earlyAnswer, cutUpload
    // Over every version.
    case stall, stallInBody
    // Of one stream (HTTP/2).
    case refusedOnce, resetStream, resetStreamInBody
    // Of the connection (HTTP/2).
    case goAway, cutConnection, badFrame
  }

  static let healthy: [Kind] = [
    .length, .length, .length, .chunked, .chunked, .untilClose, .inPieces, .notFound, .noContent, .interim,
    .gzip,
  ]
  private static let overOne: [Kind] = [
    .closes, .closesSilently, .bytesAfterBody, .drop, .resetAtOnce, .cutLength, .cutChunked, .resetInBody,
    .notHTTP,
    .badChunkSize, .twoLengths, .longField, .badGzip, .earlyAnswer, .cutUpload, .stall, .stallInBody,
  ]
  private static let overTwo: [Kind] = [
    .refusedOnce, .resetStream, .resetStreamInBody, .badGzip, .stall, .stallInBody,
  ]

  /// What may go wrong on a route.
  static func kinds(for route: LoadPlan.Route) -> [Kind] {
    switch route {
    case .plain, .tls, .proxy, .tunnel: overOne
    case .http2: overTwo
    case .http2Breaking: overTwo + [.goAway, .cutConnection, .badFrame]
    }
  }

  var kind: Kind
  /// The size of the response's body, when it is whole.
  var size: Int

  static func random(among kinds: [Kind], size: Int, _ random: inout SeededRandom) -> Behaviour {
    let kind = kinds.randomElement(using: &random) ?? .length
    switch kind {
    case .noContent: return Behaviour(kind: kind, size: 0)
    // There must be a body to cut, and a small one to compress by hand.
    case .gzip: return Behaviour(kind: kind, size: min(size, 8000))
    // Small enough to arrive together with what follows it: nobody can know of what has not come yet.
    case .bytesAfterBody: return Behaviour(kind: kind, size: min(size, 4000))
    case .inPieces: return Behaviour(kind: kind, size: min(size, 20_000))
    default: return Behaviour(kind: kind, size: max(64, size))
    }
  }

  var stalls: Bool { kind == .stall || kind == .stallInBody }

  var status: Int {
    switch kind {
    case .notFound: 404
    case .noContent: 204
    case .earlyAnswer: 413
    default: 200
    }
  }

  var description: String { "\(kind.rawValue) of \(size) bytes" }
}

/// What may come out of a load.
struct Expectation: Sendable {
  /// The status and the size of the body, where a response is right.
  var response: (status: Int, size: Int)?
  /// The codes of URLError that are right.
  var errors: Set<Int> = []

  private static let lost = -1005
  private static let badReply: Set<Int> = [-1011, -1017]
  /// What a proxy that refuses or breaks off may become.
  private static let proxyFailures: Set<Int> = [-1003, -1004, -1005, -1011, -1013, -1017, -1200, 310]

  init(_ plan: LoadPlan) {
    let method = plan.method(hop: plan.redirects.count)
    let whole = (plan.behaviour.status, method == "HEAD" ? 0 : plan.behaviour.size)
    switch plan.behaviour.kind {
    case .length, .chunked, .untilClose, .inPieces, .notFound, .noContent, .interim, .gzip, .closes,
      .closesSilently, .bytesAfterBody, .refusedOnce, .goAway:
      response = whole
    case .drop, .resetAtOnce, .cutUpload: errors = [Self.lost]
    case .resetStream: errors = Self.badReply.union([Self.lost])
    case .cutLength, .cutChunked, .resetInBody, .badChunkSize, .resetStreamInBody, .cutConnection, .badFrame:
      // A response to HEAD has no body that could break.
      if method == "HEAD" { response = whole }
      errors = Self.badReply.union([Self.lost])
    case .notHTTP, .twoLengths: errors = Self.badReply
    case .longField: errors = Self.badReply.union([-1103])
    case .badGzip:
      if method == "HEAD" { response = whole }
      errors = [-1015, -1016]
    case .earlyAnswer:
      response = whole
      // The answer may be lost when the connection is closed while the request is still being sent.
      errors = [Self.lost]
    case .stall: errors = [-1001]
    case .stallInBody:
      if method == "HEAD" { response = whole }
      errors = [-1001]
    }
    // The connection that it was sent on may have ended just then, and it must not be sent again.
    if !plan.isIdempotent { errors.insert(Self.lost) }
    // A stream can be sent once.
    if case .stream = plan.body { errors.formUnion([Self.lost, -1021]) }
    if plan.route == .http2Breaking { errors.formUnion(Self.badReply.union([Self.lost])) }
    if plan.route == .tunnel { errors.formUnion(Self.proxyFailures) }
    if plan.microsecondsUntilCancel != nil { errors.insert(-999) }
  }
}
