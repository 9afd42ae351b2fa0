import Foundation
import KennelStorage

extension Accounts {
  /// How long the link that creates the first account is valid, and a link that sets a password.
  package static let shortLinkLifetime = Duration.seconds(24 * 3600)
  /// The number of days for which an invitation is valid.
  package static let invitationDays = 1...90
  package static let defaultInvitationDays = 7
  /// The maximum number of invitations that are open at the same time.
  static let maximumInvitationCount: Int64 = 1000
  /// The maximum number of links for the first account.
  static let maximumFirstLinkCount: Int64 = 20

  // MARK: Making links

  /// Makes a link that creates the first account. Each process that starts makes one, so earlier ones still work. None works as soon
  /// as there is an account.
  ///
  /// - Returns: nil if there is an account.
  package func makeFirstOwnerLink() async throws(KennelError) -> NewAccountLink? {
    try await makeLink(lifetime: Self.shortLinkLifetime) { connection throws(KennelError) in
      if try connection.first("SELECT 1 FROM users LIMIT 1", row: { _ in true }) != nil { return nil }
      // A server that restarts again and again must not fill the table.
      try connection.run(
        """
        DELETE FROM account_links WHERE kind = 'first' AND id NOT IN (
          SELECT id FROM account_links WHERE kind = 'first' ORDER BY id DESC LIMIT ?)
        """, .integer(Self.maximumFirstLinkCount - 1))
      return (.firstOwner, nil)
    }
  }

  /// Makes a link that creates an account.
  ///
  /// - Parameters:
  ///   - days: the number of days for which it is valid.
  ///   - creator: the owner who invites, or nil at the terminal.
  package func invite(
    _ role: User.Role, days: Int = defaultInvitationDays, creator: User.ID? = nil
  ) async throws(KennelError) -> NewAccountLink {
    let range = Self.invitationDays
    let days = min(max(days, range.lowerBound), range.upperBound)
    let made = try await makeLink(lifetime: .seconds(days * 24 * 3600), creator: creator) {
      connection throws(KennelError) in
      let count = try connection.first("SELECT count(*) FROM account_links") { $0.integer(0) } ?? 0
      guard count < Self.maximumInvitationCount else {
        throw KennelError(.notAllowed, "There are too many open invitations. Revoke some first.")
      }
      return (.account(role), nil)
    }
    guard let made else { throw KennelError.noSuchLink }
    return made
  }

  /// Makes a link that sets a new password for a user. Earlier ones no longer work.
  ///
  /// - Parameter creator: the owner who makes it, or nil at the terminal.
  /// - Throws: `noSuchUser`.
  package func makePasswordLink(
    for user: User.ID, creator: User.ID? = nil
  ) async throws(KennelError) -> NewAccountLink {
    let made = try await makeLink(lifetime: Self.shortLinkLifetime, creator: creator) {
      connection throws(KennelError) in
      let name = try connection.first("SELECT name FROM users WHERE id = ?", .integer(user)) { $0.text(0) }
      guard let name else { throw KennelError.noSuchUser }
      try connection.run(#"DELETE FROM account_links WHERE "user" = ?"#, .integer(user))
      return (.password(user, name: name), user)
    }
    guard let made else { throw KennelError.noSuchUser }
    return made
  }

  private func makeLink(
    lifetime: Duration, creator: User.ID? = nil,
    prepare:
      @escaping @Sendable (any RecordConnection) throws(KennelError) -> (AccountLink.Purpose, User.ID?)?
  ) async throws(KennelError) -> NewAccountLink? {
    let token = SecretToken<AccountLink>()
    let now = Date(milliseconds: clock.now().milliseconds)
    let expires = now.addingTimeInterval(TimeInterval(lifetime.components.seconds))
    return try await database.write { transaction throws(KennelError) in
      let connection = transaction.connection
      try connection.run("DELETE FROM account_links WHERE expires <= ?", .integer(now.milliseconds))
      guard let (purpose, user) = try prepare(connection) else { return nil }
      let id = try connection.runReturningNumber(
        """
        INSERT INTO account_links (token, kind, role, "user", creator, created, expires)
        VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id
        """, .blob(token.digest), .text(purpose.kind), purpose.role.map { .text($0.rawValue) } ?? .null,
        user.map { .integer($0) } ?? .null, creator.map { .integer($0) } ?? .null,
        .integer(now.milliseconds), .integer(expires.milliseconds))
      let link = AccountLink(
        id: id, purpose: purpose, creator: nil, created: now, expires: expires)
      return NewAccountLink(token: token, link: link)
    }
  }

  // MARK: Open links

  /// Returns the open invitations, the latest first.
  package func invitations() async throws(KennelError) -> [AccountLink] {
    let now = clock.now().milliseconds
    return try await database.read { connection throws(KennelError) in
      try connection.rows(
        """
        SELECT l.id, l.kind, l.role, l.user, coalesce(u.name, ''), c.name, l.created, l.expires
        FROM account_links l LEFT JOIN users u ON u.id = l.user LEFT JOIN users c ON c.id = l.creator
        WHERE l.kind = 'account' AND l.expires > ? ORDER BY l.id DESC
        """, .integer(now), row: AccountLink.init(row:))
    }
  }

  /// Revokes an invitation. Does nothing if it was used or has expired.
  package func revokeInvitation(_ id: AccountLink.ID) async throws(KennelError) {
    try await database.write { transaction throws(KennelError) in
      _ = try transaction.connection.run(
        "DELETE FROM account_links WHERE id = ? AND kind = 'account'", .integer(id))
    }
  }

  /// Returns the link with a token.
  ///
  /// - Parameter address: the client's IP address. Attempts with links that do not exist are limited for each address.
  /// - Throws: `noSuchLink`, or `tooManyAttempts` with the seconds to wait.
  package func link(of token: SecretToken<AccountLink>?, address: String) async throws(KennelError)
    -> AccountLink
  {
    try linkLimiter.check(address)
    let now = clock.now().milliseconds
    guard let token,
      let link = try await database.read({ connection throws(KennelError) in
        try Self.link(of: token, now: now, connection)
      })
    else {
      try await linkLimiter.countFailure(address)
      throw KennelError.noSuchLink
    }
    return link
  }

  private static func link(
    of token: SecretToken<AccountLink>, now: Int64, _ connection: any RecordConnection
  ) throws(KennelError) -> AccountLink? {
    try connection.first(
      """
      SELECT l.id, l.kind, l.role, l.user, coalesce(u.name, ''), c.name, l.created, l.expires
      FROM account_links l LEFT JOIN users u ON u.id = l.user LEFT JOIN users c ON c.id = l.creator
      WHERE l.token = ? AND l.expires > ? AND (l.kind <> 'first' OR NOT EXISTS (SELECT 1 FROM users))
      """, .blob(token.digest), .integer(now), row: AccountLink.init(row:))
  }

  // MARK: Using links

  /// Creates the account of a link, or sets the password of its user. The link no longer works then.
  ///
  /// Of several uses at the same time, one succeeds. A use that fails because of the name or the password can be repeated.
  ///
  /// - Parameters:
  ///   - name: the name of the new account. It is ignored if the link sets a password.
  ///   - address: the client's IP address.
  /// - Returns: the user, who has signed in with this, and what the link was for.
  /// - Throws: `noSuchLink`, `badName`, `nameTaken`, `badPassword` or `tooManyAttempts`.
  package func use(
    _ token: SecretToken<AccountLink>?, name: String, password: String, address: String
  ) async throws(KennelError) -> (proof: SignInProof, purpose: AccountLink.Purpose) {
    let link = try await link(of: token, address: address)
    guard let token else { throw KennelError.noSuchLink }
    var chosen: UserName?
    switch link.purpose {
    case .password: break
    case .firstOwner, .account:
      let name = try UserName(name)
      // Before the password is hashed, which is expensive.
      if try await user(named: name.text) != nil { throw Self.nameTaken }
      chosen = name
    }
    try Self.check(password)
    let hash = try await hasher.hash(password)
    let now = clock.now()
    let user = try await database.write { [chosen] transaction throws(KennelError) in
      let connection = transaction.connection
      // Another use may have ended it meanwhile.
      guard let link = try Self.link(of: token, now: now.milliseconds, connection) else {
        throw KennelError.noSuchLink
      }
      try connection.run("DELETE FROM account_links WHERE id = ?", .integer(link.id))
      switch (link.purpose, chosen) {
      case (.firstOwner, let name?):
        return try Self.insert(name, role: .owner, password: hash, created: now, connection)
      case (.account(let role), let name?):
        return try Self.insert(name, role: role, password: hash, created: now, connection)
      case (.password(let id, _), _):
        try Self.setPassword(hash: hash, of: id, keeping: nil, connection)
        let user = try connection.first(
          """
          SELECT id, name, role, created, language, (SELECT version FROM user_pictures WHERE "user" = users.id)
          FROM users WHERE id = ?
          """, .integer(id),
          row: User.init(row:))
        guard let user else { throw KennelError.noSuchUser }
        return user
      default: throw KennelError.noSuchLink
      }
    }
    discardVerifiedCredentials(of: user.id)
    return (SignInProof(user: user, passwordHash: hash), link.purpose)
  }
}

extension AccountLink.Purpose {
  fileprivate var kind: String {
    switch self {
    case .firstOwner: "first"
    case .account: "account"
    case .password: "password"
    }
  }

  fileprivate var role: User.Role? { if case .account(let role) = self { role } else { nil } }
}

extension AccountLink {
  /// Creates a link from the columns id, kind, role, user, the user's name, the creator's name, created and expires.
  fileprivate init(row: borrowing RecordRow) throws(KennelError) {
    let purpose: Purpose
    switch (row.text(1), User.Role(rawValue: row.text(2))) {
    case ("first", _): purpose = .firstOwner
    case ("account", let role?): purpose = .account(role)
    case ("password", _): purpose = .password(row.integer(3), name: row.text(4))
    default: throw KennelError(.damaged, "A link has an unknown kind. Restore a backup.")
    }
    self.init(
      id: row.integer(0), purpose: purpose, creator: row.isNull(5) ? nil : row.text(5),
      created: Date(milliseconds: row.integer(6)), expires: Date(milliseconds: row.integer(7)))
  }
}

extension KennelError {
  static let noSuchLink = KennelError(
    .noSuchLink,
    "This link does not work any more: it was used, has expired or was revoked. Ask the person who sent it for a new one."
  )
}
