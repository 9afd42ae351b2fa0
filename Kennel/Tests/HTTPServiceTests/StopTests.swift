import Foundation
import HTTPService
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StopTests {
  @Test func `an open response completes while new connections are refused`() async throws {
    let started = Gate()
    let finish = Gate()
    let server = try HTTPServer(configuration: .patient)
    try server.start { _ in
      started.open()
      await finish.wait()
      return .text("complete")
    }
    let client = try RawClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await started.wait(within: .seconds(90)))
    async let stopped: Void = server.stop(within: .seconds(30))
    let port = server.port
    #expect(await eventually { (try? RawClient(port: port)) == nil })
    finish.open()
    let response = try await client.blocking { try $0.readResponse() }
    #expect(response.text == "complete" && response.field("Connection") == "close")
    await stopped
  }

  @Test func `stopping ends idle connections and live streams immediately`() async throws {
    let server = try HTTPServer(configuration: .patient)
    try server.start { request in
      guard request.path == "/live" else { return .text("idle") }
      return HTTPResponse(
        body: .stream(endsWhenStopping: true) { writer in
          try await writer.write("a")
          await untilCancelled {}
        })
    }
    let idle = try RawClient(port: server.port)
    let live = try RawClient(port: server.port)
    _ = try await idle.blocking { client in
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      return try client.readResponse()
    }
    _ = try await live.blocking { client in
      try client.send("GET /live HTTP/1.1\r\nHost: a\r\n\r\n")
      _ = try client.readHead()
      return try client.readChunk()
    }
    await server.stop(within: .seconds(50))
    #expect(try await live.blocking { try $0.readChunk() }.isEmpty)
    #expect(try await idle.blocking { try $0.readToEnd() }.isEmpty)
  }

  @Test func `handlers that exceed the grace period are cancelled`() async throws {
    let started = Gate()
    let cancelled = Gate()
    let server = try HTTPServer(configuration: .patient)
    try server.start { _ in
      started.open()
      await untilCancelled { cancelled.open() }
      return .text("late")
    }
    let client = try RawClient(port: server.port)
    try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    #expect(await started.wait(within: .seconds(90)))
    await server.stop(within: .milliseconds(50))
    #expect(cancelled.isOpen)
    #expect(try await client.blocking { try $0.readToEnd() }.isEmpty)
  }

  @Test func cancellingRunStopsTheServer() async throws {
    let server = try HTTPServer(configuration: .patient)
    let running = Task { try await server.run { _ in .text("fine") } }
    let client = try RawClient(port: server.port)
    _ = try await client.blocking { client in
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      return try client.readResponse()
    }
    running.cancel()
    try await running.value
    // Another test's server may have the port by now, so only the old connection shows the end.
    #expect(try await client.blocking { try $0.readToEnd() }.isEmpty)
    #expect(throws: HTTPServerError.self) { try server.start { _ in .text("again") } }
  }

  @Test func `a server that is stopped before it is started no longer listens`() async throws {
    // Another test's server may get one of the ports.
    var isRefused = false
    for _ in 0..<5 where !isRefused {
      let server = try HTTPServer(configuration: .patient)
      await server.stop()
      isRefused = (try? RawClient(port: server.port)) == nil
      #expect(throws: HTTPServerError.self) { try server.start { _ in .text("late") } }
    }
    #expect(isRefused)
  }

  @Test func `stopped servers leave no descriptors open`() async throws {
    await #expect(processExitsWith: .success) {
      // The first server makes the runtime open its own descriptors.
      try await withServer(handler: { _ in .text("") }) { _ in }
      // Timer descriptors belong to the runtime, which creates them when needed.
      let count = { @Sendable in
        ResourceSnapshot.take().descriptors.values.count { !$0.hasSuffix("[timerfd]") }
      }
      let before = count()
      for _ in 0..<10 {
        let dropped = try HTTPServer(configuration: .patient)
        await dropped.stop()
        try await withServer(handler: { _ in .text("") }) { server in
          let client = try RawClient(port: server.port)
          try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        }
      }
      #expect(await eventually { count() <= before })
    }
  }
}
