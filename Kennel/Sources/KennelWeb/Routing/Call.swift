import HTTPService
import KennelModel
import KennelStorage

/// The sender of a request.
struct SiteVisitor: Sendable {
  /// The user, or nil if the visitor has not signed in.
  var user: User?
  /// The session token, if the visitor has a session.
  var token: SessionToken?
  /// The proof that the name and the password in the request were right, if it had them.
  var proof: SignInProof?
  /// The token of the other kennel that sent the request, if it has one.
  var peer: PeerToken?
}

/// A request with the values from its path.
struct Call: Sendable {
  var request: HTTPRequest
  /// The numbers in the path, in order.
  var numbers: [Int64] = []
  /// The name in the path, or an empty string if the route has none.
  var name = ""
  /// The secret in the path, or an empty string if the route has none.
  var secret = ""
  /// The sender, if the gate had to identify it.
  var visitor: SiteVisitor?
  /// Whether everyone may see what the route shows.
  var isOpenToEveryone = true
  /// The secret link in the path. If it leads to a post, the id is that of the post.
  var link: SecretLink?

  /// The first number in the path.
  var id: Int64 { numbers.first ?? 0 }
}

extension Call {
  /// Returns an id from the query, or nil if there is none.
  ///
  /// - Parameter orZero: whether 0 is also valid. It comes before all ids.
  /// - Throws: a problem if the value is not an id.
  func queryID(_ name: String, orZero: Bool = false) throws(Problem) -> Int64? {
    guard let text = request.query(name), !text.isEmpty else { return nil }
    if orZero, text == "0" { return 0 }
    guard let number = Int64(identifier: text) else {
      throw .badRequest("The parameter “\(name)” must be an id, such as ?\(name)=12.")
    }
    return number
  }

  /// Returns a number from the query.
  ///
  /// - Throws: a problem if the value is not a number or out of range. A value is never clamped silently, because the
  ///   client would take the result for complete.
  func queryNumber(_ name: String, default standard: Int, in range: ClosedRange<Int>) throws(Problem) -> Int {
    guard let text = request.query(name), !text.isEmpty else { return standard }
    guard let number = Int64(identifier: text).map(Int.init), range.contains(number) else {
      throw .badRequest(
        "The parameter “\(name)” must be a number from \(range.lowerBound) to \(range.upperBound), such as ?\(name)=\(standard)."
      )
    }
    return number
  }
}
