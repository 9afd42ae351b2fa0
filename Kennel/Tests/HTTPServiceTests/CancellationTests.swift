import Foundation
import HTTPService
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized) struct CancellationTests {
  @Test(arguments: [true, false])
  func `a handler is cancelled when its client disconnects`(byReset: Bool) async throws {
    let started = Gate()
    let cancelled = Gate()
    let diagnostics = Notes<String>()
    try await withServer(
      { $0.onDiagnostic = { diagnostics.add($0) } },
      handler: { _ in
        started.open()
        await untilCancelled { cancelled.open() }
        return .text("late")
      }
    ) { server in
      let client = try RawClient(port: server.port)
      try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(await started.wait(within: .seconds(90)))
      if byReset { client.reset() } else { client.leave() }
      #expect(await cancelled.wait(within: .seconds(90)))
    }
    // The server has stopped, so the connection has ended. That its client left is no error.
    #expect(diagnostics.all == [])
  }

  @Test func `a stream is cancelled when its client disconnects`() async throws {
    let cancelled = Gate()
    try await withServer(handler: { _ in
      HTTPResponse(
        body: .stream { writer in
          try await writer.write("hello\n")
          await untilCancelled { cancelled.open() }
        })
    }) { server in
      let client = try RawClient(port: server.port)
      _ = try await client.blocking { client in
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.readHead()
        return try client.readChunk()
      }
      client.leave()
      #expect(await cancelled.wait(within: .seconds(90)))
    }
  }

  @Test func `the connection of a cancelled stream is closed immediately, even behind an idle one`()
    async throws
  {
    let cancelled = Gate()
    try await withServer(
      { $0.limits.maximumConnections = 2 },
      handler: { request in
        guard request.path == "/stream" else { return .text("done") }
        return HTTPResponse(
          body: .stream { writer in
            try await writer.write("hello\n")
            await untilCancelled { cancelled.open() }
          })
      }
    ) { server in
      let streaming = try RawClient(port: server.port)
      _ = try await streaming.blocking { client in
        try client.send("GET /stream HTTP/1.1\r\nHost: a\r\n\r\n")
        _ = try client.readHead()
        return try client.readChunk()
      }
      let idle = try RawClient(port: server.port)
      try idle.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await idle.blocking { try $0.readResponse().text } == "done")
      streaming.leave()
      #expect(await cancelled.wait(within: .seconds(90)))
      // The place of the stream is free, although the idle connection was there first when the stream failed.
      let next = try RawClient(port: server.port)
      try next.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
      #expect(try await next.blocking { try $0.readResponse().text } == "done")
    }
  }

  @Test func `reading a body that ends early throws an error`() async throws {
    let failed = Gate()
    let started = Gate()
    try await withServer(handler: { request in
      started.open()
      do {
        _ = try await request.body.collectedBody(upTo: 1000)
      } catch let error as HTTPServerError where error.code == .bodyIncomplete {
        failed.open()
      } catch is CancellationError {
        failed.open()
      }
      return .text("")
    }) { server in
      let client = try RawClient(port: server.port)
      try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n12345")
      #expect(await started.wait(within: .seconds(90)))
      client.leave()
      #expect(await failed.wait(within: .seconds(90)))
    }
  }

  @Test func `clients that disconnect leave no descriptors or threads behind`() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      try directory.write(Data.pattern(count: 4_000_000), to: "file")
      let path = directory.path("file")
      let ended = Atomic<Int>(0)
      try await withServer(
        { $0.onAccess = { _ in ended.add(1, ordering: .relaxed) } },
        handler: { request in
          switch request.pathSegments.first {
          case "file": return try .file(at: path, for: request, contentType: "text/plain")
          case "stream":
            return HTTPResponse(
              body: .stream { writer in
                while true { try await writer.write(Data(repeating: 65, count: 10_000)) }
              })
          case "upload": return .text("\(try await request.body.collectedBody(upTo: 1_000_000).count)")
          default:
            await untilCancelled {}
            return .text("late")
          }
        }
      ) { server in
        // Timer descriptors belong to the runtime, which creates them when needed.
        let count = { @Sendable in
          ResourceSnapshot.take().descriptors.values.count { !$0.hasSuffix("[timerfd]") }
        }
        let before = count()
        let threads = ResourceSnapshot.take().threads
        var random = SeededNumbers(7)
        for round in 0..<400 {
          let client = try RawClient(port: server.port)
          let path = ["file", "stream", "upload", "wait"][round % 4]
          let body = path == "upload" ? "Content-Length: 50000\r\n\r\nabc" : "\r\n"
          try client.send("POST /\(path) HTTP/1.1\r\nHost: a\r\n" + body)
          if path != "wait", path != "upload" { _ = try await client.blocking { try $0.read(upTo: 10) } }
          if Bool.random(using: &random) { client.reset() } else { client.leave() }
        }
        #expect(await eventually { count() <= before })
        #expect(ResourceSnapshot.take().threads <= threads + ProcessInfo.processInfo.activeProcessorCount + 2)
        // Most requests were logged. Those whose client disconnected before the server read them were not.
        #expect(ended.load(ordering: .relaxed) > 200)
      }
    }
  }
}
