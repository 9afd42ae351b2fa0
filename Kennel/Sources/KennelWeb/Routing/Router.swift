import HTTPService
import HTTPSyntax
import KennelModel
import KennelStorage

/// Who may use a route.
enum Access: String, Sendable, CaseIterable {
  /// Everyone who reaches the server: what a visitor needs to sign in, and what shows nothing of the kennel.
  case everyone
  /// Those who may see the photos: everyone if the kennel is open, otherwise people with an account.
  case lookers
  /// Those who may see the photos, and other kennels with a token.
  case lookersAndPeers
  /// People with an account.
  case people
  /// People with an account that may share photos: members and owners.
  case sharers
  /// Owners.
  case owners
  /// Those who have the secret link whose token is in the path.
  case linkHolders
  /// Those who have a secret link to a photo, whose token is in the path.
  case photoLinkHolders
  /// Those who have a secret link to an album, whose token is in the path. If an id follows, the album shows the post.
  case albumLinkHolders

  /// Whether the token of a secret link is in the path.
  var needsLink: Bool { self == .linkHolders || self == .photoLinkHolders || self == .albumLinkHolders }
  /// Those who have the secret address of a user's feed, whose token is in the path.
  case feedReaders

  /// Returns whether a user with a role may use the route.
  func admits(_ role: User.Role) -> Bool {
    switch self {
    case .everyone, .lookers, .lookersAndPeers, .people, .linkHolders, .photoLinkHolders, .albumLinkHolders,
      .feedReaders:
      true
    case .sharers: role.maySharePhotos
    case .owners: role == .owner
    }
  }

  /// What a user reads who may not use the route.
  var refusal: String {
    self == .owners
      ? "Only an owner of this kennel can do this. Ask an owner."
      : "Your account can look at the photos, give hearts and write comments, but not share photos. Ask an owner to change this."
  }
}

/// A handler for requests with one method and one path pattern.
///
/// `Target` is the type that its handler is called with. So the routes are known before there is a site.
struct Route<Target: Sendable>: Sendable {
  typealias Handler = @Sendable (Target, Call) async throws -> HTTPResponse

  var method: HTTPMethod
  var pattern: [RouteSegment]
  /// The path pattern, such as `/posts/{id}`. It is also the label of the metrics.
  var name: String
  /// Who may use the route.
  var access: Access
  /// Whether the route is a page for browsers. Then its errors are pages as well.
  var isPage: Bool
  var handler: Handler

  /// - Parameter path: a pattern such as `posts/{id}/photo`. `{name}` matches any text, and `{token}` any secret.
  init(
    _ method: HTTPMethod, _ path: String, for access: Access, isPage: Bool = false,
    _ handler: @escaping Handler
  ) {
    self.method = method
    self.access = access
    self.isPage = isPage
    self.handler = handler
    name = "/" + path
    pattern = path.split(separator: "/").map { segment in
      switch segment {
      case "{name}": .name
      case "{token}": .secret
      case _ where segment.hasPrefix("{"): .number
      default: .literal(String(segment))
      }
    }
  }

  /// Returns the call if the path matches the pattern.
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
      case .secret: call.secret = segment
      }
    }
    return call
  }
}

/// A part of a path pattern.
enum RouteSegment: Sendable, Equatable {
  case literal(String)
  /// An id: the decimal digits of a positive number.
  case number
  case name
  /// A text that must not get into a log.
  case secret
}

/// Finds the route for a request.
struct Router<Target: Sendable>: Sendable {
  enum Match: Sendable {
    case route(Route<Target>, index: Int, Call)
    /// The path exists, but not for this method.
    case wrongMethod(allowed: [HTTPMethod], isPage: Bool)
    case nothing
  }

  let routes: [Route<Target>]
  /// The indices of the routes by the first segment of the path.
  private let indices: [String: [Int]]

  init(_ routes: [Route<Target>]) {
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
    // A GET route also handles HEAD: the server omits the body.
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

  /// Returns a path for logs. What follows the beginning of a path with a secret is left out, also if the path has no route.
  ///
  /// - Parameter path: the path as received, percent-encoded.
  func pathWithoutSecrets(_ path: String) -> String {
    let pieces = path.utf8.split(separator: UInt8(ascii: "/")).map { Substring($0) }
    let secretRoots = secretRoots
    let index = pieces.firstIndex { piece in
      secretRoots.contains(PercentEncoding.decode(piece.utf8, plusIsSpace: false) ?? String(piece))
    }
    guard let index, index + 1 < pieces.count else { return path }
    return pieces[...index].map { "/\($0)" }.joined() + "/***"
  }

  /// The first segments of the routes with a secret.
  private var secretRoots: Set<String> {
    Set(
      routes.compactMap { route in
        guard route.pattern.contains(.secret), case .literal(let first)? = route.pattern.first else {
          return nil
        }
        return first
      })
  }
}
