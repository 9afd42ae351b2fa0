import Foundation
import TestSupport

extension ConformanceSuite {
  static let bytes: [ConformanceCase] = [
    ConformanceCase(.bytes, "bytes-all", "Iterating bytes returns the complete body.") { context in
      let address = try context.servers.nginx().url("/lines").absoluteString
      let outcome = try await context.perform(ExchangeRequest(.bytes, address))
      try expectResponse(outcome)
      let expected = Data((0..<10_000).map { NginxServer.line($0) }.joined().utf8)
      try expect(outcome.body == expected, "\(outcome.body.count) bytes arrived, and not the expected ones.")
    },
    ConformanceCase(.bytes, "bytes-empty", "An empty body is a sequence without elements.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(204, framing: .none) }
      try expectResponse(try await context.perform(ExchangeRequest(.bytes, origin)), 204, text: "")
    },
    ConformanceCase(.bytes, "bytes-status", "A 404 is a response whose bytes can be read.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(404, text: "not here") }
      try expectResponse(try await context.perform(ExchangeRequest(.bytes, origin)), 404, text: "not here")
    },
    ConformanceCase(.bytes, "bytes-decoded", "Bytes are those of the decoded body.") { context in
      let (origin, _) = try context.serveHTTP { _ in
        Reply(headers: [("Content-Encoding", "gzip")], body: CompressedFixture.gzip)
      }
      try expectResponse(
        try await context.perform(ExchangeRequest(.bytes, origin)), text: CompressedFixture.text)
    },
    ConformanceCase(.bytes, "bytes-at-head", "The call returns as soon as the head has arrived.") { context in
      let returned = Gate()
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"), .waitFor(returned),
        .send("hello"), .hold,
      ])
      var request = ExchangeRequest(.bytes, origin)
      request.onHead = { _ in returned.open() }
      try expectResponse(try await context.perform(request), text: "hello")
    },
    ConformanceCase(.bytes, "bytes-as-they-come", "A byte is returned when it arrives, not later.") {
      context in
      let first = Gate()
      let second = Gate()
      let (origin, _) = try context.serve([
        .readRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na"), .waitFor(first), .send("b"),
        .waitFor(second), .send("c"), .hold,
      ])
      var request = ExchangeRequest(.bytes, origin)
      request.onElement = { count in
        if count == "1" { first.open() }
        if count == "2" { second.open() }
      }
      try expectResponse(try await context.perform(request), text: "abc")
    },
    ConformanceCase(.bytes, "bytes-break", "Leaving the loop ends the transfer.") { context in
      let closed = Gate()
      let (origin, _) = try context.serve(endless(opening: closed))
      var request = ExchangeRequest(.bytes, origin)
      request.elementLimit = 1000
      let outcome = try await context.perform(request)
      try expectResponse(outcome)
      try expect(outcome.body.count == 1000, "\(outcome.body.count) bytes were iterated.")
      try expect(
        await closed.wait(within: .seconds(4)), "The server still sends into a connection that is not read.")
    },
    ConformanceCase(.bytes, "bytes-dropped", "Dropping the sequence without iterating ends the transfer.") {
      context in
      let closed = Gate()
      let (origin, _) = try context.serve(endless(opening: closed))
      var request = ExchangeRequest(.bytes, origin)
      request.elementLimit = 0
      try expectResponse(try await context.perform(request))
      try expect(
        await closed.wait(within: .seconds(4)), "The server still sends into a connection that is not read.")
    },
    ConformanceCase(.bytes, "bytes-cancelled", "Cancelling the task while iterating throws -999.") {
      context in
      let closed = Gate()
      let cancel = Gate()
      let (origin, _) = try context.serve { connection in
        defer { closed.open() }
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel")
        try connection.readUntilClosed()
      }
      var request = ExchangeRequest(.bytes, origin)
      request.cancel = cancel
      request.onElement = { if $0 == "3" { cancel.open() } }
      let outcome = try await context.perform(request)
      try expectFailure(outcome, .cancelled)
      try expect(await closed.wait(within: .seconds(4)), "The connection stays open.")
    },
    ConformanceCase(.bytes, "bytes-slow-reader", "A reader that stops eventually slows down the server.") {
      context in
      let overrun = Gate()
      let (origin, _) = try context.serve { connection in
        _ = try connection.readRequest()
        try connection.send("HTTP/1.1 200 OK\r\n\r\n")
        let mebibyte = Data(repeating: 1, count: 1 << 20)
        // More than all buffers between client and server can hold.
        for _ in 0..<64 { try connection.send(mebibyte) }
        overrun.open()
      }
      var request = ExchangeRequest(.bytes, origin)
      request.elementLimit = 1
      request.onElement = { _ in _ = await overrun.wait(within: .seconds(1)) }
      try expectResponse(try await context.perform(request))
      try expect(!overrun.isOpen, "The client read 64 MiB that were not requested.")
    },
  ]

  /// Sends bytes without end, and opens the gate when the client has closed the connection.
  static func endless(opening gate: Gate) -> @Sendable (ScriptedConnection) throws -> Void {
    { connection in
      defer { gate.open() }
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n")
      while true { try connection.send(String(repeating: "x", count: 999) + "\n") }
    }
  }
}
