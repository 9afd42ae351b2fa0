import TestSupport

/// How the server handles a request.
struct Behaviour: Sendable, CustomStringConvertible {
  enum Kind: String, Sendable {
    // Correct responses, over every version.
    case length, chunked, untilClose, inPieces, notFound, noContent, interim, gzip
    // Correct responses that end the connection or make it unusable (HTTP/1.1).
    case closes, closesSilently, bytesAfterBody
    // Invalid responses (HTTP/1.1).
    case drop
    case resetImmediately = "resetAtOnce"
    case cutLength, cutChunked, resetInBody, notHTTP, badChunkSize, twoLengths, longField
    case badGzip, earlyAnswer, cutUpload
    // Stalled responses, over every version.
    case stall, stallInBody
    // Errors of one stream (HTTP/2).
    case refusedOnce, resetStream, resetStreamInBody
    // Errors of the connection (HTTP/2).
    case goAway, cutConnection, badFrame
  }

  static let healthy: [Kind] = [
    .length, .length, .length, .chunked, .chunked, .untilClose, .inPieces, .notFound, .noContent, .interim,
    .gzip,
  ]
  private static let http1Kinds: [Kind] = [
    .closes, .closesSilently, .bytesAfterBody, .drop, .resetImmediately, .cutLength, .cutChunked,
    .resetInBody, .notHTTP, .badChunkSize, .twoLengths, .longField, .badGzip, .earlyAnswer, .cutUpload,
    .stall, .stallInBody,
  ]
  private static let http2Kinds: [Kind] = [
    .refusedOnce, .resetStream, .resetStreamInBody, .badGzip, .stall, .stallInBody,
  ]

  /// Returns the failures that may happen on a route.
  static func kinds(for route: LoadPlan.Route) -> [Kind] {
    switch route {
    case .plain, .tls, .proxy, .tunnel: http1Kinds
    case .http2: http2Kinds
    case .http2Breaking: http2Kinds + [.goAway, .cutConnection, .badFrame]
    }
  }

  var kind: Kind
  /// The size of the response's body if it is complete.
  var size: Int

  static func random(among kinds: [Kind], size: Int, _ random: inout SeededRandom) -> Behaviour {
    let kind = kinds.randomElement(using: &random) ?? .length
    switch kind {
    case .noContent: return Behaviour(kind: kind, size: 0)
    // The body must be small, because the test compresses it without a library.
    case .gzip: return Behaviour(kind: kind, size: min(size, 8000))
    // The body must arrive together with the data after it: the client cannot know about data that has not arrived yet.
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

/// The allowed results of a load.
struct Expectation: Sendable {
  /// The status and the size of the body, if a response is allowed.
  var response: (status: Int, size: Int)?
  /// The allowed codes of URLError.
  var errors: Set<Int> = []

  private static let lost = -1005
  private static let badReply: Set<Int> = [-1011, -1017]
  /// The error codes for a proxy that refuses or aborts.
  private static let proxyFailures: Set<Int> = [-1003, -1004, -1005, -1011, -1013, -1017, -1200, 310]

  init(_ plan: LoadPlan) {
    let method = plan.method(hop: plan.redirects.count)
    let complete = (plan.behaviour.status, method == "HEAD" ? 0 : plan.behaviour.size)
    switch plan.behaviour.kind {
    case .length, .chunked, .untilClose, .inPieces, .notFound, .noContent, .interim, .gzip, .closes,
      .closesSilently, .bytesAfterBody, .refusedOnce, .goAway:
      response = complete
    case .drop, .resetImmediately, .cutUpload: errors = [Self.lost]
    case .resetStream: errors = Self.badReply.union([Self.lost])
    case .cutLength, .cutChunked, .resetInBody, .badChunkSize, .resetStreamInBody, .cutConnection, .badFrame:
      // A response to HEAD has no body that could be incomplete.
      if method == "HEAD" { response = complete }
      errors = Self.badReply.union([Self.lost])
    case .notHTTP, .twoLengths: errors = Self.badReply
    case .longField: errors = Self.badReply.union([-1103])
    case .badGzip:
      if method == "HEAD" { response = complete }
      errors = [-1015, -1016]
    case .earlyAnswer:
      response = complete
      // The response may be lost if the connection closes while the request is still being sent.
      errors = [Self.lost]
    case .stall: errors = [-1001]
    case .stallInBody:
      if method == "HEAD" { response = complete }
      errors = [-1001]
    }
    // The connection may have ended at that moment, and the request must not be sent again.
    if !plan.isIdempotent { errors.insert(Self.lost) }
    // A stream can only be sent once.
    if case .stream = plan.body { errors.formUnion([Self.lost, -1021]) }
    if plan.route == .http2Breaking { errors.formUnion(Self.badReply.union([Self.lost])) }
    if plan.route == .tunnel { errors.formUnion(Self.proxyFailures) }
    if plan.microsecondsUntilCancel != nil { errors.insert(-999) }
  }
}
