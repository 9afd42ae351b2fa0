import HTTPService

/// A request and what its path holds.
struct Call: Sendable {
  var request: HTTPRequest
  /// The numbers in the path, in order.
  var numbers: [Int64] = []
  /// The name in the path; empty when its route has none.
  var name = ""

  /// The first number in the path.
  var id: Int64 { numbers.first ?? 0 }
}

/// What answers requests of one method and one kind of path.
struct Route: Sendable {
  typealias Handler = @Sendable (KennelSite, Call) async throws -> HTTPResponse

  enum Segment: Sendable, Equatable {
    case literal(String)
    /// An id: decimal digits that make a positive number.
    case number
    case name
  }

  var method: HTTPMethod
  var pattern: [Segment]
  /// As in `/posts/{id}`: what its metrics are called.
  var name: String
  /// Whether people see it in a browser: then its errors are pages as well.
  var isPage: Bool
  var handler: Handler

  /// - Parameter path: as in `posts/{id}/photo`; `{name}` stands for any text.
  init(_ method: HTTPMethod, _ path: String, isPage: Bool = false, _ handler: @escaping Handler) {
    self.method = method
    self.isPage = isPage
    self.handler = handler
    name = "/" + path
    pattern = path.split(separator: "/").map { segment in
      switch segment {
      case "{name}": .name
      case _ where segment.hasPrefix("{"): .number
      default: .literal(String(segment))
      }
    }
  }

  /// The call, when the path is of this kind.
  func match(_ request: HTTPRequest) -> Call? {
    let segments = request.pathSegments
    guard segments.count == pattern.count else { return nil }
    var call = Call(request: request)
    for (segment, wanted) in zip(segments, pattern) {
      switch wanted {
      case .literal(let text): guard text == segment else { return nil }
      case .number:
        guard let number = Int64(identifier: segment) else { return nil }
        call.numbers.append(number)
      case .name: call.name = segment
      }
    }
    return call
  }
}

/// Finds what answers a request.
struct Router: Sendable {
  enum Match: Sendable {
    case route(Route, index: Int, Call)
    /// There is such a path, but not for this method.
    case wrongMethod(allowed: [HTTPMethod], isPage: Bool)
    case nothing
  }

  let routes: [Route]
  /// By a path's first segment.
  private let indices: [String: [Int]]

  init(_ routes: [Route]) {
    self.routes = routes
    var indices: [String: [Int]] = [:]
    for (index, route) in routes.enumerated() {
      guard case .literal(let first)? = route.pattern.first else {
        indices["", default: []].append(index)
        continue
      }
      indices[first, default: []].append(index)
    }
    self.indices = indices
  }

  func find(_ request: HTTPRequest) -> Match {
    guard !request.hasTrailingSlash, let candidates = indices[request.pathSegments.first ?? ""] else {
      return .nothing
    }
    // What answers GET answers HEAD: the server leaves the body out.
    let method = request.method == .head ? .get : request.method
    var allowed: [HTTPMethod] = []
    var isPage = false
    for index in candidates {
      let route = routes[index]
      guard let call = route.match(request) else { continue }
      if route.method == method { return .route(route, index: index, call) }
      allowed += route.method == .get ? [.get, .head] : [route.method]
      isPage = isPage || route.isPage
    }
    return allowed.isEmpty ? .nothing : .wrongMethod(allowed: allowed, isPage: isPage)
  }
}

extension Int64 {
  /// From decimal digits only, as ids are written; nil for what is none.
  init?(identifier text: some StringProtocol) {
    guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let number = Int64(text), number > 0
    else { return nil }
    self = number
  }
}
