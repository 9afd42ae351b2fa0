@testable import KennelWeb

/// Those who send requests to a kennel that is only for people with an account.
enum Sender: String, CaseIterable {
  case stranger = "Strangers"
  case linkHolder = "With a secret link"
  case peer = "Other kennels"
  case person = "People"
  case owner = "Owners"
}

extension Access {
  /// Those who may use a route of a kennel that is only for people.
  var senders: Set<Sender> {
    switch self {
    case .everyone: Set(Sender.allCases)
    case .lookers, .people: [.person, .owner]
    case .lookersAndPeers: [.peer, .person, .owner]
    case .owners: [.owner]
    case .linkHolders: Set(Sender.allCases)
    }
  }

  /// Whether strangers may use such a route too if everyone may see the photos.
  var isOpenable: Bool { self == .lookers || self == .lookersAndPeers }
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
    if route.access == .linkHolders { return sender == .linkHolder ? "yes" : "" }
    if route.access.senders.contains(sender) { return "yes" }
    return route.access.isOpenable ? "if open" : ""
  }
}
