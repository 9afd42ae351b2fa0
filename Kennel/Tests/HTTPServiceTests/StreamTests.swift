import Foundation
import HTTPService
import Retriever
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5)), .serialized) struct StreamTests {
  @Test func `written bytes are sent immediately`() async throws {
    let steps = (0..<3).map { _ in Gate() }
    try await withServer(handler: { _ in
      HTTPResponse(
        body: .stream { writer in
          for (number, gate) in steps.enumerated() {
            await gate.wait()
            try await writer.write("line \(number)\n")
          }
        })
    }) { server in
      let session = Retriever.URLSession(configuration: .ephemeral)
      let url = try #require(URL(string: "http://127.0.0.1:\(server.port)/"))
      // The head arrives before there is a body.
      let (bytes, _) = try await session.bytes(from: url)
      var lines = bytes.lines.makeAsyncIterator()
      for (number, gate) in steps.enumerated() {
        gate.open()
        #expect(try await lines.next() == "line \(number)")
      }
      #expect(try await lines.next() == nil)
    }
  }

  @Test func `a stream whose writer throws is not terminated normally`() async throws {
    struct Broken: Error {}
    let errors = Notes<String>()
    let diagnostics = Notes<String>()
    try await withServer(
      {
        $0.onError = { errors.add("\($0.error) \($0.path)") }
        $0.onDiagnostic = { diagnostics.add($0) }
      },
      handler: { _ in
        HTTPResponse(
          body: .stream { writer in
            try await writer.write("half")
            throw Broken()
          })
      }
    ) { server in
      let client = try RawClient(port: server.port)
      let text = try await client.blocking { client in
        try client.send("GET /x?secret HTTP/1.1\r\nHost: a\r\n\r\n")
        return String(decoding: try client.readToEnd(), as: UTF8.self)
      }
      #expect(!text.hasSuffix("0\r\n\r\n"))
      #expect(errors.all == ["Broken() /x"])
      #expect(diagnostics.all == [])
    }
  }

  @Test func `a slow client makes the writer wait`() async throws {
    // The test measures memory, so it needs its own process.
    await #expect(processExitsWith: .success) {
      let written = Atomic<Int>(0)
      let total = 64_000_000
      try await withServer(handler: { _ in
        HTTPResponse(
          body: .stream(length: Int64(total)) { writer in
            let piece = Data(repeating: 65, count: 16_000)
            for _ in 0..<(total / piece.count) {
              try await writer.write(piece)
              written.add(piece.count, ordering: .relaxed)
            }
          })
      }) { server in
        let client = try RawClient(port: server.port, receiveBuffer: 64 * 1024)
        let before = ResourceSnapshot.residentBytes()
        try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        let seen = Atomic<Int>(-1)
        _ = await eventually {
          let now = written.load(ordering: .relaxed)
          return now > 0 && seen.exchange(now, ordering: .relaxed) == now
        }
        #expect(written.load(ordering: .relaxed) < total / 2)
        let count = try await client.blocking { client in
          _ = try client.readHead()
          var count = 0
          while count < total { count += try client.read(upTo: 1 << 20).count }
          return count
        }
        #expect(count == total)
        #expect(ResourceSnapshot.isSanitized || ResourceSnapshot.residentBytes() - before < 32 << 20)
      }
    }
  }

  @Test func `a thousand streams need no additional threads`() async throws {
    // The test counts threads, so it needs its own process.
    await #expect(processExitsWith: .success) {
      let opened = Atomic<Int>(0)
      let go = Gate()
      try await withServer(
        { $0.limits.maximumConnectionsPerAddress = 2000 },
        handler: { _ in
          HTTPResponse(
            body: .stream { writer in
              try await writer.write("a\n")
              opened.add(1, ordering: .relaxed)
              await go.wait()
              try await writer.write("b\n")
            })
        }
      ) { server in
        let first = try RawClient(port: server.port)
        try first.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        #expect(await eventually { opened.load(ordering: .relaxed) == 1 })
        let before = ResourceSnapshot.take()
        var clients = [first]
        for _ in 1..<1000 {
          let client = try RawClient(port: server.port)
          try client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
          clients.append(client)
        }
        #expect(await eventually { opened.load(ordering: .relaxed) == 1000 })
        // The thread pool may have started with fewer threads than processors.
        #expect(
          ResourceSnapshot.take().since(before).threads <= ProcessInfo.processInfo.activeProcessorCount + 2)
        go.open()
        let all = clients
        let completeCount = try await first.blocking { _ in
          try all.count { try $0.readResponse().text == "a\nb\n" }
        }
        #expect(completeCount == 1000)
      }
    }
  }
}
