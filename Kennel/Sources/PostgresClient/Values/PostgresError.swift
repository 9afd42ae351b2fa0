import Foundation

/// An error of PostgreSQL, or of the connection to it. It contains no password.
package struct PostgresError: Error, Sendable, Hashable, LocalizedError, CustomStringConvertible {
  /// The kind of an error. Later versions may add more.
  package struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// libpq is not installed.
    package static let libraryMissing = Code("libraryMissing")
    /// The address of the database is not valid.
    package static let badAddress = Code("badAddress")
    /// The server cannot be reached, or does not accept connections now.
    package static let cannotConnect = Code("cannotConnect")
    /// The server does not accept the name or the password.
    package static let wrongPassword = Code("wrongPassword")
    /// The database does not exist.
    package static let noSuchDatabase = Code("noSuchDatabase")
    /// The server, or this program, has too many connections or too much work. The call may be repeated.
    package static let busy = Code("busy")
    /// The connection was lost, and it is not known whether the statement had an effect.
    package static let connectionLost = Code("connectionLost")
    /// Other transactions changed the same rows, and this one was rolled back. The call may be repeated.
    package static let conflict = Code("conflict")
    /// The change would violate a constraint of the database.
    package static let constraint = Code("constraint")
    /// A value cannot be stored, or has another type than expected.
    package static let badValue = Code("badValue")
    /// The result has more rows or bytes than are allowed.
    package static let tooLarge = Code("tooLarge")
    /// The server has no space left.
    package static let diskFull = Code("diskFull")
    /// The user lacks a permission.
    package static let notAllowed = Code("notAllowed")
    /// The call was cancelled.
    package static let cancelled = Code("cancelled")
    /// The pool was closed.
    package static let closed = Code("closed")
    /// Another error of the server.
    package static let failed = Code("failed")

    /// The name of the code.
    package var description: String { name }
  }

  /// The kind of error.
  package var code: Code
  /// The server's code of five characters (SQLSTATE), or nil if the error does not come from the server.
  package var sqlState: String?
  /// The name of the constraint, for `constraint`.
  package var constraint: String?
  /// What happened, and what to do.
  package var description: String
  /// The same as ``description``.
  package var errorDescription: String? { description }

  package init(_ code: Code, _ description: String, sqlState: String? = nil, constraint: String? = nil) {
    self.code = code
    self.description = description
    self.sqlState = sqlState
    self.constraint = constraint
  }

  /// Whether a row refers to another row that does not exist.
  package var isMissingReference: Bool { sqlState == "23503" }
  /// Whether the row exists already.
  package var isDuplicate: Bool { sqlState == "23505" }

  static let cancelled = PostgresError(.cancelled, "The operation was cancelled.")
  static let closed = PostgresError(.closed, "The connections to the database are closed.")
  static let unknownOutcome = PostgresError(
    .connectionLost,
    "The connection to the database was lost. The last change may have been made or not. Check it, then try again."
  )

  /// Returns the error for a server's code and message.
  static func server(_ state: String, _ message: String, constraint: String?) -> PostgresError {
    func make(_ code: Code, _ text: String) -> PostgresError {
      PostgresError(code, text, sqlState: state, constraint: constraint)
    }
    switch state {
    case "40001", "40P01":
      return make(.conflict, "Other changes were made at the same time (\(message)). Try again.")
    case "57014": return make(.cancelled, "The operation was cancelled.")
    // A standby refuses changes, with the second code if a transaction asks to write.
    case _ where state == "25006" || state == "0A000" && message.contains("recovery"):
      return make(
        .busy, "The database does not accept changes now (\(message)). Try again, or check the server.")
    case "53300":
      return make(
        .busy, "The database has too many connections (\(message)). Allow more, or use fewer in each program."
      )
    case "53100":
      return make(.diskFull, "There is no space left for the database (\(message)). Free some space.")
    case "57P03": return make(.cannotConnect, "The database is starting or stopping. Try again in a moment.")
    case "57P01", "57P02":
      return make(.cannotConnect, "The database was stopped (\(message)). Try again when it has restarted.")
    case "28P01", "28000":
      return make(
        .wrongPassword, "The database does not accept the name or the password (\(message)). Check both.")
    case "3D000": return make(.noSuchDatabase, "\(message). Create it, or check its name.".capitalizedFirst)
    case "42501": return make(.notAllowed, "The database refused access (\(message)). Grant the permission.")
    case _ where state.hasPrefix("08"):
      return make(
        .cannotConnect, "The connection to the database failed (\(message)). Try again in a moment.")
    // A resource or the operating system of the server.
    case _ where state.hasPrefix("53") || state.hasPrefix("58"):
      return make(
        .busy, "The database cannot do this now (\(message)). Try again in a moment, or check the server.")
    case _ where state.hasPrefix("23"):
      return make(.constraint, "The change would violate a database constraint (\(message)).")
    case _ where state.hasPrefix("22"): return make(.badValue, "The database refused a value (\(message)).")
    default: return make(.failed, "The database returned an error (\(state): \(message)).")
    }
  }
}

extension PostgresError {
  /// Returns the error for a failed attempt to connect.
  ///
  /// - Parameter message: libpq's message with the server's code, such as `connection to server … failed: FATAL:  28P01: …`. There is no
  ///   code if the server has not answered.
  static func connecting(_ message: String) -> PostgresError {
    // The rest may contain any text, such as the path of a socket.
    guard
      let state = message.components(separatedBy: ":  ").last(where: isCoded).map({ String($0.prefix(5)) })
    else {
      if message.hasSuffix("no password supplied") { return wrongPassword(message, state: nil) }
      return cannotConnect(message, state: nil)
    }
    let text = message.replacingOccurrences(of: ":  \(state): ", with: ": ")
    switch state {
    case _ where state.hasPrefix("28"): return wrongPassword(text, state: state)
    case "53300":
      return PostgresError(
        .busy, "The database has too many connections (\(text)). Allow more, or use fewer in each program.",
        sqlState: state)
    case "3D000":
      return PostgresError(
        .noSuchDatabase, "The database does not exist (\(text)). Create it, or check its name.",
        sqlState: state)
    default: return cannotConnect(text, state: state)
    }
  }

  /// Whether a text begins with a server's code and a colon.
  private static func isCoded(_ text: String) -> Bool {
    text.utf8.prefix(5).allSatisfy { (48...57).contains($0) || (65...90).contains($0) }
      && text.utf8.dropFirst(5).starts(with: ": ".utf8)
  }

  private static func wrongPassword(_ message: String, state: String?) -> PostgresError {
    PostgresError(
      .wrongPassword, "The database does not accept the name or the password (\(message)). Check both.",
      sqlState: state)
  }

  private static func cannotConnect(_ message: String, state: String?) -> PostgresError {
    PostgresError(
      .cannotConnect,
      "Could not connect to the database (\(message)). Check its address and that it is running.",
      sqlState: state)
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}

/// A failed operation, and what is known about its effect.
struct PostgresFailure: Error, Sendable {
  enum Effect: Sendable, Hashable {
    /// The operation certainly had no effect.
    case none
    /// The operation may have had an effect.
    case unknown
  }

  var error: PostgresError
  var effect = Effect.none
  /// Whether the connection cannot be used any more.
  var isConnectionLost = false
}
