import HTTPService
import KennelModel
import KennelStorage

/// Decides which visitors may use a route.
struct Gate: Sendable {
  let store: KennelStore
  let visitors: Visitors
  /// Whether the settings of the server open the kennel, also if its owner decided otherwise.
  let isForcedOpen: Bool

  /// Whether everyone may see the photos.
  func isOpen() async throws(KennelError) -> Bool {
    if isForcedOpen { return true }
    return try await store.visibility().isOpenToEveryone
  }

  /// Identifies the visitor, if that matters for the route.
  ///
  /// - Throws: a problem with status 401 if the visitor must sign in, or 403 if the user's role may not use the route.
  func admit(_ call: inout Call, to access: Access) async throws {
    if access == .everyone { return }
    call.isOpenToEveryone = try await isOpen()
    if access == .lookers, call.isOpenToEveryone { return }
    let visitor = try await visitors.visitor(of: call)
    guard let user = visitor.user else {
      throw access == .lookers
        ? Problem(.unauthorized, "The photos here are only for people with an account. Sign in to see them.")
        : Problem.signInRequired
    }
    guard access.admits(user.role) else { throw Problem(.forbidden, access.refusal) }
    call.visitor = visitor
  }

  /// Whether a visitor who was admitted may still see the photos: sessions end, and a kennel may be closed to others.
  func stillAdmits(_ visitor: SiteVisitor) async throws(KennelError) -> Bool {
    if try await isOpen() { return true }
    guard let user = visitor.user else { return false }
    guard let token = visitor.token else { return try await visitors.accounts.user(user.id) != nil }
    return try await visitors.accounts.user(of: token) != nil
  }
}
