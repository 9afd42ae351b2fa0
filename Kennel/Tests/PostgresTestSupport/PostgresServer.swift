import Foundation
import Glibc
import PostgresClient
import Synchronization
import TestSupport

/// PostgreSQL with an empty database, on a socket in a directory of its own. It ends with this process.
package final class PostgresServer: Sendable {
  /// The latest version of PostgreSQL that is installed; 0 if there is none.
  private static let version: Int = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return names.compactMap { Int($0) }.filter {
      FileManager.default.isExecutableFile(atPath: "\(programs(ofVersion: $0))/postgres")
    }.max() ?? 0
  }()

  private static func programs(ofVersion version: Int) -> String { "/usr/lib/postgresql/\(version)/bin" }

  /// The directory of PostgreSQL's programs; nil if it is not installed.
  private static let programs = version > 0 ? programs(ofVersion: version) : nil

  /// Where the files of servers are: in memory if there is room. Each test has a database with hundreds of files, which takes twelve
  /// times as long to make on a disk.
  private static let place: String = {
    var space = statvfs()
    let memory = "/dev/shm"
    guard access(memory, W_OK) == 0, statvfs(memory, &space) == 0 else { return "/tmp" }
    return UInt64(space.f_bavail) * UInt64(space.f_bsize) > 2 << 30 ? memory : "/tmp"
  }()

  /// Whether PostgreSQL is installed.
  package static var isAvailable: Bool { programs != nil }

  /// The server that most tests use. They must not stop it.
  package static let shared: Result<PostgresServer, any Error> = Result { try PostgresServer() }

  private let directory: String
  private let connections: Int
  private let process: Mutex<ChildProcess>
  private let administration = Mutex<BlockingPostgresConnection?>(nil)
  /// Another connection, because removing a database takes longer, and nobody should wait for it.
  private let removals = Mutex<BlockingPostgresConnection?>(nil)

  /// Starts a server.
  ///
  /// - Parameter connections: the number of connections that it accepts from users without privileges.
  package init(connections: Int = maximumConnections) throws {
    guard let programs = Self.programs else { throw TestSupportError("PostgreSQL is not installed.") }
    var template = Array("\(Self.place)/kennel-postgres-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw TestSupportError("Could not create a directory for PostgreSQL.")
    }
    let directory = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    self.directory = directory
    self.connections = connections
    Removal.add(directory)
    // The server refuses to run as root.
    if let account = Self.account { chown(directory, account.user, account.group) }
    let data = "\(directory)/data"
    try ChildProcess.run(
      Self.prefix + [
        "\(programs)/initdb", "-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C",
        "--no-sync",
      ], within: .seconds(120))
    let rules = "local all locked scram-sha-256\nlocal all all trust\n"
    try Data(rules.utf8).write(to: URL(fileURLWithPath: "\(data)/pg_hba.conf"))
    process = Mutex(try Self.start(programs, directory, connections))
  }

  deinit { stop() }

  /// Ends the server as a crash would, and waits for the end.
  package func stop() {
    process.withLock { process in
      guard process.isRunning else { return }
      // SIGQUIT is the immediate shutdown.
      process.send(signal: SIGQUIT)
      _ = process.waitForEnd(within: .seconds(20))
    }
  }

  /// Starts the server again. It may not accept connections yet.
  package func start() throws {
    guard let programs = Self.programs else { return }
    let new = try Self.start(programs, directory, connections)
    process.withLock { $0 = new }
  }

  /// The address of the database.
  package func address(user: String = "owner", password: String? = nil) throws -> PostgresAddress {
    try PostgresAddress("postgres://\(user)\(password.map { ":\($0)" } ?? "")@/postgres?host=\(directory)")
  }

  /// A new pool for the database.
  package func pool(_ change: (inout PostgresPool.Limits) -> Void = { _ in }) throws -> PostgresPool {
    var limits = PostgresPool.Limits()
    limits.connectTime = .seconds(60)
    limits.startingTime = .seconds(60)
    change(&limits)
    return PostgresPool(try address(), limits: limits)
  }

  /// Makes an empty database, and returns its address.
  package func makeDatabase() async throws -> String {
    address(ofDatabase: try await runOnThread { try self.createDatabase() })
  }

  /// Makes a database, and returns its name. It blocks briefly.
  ///
  /// - Parameter template: the name of a database to copy, which nobody uses; nil for an empty one.
  package func createDatabase(template: String? = nil) throws -> String {
    let name = "kennel_\(UUID().uuidString.lowercased().filter { $0 != "-" })"
    let copied = template.map { " TEMPLATE \($0)" } ?? ""
    // Without this, version 15 and later write the copy to the log, too.
    try run("CREATE DATABASE \(name)\(copied)" + (Self.version >= 15 ? " STRATEGY FILE_COPY" : ""))
    return name
  }

  /// The address of a database.
  package func address(ofDatabase name: String) -> String { "postgres://owner@/\(name)?host=\(directory)" }

  /// Removes a database, also while it is used. It blocks briefly.
  package func removeDatabase(at address: String) throws {
    // Its name is all that differs from the address without a name.
    let parts = self.address(ofDatabase: "|").split(separator: "|")
    guard parts.count == 2, address.hasPrefix(parts[0]), address.hasSuffix(parts[1]) else { return }
    let name = address.dropFirst(parts[0].count).dropLast(parts[1].count)
    try removals.withLock { try run("DROP DATABASE IF EXISTS \(name) WITH (FORCE)", on: &$0) }
  }

  /// Ends all connections to a database, and allows no others. It blocks briefly.
  package func disconnectAll(from name: String) throws {
    try run("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
    try run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(name)'")
  }

  /// Runs a statement on a connection that is kept.
  private func run(_ statement: String) throws {
    try administration.withLock { try run(statement, on: &$0) }
  }

  /// Runs a statement, and connects first if that is necessary. The server may still be starting.
  private func run(_ statement: String, on connection: inout BlockingPostgresConnection?) throws {
    let end = ContinuousClock.now + .seconds(60)
    while connection?.isLost != false {
      do { connection = try BlockingPostgresConnection(address()) } catch {
        guard ContinuousClock.now < end else { throw error }
        usleep(20_000)
      }
    }
    _ = try connection?.execute(.script(statement))
  }

  /// The number of connections that the server accepts from users without privileges.
  package static let maximumConnections = 30

  private static func start(_ programs: String, _ directory: String, _ connections: Int) throws
    -> ChildProcess
  {
    try ChildProcess(
      prefix + [
        "\(programs)/postgres", "-D", "\(directory)/data", "-k", directory, "-c", "listen_addresses=", "-c",
        "fsync=off",
        "-c", "max_connections=\(connections + 3)", "-c", "shared_buffers=16MB", "-c",
        "max_wal_senders=0", "-c", "wal_level=minimal", "-c", "full_page_writes=off", "-c", "autovacuum=off",
      ], output: "\(directory)/log")
  }

  private static let account: (user: uid_t, group: gid_t)? = {
    guard geteuid() == 0, let entry = getpwnam("postgres") else { return nil }
    return (entry.pointee.pw_uid, entry.pointee.pw_gid)
  }()

  private static var prefix: [String] {
    account == nil ? [] : ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
  }

  /// Removes the directories when the process ends.
  private enum Removal {
    private static let directories = Mutex<[String]>([])

    static func add(_ directory: String) {
      let isFirst = directories.withLock { directories in
        directories.append(directory)
        return directories.count == 1
      }
      if isFirst { atexit { Removal.removeAll() } }
    }

    private static func removeAll() {
      for directory in directories.withLock({ $0 }) { try? FileManager.default.removeItem(atPath: directory) }
    }
  }
}
