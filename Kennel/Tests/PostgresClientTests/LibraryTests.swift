import Testing

@testable import PostgresClient

@Suite struct LibraryTests {
  @Test func `a library that is not installed is an error, and not a crash`() {
    #expect(throws: (any Error).self) { try LibPQ("libnot-a-library.so.5") }
    #expect(throws: (any Error).self) { try LibPQ("libc.so.6") }
  }

  @Test(
    arguments: [
      ("localhost (::1), port 5432 failed: FATAL:  28P01: password authentication failed", .wrongPassword),
      ("localhost (::1), port 5432 failed: FATAL:  28000: no pg_hba.conf entry for host", .wrongPassword),
      ("localhost (::1), port 5432 failed: fe_sendauth: no password supplied", .wrongPassword),
      ("localhost (::1), port 5432 failed: FATAL:  53300: sorry, too many clients already", .busy),
      ("localhost (::1), port 5432 failed: FATAL:  3D000: database \"a\" does not exist", .noSuchDatabase),
      (
        "localhost (::1), port 5432 failed: FATAL:  57P03: the database system is starting up", .cannotConnect
      ),
      ("on socket \"/password/too many/.s.PGSQL.5432\" failed: No such file or directory", .cannotConnect),
      ("on socket \"/pg_hba.conf/.s.PGSQL.5432\" failed: Connection refused", .cannotConnect),
    ] as [(String, PostgresError.Code)])
  func `an error of connecting is known by the server's code, not by its words`(
    _ message: String, _ code: PostgresError.Code
  ) {
    let error = PostgresError.connecting("connection to server at \(message)")
    #expect(error.code == code)
    #expect(error.sqlState.map { error.description.contains($0) } != true)
  }

  @Test(arguments: ["08006", "25006", "53200", "53400", "58030", "58P01", "57P03"])
  func `a server that cannot do something now is busy or cannot be reached`(_ state: String) {
    let error = PostgresError.server(state, "why", constraint: nil)
    #expect(error.code == .busy || error.code == .cannotConnect)
    #expect(PostgresError.server("53100", "why", constraint: nil).code == .diskFull)
  }

  @Test func `a connection prepares a statement once`() {
    var machine = ConnectionMachine()
    machine.connected()
    #expect(machine.begin(key: 1) == .prepare(name: "s1", 1))
    #expect(machine.effect == .none)
    #expect(machine.received(error: nil) == .send(name: "s1"))
    #expect(machine.effect == .unknown)
    #expect(machine.received(error: nil) == .finish)
    #expect(machine.begin(key: 1) == .send(name: "s1"))
    #expect(machine.received(error: nil) == .finish)
    #expect(machine.begin(key: nil) == .sendScript)
  }

  @Test func `a statement that could not be prepared is prepared again`() {
    var machine = ConnectionMachine()
    machine.connected()
    _ = machine.begin(key: 1)
    #expect(machine.received(error: PostgresError(.failed, "")) == .finish)
    #expect(machine.begin(key: 1) == .prepare(name: "s2", 1))
  }

  @Test func `a plan that the server refuses is made again under another name`() {
    var machine = ConnectionMachine()
    machine.connected()
    _ = machine.begin(key: 1)
    _ = machine.received(error: nil)
    #expect(machine.received(error: PostgresError(.failed, "", sqlState: "0A000")) == .finish)
    #expect(machine.begin(key: 1) == .prepare(name: "s2", 1))
  }

  @Test func `results that come after the end are ignored`() {
    var machine = ConnectionMachine()
    machine.connected()
    #expect(machine.received(error: nil) == .nothing)
    machine.close()
    #expect(machine.received(error: nil) == .nothing)
    #expect(machine.begin(key: 1) == .close)
  }

  @Test func `a reader that is too slow for its messages learns that some are missing`() async {
    let (stream, continuation) = AsyncStream.makeStream(
      of: PostgresNotifications.Element.self, bufferingPolicy: .bufferingNewest(4))
    for number in 1...10 {
      let message = PostgresNotification(channel: "dogs", payload: "\(number)", process: 1)
      PostgresNotifications.deliver(message, to: continuation)
    }
    continuation.finish()
    var seen: [PostgresNotifications.Element] = []
    for await event in stream { seen.append(event) }
    #expect(seen.count == 4)
    #expect(seen.contains(.missed))
    #expect(seen.contains(.notification(PostgresNotification(channel: "dogs", payload: "10", process: 1))))
  }
}
