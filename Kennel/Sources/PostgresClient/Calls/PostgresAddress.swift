import Foundation

/// Where a database is, and how to sign in: `postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full`, or libpq's other
/// form `host=… dbname=…`.
///
/// What the text leaves out, libpq takes from the variables `PGHOST`, `PGUSER`, `PGPASSWORD` and so on, and from
/// `~/.pgpass`. No description contains a password.
package struct PostgresAddress: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  private let text: String
  /// The parts of the text that are not secret.
  package let description: String
  /// The same as ``description``.
  package var customMirror: Mirror { Mirror(self, children: ["description": description]) }

  /// - Throws: `libraryMissing`; `badAddress` if libpq does not understand the text.
  package init(_ text: String) throws(PostgresError) {
    let library = try LibPQ.shared()
    let isURL = text.hasPrefix("postgres://") || text.hasPrefix("postgresql://")
    // libpq's message may contain the password.
    guard isURL || text.contains("="), !text.utf8.contains(0), let list = library.parseConnection(text, nil)
    else {
      throw PostgresError(
        .badAddress, "The address of the database is not valid. Write postgres://USER@HOST/DATABASE.")
    }
    defer { library.freeOptions(list) }
    var values: [String: String] = [:]
    var option = list.assumingMemoryBound(to: LibPQ.Option.self)
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.value { values[String(cString: keyword)] = String(cString: value) }
      option += 1
    }
    // An @ or a slash in a password ends it early. The rest of the password, with an @ behind it, is then in the name of the host or
    // of the database.
    let place = text.utf8.drop { $0 != UInt8(ascii: "/") }.dropFirst(2).prefix { $0 != UInt8(ascii: "?") }
    let path = place.drop { $0 != UInt8(ascii: "/") }
    guard !isURL || place.count(where: { $0 == UInt8(ascii: "@") }) <= 1 && !path.contains(UInt8(ascii: "@"))
    else {
      throw PostgresError(
        .badAddress,
        "The address of the database is not valid: its host or its database has an @. Write special characters of a password as % escapes, such as %40 for @ and %2F for /."
      )
    }
    // libpq checks the port when it connects.
    let ports = values["port", default: ""].split(separator: ",")
    guard ports.allSatisfy({ Int($0).map { (1...65535).contains($0) } ?? false }) else {
      throw PostgresError(
        .badAddress, "The port in the address of the database is not valid. Write a number from 1 to 65535.")
    }
    self.text = text
    let port = values["port"].map { ":\($0)" } ?? ""
    let user = values["user"].map { "\($0)@" } ?? ""
    description = "postgres://\(user)\(values["host"] ?? "")\(port)/\(values["dbname"] ?? "")"
  }

  /// The parameters for libpq. Later ones override those of the text.
  var parameters: [(String, String)] {
    // The text may override what is before it. The times are in seconds, and the last one in milliseconds: a server that
    // disappears does not keep a connection waiting for hours.
    [
      ("fallback_application_name", "kennel"), ("keepalives_idle", "15"), ("keepalives_interval", "5"),
      ("keepalives_count", "3"), ("tcp_user_timeout", "30000"), ("dbname", text), ("client_encoding", "UTF8"),
    ]
  }
}

/// A message that a connection sent with `NOTIFY`.
package struct PostgresNotification: Sendable, Hashable {
  /// The channel.
  package var channel: String
  /// The text of the message; empty if it has none.
  package var payload: String
  /// The server process of the connection that sent it.
  package var process: Int32
}
