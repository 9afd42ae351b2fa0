import Foundation
import Retriever
import TinyServer
import XCTest

final class ChatClientTests: XCTestCase {
  // Unchecked because a lock protects the variables.
  private final class Log: ChatClientDelegate, @unchecked Sendable {
    private let lock = NSLock()
    private var events: [String] = []
    private var waiting: [(count: Int, expectation: XCTestExpectation)] = []

    var all: [String] {
      lock.lock()
      defer { lock.unlock() }
      return events
    }

    private func add(_ event: String) {
      lock.lock()
      events.append(event)
      let reached = waiting.filter { $0.count <= events.count }
      waiting.removeAll { $0.count <= events.count }
      lock.unlock()
      reached.forEach { $0.expectation.fulfill() }
    }

    func expectation(for count: Int) -> XCTestExpectation {
      let expectation = XCTestExpectation(description: "\(count) events")
      lock.lock()
      let isReached = events.count >= count
      if !isReached { waiting.append((count, expectation)) }
      lock.unlock()
      if isReached { expectation.fulfill() }
      return expectation
    }

    func chat(_ client: ChatClient, didReceive text: String) { add(text) }
    func chatDidConnect(_ client: ChatClient) { add("connected") }
    func chat(
      _ client: ChatClient, didDisconnectWith code: URLSessionWebSocketTask.CloseCode, reason: String?
    ) {
      add("closed \(code.rawValue) \(reason ?? "")")
    }
  }

  /// Echoes messages. "drop" ends the connection without a Close frame, "kick" with one.
  private func makeServer() throws -> TinyServer {
    try TinyServer { connection in
      try connection.acceptWebSocket()
      while true {
        let frame = try connection.readFrame()
        switch (frame.opcode, frame.text) {
        case (8, _): return try connection.writeFrame(8, frame.payload)
        case (9, _): try connection.writeFrame(10, frame.payload)
        case (1, "drop"): return
        case (1, "kick"):
          try connection.writeClose(4001, "kicked")
          _ = try connection.readFrame()
          return
        default: try connection.writeFrame(frame.opcode, frame.payload)
        }
      }
    }
  }

  func testMessagesPingsAndTheEnd() throws {
    let server = try makeServer()
    defer { server.stop() }
    let log = Log()
    let client = ChatClient(url: server.url(scheme: "ws"))
    client.delegate = log
    client.connect()
    client.send("hello")
    wait(for: [log.expectation(for: 2)], timeout: 20)
    XCTAssertEqual(log.all, ["connected", "hello"])
    let pong = expectation(description: "pong")
    client.ping { error in
      XCTAssertNil(error)
      pong.fulfill()
    }
    waitForExpectations(timeout: 20)
    client.disconnect()
    wait(for: [log.expectation(for: 3)], timeout: 20)
    XCTAssertEqual(log.all.last, "closed 1001 bye")
    client.invalidate()
  }

  func testALostConnectionIsMadeAgain() throws {
    let server = try makeServer()
    defer { server.stop() }
    let log = Log()
    let client = ChatClient(url: server.url(scheme: "ws"))
    client.delegate = log
    client.connect()
    wait(for: [log.expectation(for: 1)], timeout: 20)
    client.send("drop")
    wait(for: [log.expectation(for: 2)], timeout: 20)
    client.send("again")
    wait(for: [log.expectation(for: 3)], timeout: 20)
    XCTAssertEqual(log.all, ["connected", "connected", "again"])
    XCTAssertEqual(client.reconnects, 1)
    client.disconnect()
    client.invalidate()
  }

  func testTheServerClosesTheConnection() throws {
    let server = try makeServer()
    defer { server.stop() }
    let log = Log()
    let client = ChatClient(url: server.url(scheme: "ws"))
    client.maximumReconnects = 0
    client.delegate = log
    client.connect()
    client.send("kick")
    wait(for: [log.expectation(for: 2)], timeout: 20)
    XCTAssertEqual(log.all, ["connected", "closed 4001 kicked"])
    let failed = expectation(description: "sending fails")
    client.send("late") { error in
      XCTAssertNotNil(error)
      failed.fulfill()
    }
    waitForExpectations(timeout: 20)
    client.invalidate()
  }

  func testTheAsyncRoom() async throws {
    let server = try makeServer()
    defer { server.stop() }
    let room = ChatRoom(url: server.url(scheme: "ws"))
    for number in 0..<20 { try await room.say("message \(number)") }
    var received: [String] = []
    for try await text in room.messages() {
      received.append(text)
      if received.count == 20 { break }
    }
    XCTAssertEqual(received, (0..<20).map { "message \($0)" })
    try await room.say("kick")
    do {
      for try await _ in room.messages() {}
      XCTFail("no error")
    } catch {
      XCTAssertEqual((error as? URLError)?.code, .networkConnectionLost)
    }
    let code = await room.code
    XCTAssertEqual(code.rawValue, 4001)
    await room.leave()
  }
}
