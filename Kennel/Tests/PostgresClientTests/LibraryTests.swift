import Testing

@testable import PostgresClient

@Suite struct LibraryTests {
  @Test func `a library that is not installed is an error, and not a crash`() {
    #expect(throws: (any Error).self) { try LibPQ("libnot-a-library.so.5") }
    #expect(throws: (any Error).self) { try LibPQ("libc.so.6") }
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
