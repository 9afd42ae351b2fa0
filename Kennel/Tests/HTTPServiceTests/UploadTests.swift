import Foundation
import HTTPService
import Retriever
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct UploadTests {
  @Test func `a body with any framing arrives completely`() async throws {
    let sent = Data.pattern(count: 3_000_000)
    try await withServer(handler: { request in
      HTTPResponse(body: .bytes(try await request.body.collectedBody(upTo: 5_000_000)))
    }) { server in
      let session = Retriever.URLSession(configuration: .ephemeral)
      var request = Retriever.URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)/")))
      request.httpMethod = "POST"
      let (echo, _) = try await session.upload(for: request, from: sent)
      let isSame = echo == sent
      #expect(isSame)

      let client = try RawClient(port: server.port)
      let chunked = try await client.blocking { client in
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
        for start in stride(from: 0, to: 100_000, by: 1000) {
          try client.send("3e8\r\n")
          try client.send(Array(sent[start..<(start + 1000)]) + [13, 10])
        }
        try client.send("0\r\n\r\n")
        return try client.readResponse().body
      }
      let isComplete = chunked == Array(sent.prefix(100_000))
      #expect(isComplete)
    }
  }

  @Test func `the server sends 100 Continue when the handler reads the body`() async throws {
    try await withServer(handler: { request in
      guard request.path == "/read" else { return .text("unread", status: .forbidden) }
      return .text("\(try await request.body.collectedBody(upTo: 100).count)")
    }) { server in
      let reading = try RawClient(port: server.port)
      let text = try await reading.blocking { client in
        try client.send("PUT /read HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        guard try client.readHead().status == 100 else { return "no 100" }
        try client.send("12345")
        return try client.readResponse().text
      }
      #expect(text == "5")
      let refused = try RawClient(port: server.port)
      let status = try await refused.blocking { client in
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
        return try client.readResponse().status
      }
      #expect(status == 403)
    }
  }

  @Test(arguments: ["Content-Length: 200000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n30d40\r\n"])
  func `a body over the limit gives 413`(head: String) async throws {
    try await withServer(
      { $0.limits.maximumBodySize = 100_000 },
      handler: { request in
        .text("\(try await request.body.collectedBody(upTo: 1_000_000).count)")
      }
    ) { server in
      let client = try RawClient(port: server.port)
      let status = try await client.blocking { client in
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\n" + head)
        try client.send([UInt8](repeating: 65, count: 200_000))
        if head.contains("chunked") { try client.send("\r\n0\r\n\r\n") }
        return try client.readResponse().status
      }
      #expect(status == 413)
    }
  }

  @Test func `a handler can set a lower body limit`() async throws {
    try await withServer(handler: { .text("\(try await $0.body.collectedBody(upTo: 10).count)") }) { server in
      let client = try RawClient(port: server.port)
      let statuses = try await client.blocking { client in
        try [11, 10].map { count in
          try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(count)\r\n\r\n")
          try client.send([UInt8](repeating: 65, count: count))
          return try client.readResponse().status
        }
      }
      // The second request uses the same connection, because the server read and discarded the short unread body.
      #expect(statuses == [413, 200])
    }
  }

  @Test func aResponseToAnUnreadBodyReachesTheClient() async throws {
    try await withServer(handler: { _ in .text("no thanks", status: .forbidden) }) { server in
      let client = try RawClient(port: server.port)
      let response = try await client.blocking { client in
        try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\r\n")
        try client.send([UInt8](repeating: 65, count: 20_000_000))
        return try client.readResponse().text
      }
      #expect(response == "no thanks")
    }
  }

  @Test func `a slow reader makes the client wait`() async throws {
    // The test measures memory, so it needs its own process.
    await #expect(processExitsWith: .success) {
      let resumeReading = Gate()
      let total = 24_000_000
      try await withServer(handler: { request in
        await resumeReading.wait()
        var count = 0
        var largest = 0
        for try await piece in request.body {
          count += piece.count
          largest = max(largest, piece.count)
        }
        return .text("\(count) \(largest < 512 * 1024)")
      }) { server in
        let client = try RawClient(port: server.port)
        let sent = Atomic<Int>(0)
        let before = ResourceSnapshot.residentBytes()
        async let answer = client.blocking { client in
          try client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: \(total)\r\n\r\n")
          let piece = [UInt8](repeating: 65, count: 10_000)
          for _ in 0..<(total / piece.count) {
            try client.send(piece)
            sent.add(piece.count, ordering: .relaxed)
          }
          return try client.readResponse().text
        }
        // Sending stops when the kernel's buffers are full, long before the end of the body.
        let seen = Atomic<Int>(-1)
        _ = await eventually {
          let now = sent.load(ordering: .relaxed)
          return now > 0 && seen.exchange(now, ordering: .relaxed) == now
        }
        #expect(sent.load(ordering: .relaxed) < total)
        resumeReading.open()
        #expect(try await answer == "\(total) true")
        #expect(ResourceSnapshot.isSanitized || ResourceSnapshot.residentBytes() - before < 16 << 20)
      }
    }
  }
}
