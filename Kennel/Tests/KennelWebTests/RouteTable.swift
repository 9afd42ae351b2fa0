@testable import KennelWeb

/// Those who send requests to a kennel that is only for people with an account.
enum Sender: String, CaseIterable {
  case stranger = "Strangers"
  case linkHolder = "With a link to a photo"
  case albumLinkHolder = "With a link to an album"
  case feedReader = "With the address of a feed"
  case peer = "Other kennels"
  case viewer = "Viewers"
  case member = "Members"
  case owner = "Owners"
}

extension Access {
  /// Those who may use a route of a kennel that is only for people.
  var senders: Set<Sender> {
    switch self {
    case .everyone: Set(Sender.allCases)
    case .lookers, .people: [.viewer, .member, .owner]
    case .lookersAndPeers: [.peer, .viewer, .member, .owner]
    case .sharers: [.member, .owner]
    case .owners: [.owner]
    case .linkHolders: [.linkHolder, .albumLinkHolder]
    case .photoLinkHolders: [.linkHolder]
    case .albumLinkHolders: [.albumLinkHolder]
    case .feedReaders: [.feedReader]
    }
  }

  /// Whether strangers may use such a route too if everyone may see the photos.
  var isOpenable: Bool { self == .lookers || self == .lookersAndPeers }
}

extension Route<Endpoints> {
  /// A path that matches the pattern of the route.
  func path(id: Int = 1, secret: String = String(repeating: "A", count: 43)) -> String {
    let segments = pattern.map { segment in
      switch segment {
      case .literal(let text): text
      case .number: "\(id)"
      case .name: "app.js"
      case .secret: secret
      }
    }
    return "/" + segments.joined(separator: "/")
  }
}

/// The table of all routes in docs/kennel-routes.md.
enum RouteTable {
  static var text: String {
    let head = ["Route"] + Sender.allCases.map(\.rawValue)
    let rows = Endpoints.router.routes.map { route in
      ["`\(route.method) \(route.name)`"] + Sender.allCases.map { cell(route, $0) }
    }
    return ([head, head.map { _ in "---" }] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
  }

  private static func cell(_ route: Route<Endpoints>, _ sender: Sender) -> String {
    if route.access.senders.contains(sender) { return "yes" }
    return route.access.isOpenable ? "if open" : ""
  }
}
