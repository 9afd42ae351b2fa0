/// What a person does with one request.
package enum ActionKind: String, Sendable, Hashable, CaseIterable, Codable {
  /// Opens the page with the photos.
  case page
  /// Loads the list of posts as JSON.
  case list
  /// Loads a thumbnail.
  case thumbnail
  /// Loads a thumbnail again that the person has, so that the server answers with 304.
  case unchanged
  /// Gives or removes a heart.
  case heart
  /// Writes a comment.
  case comment
  /// Uploads a photo.
  case upload

  /// Whether the action needs an account.
  package var isChange: Bool { self == .heart || self == .comment || self == .upload }
}

/// How often each kind of action is chosen, relative to the others.
package struct ActionMix: Sendable, Equatable {
  /// The weights of the kinds, in the order of `ActionKind.allCases`. Kinds with the weight 0 are left out.
  package let weights: [(kind: ActionKind, weight: Int)]

  package static let maximumWeight = 1_000_000

  /// People who mostly look.
  package static let everyone = ActionMix([
    .page: 10, .list: 5, .thumbnail: 50, .unchanged: 15, .heart: 15, .comment: 3, .upload: 2,
  ])
  /// Visitors without an account, who only look.
  package static let strangers = ActionMix([.page: 10, .list: 5, .thumbnail: 60, .unchanged: 25])

  private init(_ weights: [ActionKind: Int]) {
    self.weights = ActionKind.allCases.compactMap { kind in
      weights[kind].flatMap { $0 > 0 ? (kind, $0) : nil }
    }
  }

  /// Parses a text such as `page=10,heart=5`. Returns nil if it is not valid, or all weights are 0.
  package init?(_ text: String) {
    var weights: [ActionKind: Int] = [:]
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let words = part.split(separator: "=", omittingEmptySubsequences: false)
      guard words.count == 2, let kind = ActionKind(rawValue: String(words[0])), weights[kind] == nil,
        let weight = Int(words[1]), (0...Self.maximumWeight).contains(weight)
      else { return nil }
      weights[kind] = weight
    }
    self.init(weights)
    if self.weights.isEmpty { return nil }
  }

  /// The sum of all weights. It is positive.
  package var total: Int { weights.reduce(0) { $0 + $1.weight } }

  package var hasChanges: Bool { weights.contains { $0.kind.isChange } }

  package func contains(_ kind: ActionKind) -> Bool { weights.contains { $0.kind == kind } }

  package static func == (one: ActionMix, other: ActionMix) -> Bool {
    one.weights.elementsEqual(other.weights) { $0 == $1 }
  }
}
