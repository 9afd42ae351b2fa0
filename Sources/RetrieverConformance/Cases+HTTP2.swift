import Foundation
import TestSupport

extension ConformanceSuite {
  static let http2: [ConformanceCase] = multiplexed + goingAway + brokenStreams + excessiveStreams

  private static func speaking(
    _ id: String, _ title: String, body: @escaping @Sendable (CaseContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.http2, id, title, over: .http2, body: body)
  }

  /// Returns a case with one plain request. The server reads the request and then calls the given closure.
  private static func stream(
    _ id: String, _ title: String, settings: [(UInt16, UInt32)] = [],
    _ answer: @escaping @Sendable (HTTP2Connection, UInt32) throws -> Void,
    judge: @escaping @Sendable (ExchangeOutcome) throws -> Void
  ) -> ConformanceCase {
    speaking(id, title) { context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake(settings: settings)
        while true { try answer(connection, try connection.nextRequest()) }
      }
      try judge(try await context.perform(ExchangeRequest(.data, origin + "/")))
    }
  }

  private static let multiplexed: [ConformanceCase] = [
    speaking("h2-get", "If the server negotiates HTTP/2, the client uses it.") { context in
      let address = try context.servers.nginx().http2URL("/lines").absoluteString
      let outcome = try await context.perform(ExchangeRequest(.data, address))
      try expectResponse(outcome)
      try expect(outcome.body.count == 1_000_000, "\(outcome.body.count) of 1,000,000 bytes arrived.")
    },
    speaking("h2-many", "Many concurrent requests over HTTP/2 all succeed.") { context in
      let address = try context.servers.nginx().http2URL("/1k").absoluteString
      let session = try context.session()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<100 {
          group.addTask {
            let request = ExchangeRequest(.data, "\(address)?\(number)")
            let outcome = try await context.perform(request, on: session)
            try expectResponse(outcome)
            try expect(outcome.body.count == 1024, "\(outcome.body.count) of 1,024 bytes arrived.")
          }
        }
        try await group.waitForAll()
      }
    },
    speaking("h2-upload", "A body sent over HTTP/2 arrives.") { context in
      let address = try context.servers.nginx().http2URL("/put/\(UUID().uuidString)").absoluteString
      let body = Data(repeating: 7, count: 300_000)
      let session = try context.session()
      try expectResponse(
        try await context.perform(
          ExchangeRequest(.upload, address, method: "PUT", body: .data(body)), on: session),
        201)
      let back = try await context.perform(ExchangeRequest(.data, address), on: session)
      try expect(back.body == body, "The returned body differs from the one that was sent.")
    },
    stream("h2-interim", "Interim responses over HTTP/2 are ignored.") { connection, stream in
      try connection.sendHead(stream: stream, status: 103, fields: [("link", "</style.css>")])
      try connection.respond(stream: stream, text: "hello")
    } judge: {
      try expectResponse($0, text: "hello")
    },
  ]

  private static let goingAway: [ConformanceCase] = [
    stream("h2-goaway-in-flight", "GOAWAY with an error during a response is an error.") {
      connection, stream in
      try connection.sendHead(stream: stream)
      try connection.sendData(stream: stream, "only a part".utf8)
      try connection.goAway(lastStream: stream, code: 2)
      connection.raw.close()
      throw ScriptedConnection.Ended.byPeer
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    },
    stream("h2-goaway-finishing", "GOAWAY lets the streams below its number finish.") { connection, stream in
      try connection.goAway(lastStream: stream, code: 0)
      try connection.respond(stream: stream, text: "hello")
    } judge: {
      try expectResponse($0, text: "hello")
    },
    speaking(
      "h2-goaway-unprocessed", "A request that GOAWAY reports as unprocessed is sent again, or is an error."
    ) { context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let stream = try connection.nextRequest()
        if connection.raw.index == 0 {
          try connection.goAway(lastStream: 0, code: 0)
          try connection.raw.readUntilClosed()
        } else {
          try connection.respond(stream: stream, text: "hello")
          try connection.raw.readUntilClosed()
        }
      }
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(2)
      let outcome = try await context.perform(request)
      try expectFailure(
        outcome, .networkConnectionLost, .badServerResponse, .timedOut, or: "“hello”", within: .seconds(4)
      ) {
        $0.text == "hello"
      }
    },
    speaking("h2-goaway-between", "After GOAWAY between requests, the next one uses a new connection.") {
      context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let stream = try connection.nextRequest()
        try connection.respond(stream: stream, text: "number \(connection.raw.index)")
        try connection.goAway(lastStream: stream, code: 0)
        try connection.raw.readUntilClosed()
      }
      let session = try context.session()
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "number 0")
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "number 1")
    },
  ]

  private static let brokenStreams: [ConformanceCase] = [
    stream("h2-reset", "RST_STREAM before the head is an error.") { connection, stream in
      try connection.reset(stream: stream, code: 2)
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    },
    stream("h2-reset-in-body", "RST_STREAM inside the body is an error.") { connection, stream in
      try connection.sendHead(stream: stream)
      try connection.sendData(stream: stream, "only a part".utf8)
      try connection.reset(stream: stream, code: 2)
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    },
    speaking("h2-reset-alone", "RST_STREAM ends only its stream; other streams of the connection continue.") {
      context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let first = try connection.nextRequest()
        try connection.respond(stream: first, text: "warm")
        let one = try connection.nextRequest()
        let other = try connection.nextRequest()
        try connection.reset(stream: one, code: 2)
        try connection.respond(stream: other, text: "hello")
        try connection.raw.readUntilClosed()
      }
      let session = try context.session { $0.needsKeptConnections = true }
      try expectResponse(try await context.perform(ExchangeRequest(.data, origin), on: session), text: "warm")
      async let one = context.perform(ExchangeRequest(.data, origin), on: session)
      async let other = context.perform(ExchangeRequest(.data, origin), on: session)
      let outcomes = [try await one, try await other]
      try expect(
        outcomes.contains { $0.text == "hello" }, "Neither request was answered: \(outcomes.map(describe)).")
      try expect(outcomes.contains { $0.failure != nil }, "The reset stream caused no error.")
    },
    stream("h2-refused", "A refused stream is retried or is an error.") { connection, stream in
      if stream == 1 {
        try connection.reset(stream: stream, code: 7)
      } else {
        try connection.respond(stream: stream, text: "hello")
      }
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, or: "“hello”") { $0.text == "hello" }
    },
    stream("h2-short-body", "A body shorter than its content-length over HTTP/2 is an error.") {
      connection, stream in
      try connection.sendHead(stream: stream, fields: [("content-length", "100")])
      try connection.sendData(stream: stream, "only a part".utf8, isLast: true)
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    },
    stream("h2-closed-after-head", "A connection closed inside an HTTP/2 body is an error.") {
      connection, stream in
      try connection.sendHead(stream: stream)
      connection.raw.close()
      throw ScriptedConnection.Ended.byPeer
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    },
    stream("h2-broken-frame", "A frame that breaks the protocol is an error.") { connection, _ in
      try connection.send(HTTP2Frame(type: 0, flags: 0, stream: 0, payload: [1, 2, 3]))
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    },
    stream("h2-no-frames", "Bytes that are not valid frames are an error.") { connection, _ in
      try connection.raw.send(String(repeating: "no frames at all ", count: 2000))
      connection.raw.close()
      throw ScriptedConnection.Ended.byPeer
    } judge: {
      try expectFailure($0, .networkConnectionLost, .badServerResponse, .cannotParseResponse)
    },
  ]

  private static let excessiveStreams: [ConformanceCase] = [
    speaking("h2-window-closed", "An upload whose window never opens causes a time-out.") { context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake(settings: [(HTTP2Connection.initialWindowSize, 0)])
        while try connection.nextFrame() != nil {}
      }
      var request = ExchangeRequest(
        .upload, origin, method: "POST", body: .data(Data(repeating: 1, count: 1 << 20)))
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request))
    },
    speaking("h2-silent", "A stream without a response causes the requested time-out.") {
      context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        while try connection.nextFrame() != nil {}
      }
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request))
    },
    speaking("h2-no-preface", "A silent server after negotiating HTTP/2 causes a time-out.") { context in
      let origin = try context.serveHTTP2 { try $0.raw.hold() }
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(1)
      try expectTimeOut(try await context.perform(request))
    },
    stream("h2-big-field", "A field of 1 MiB over HTTP/2 is complete, or the response is rejected.") {
      connection, stream in
      let value = String(repeating: "v", count: 1 << 20)
      try connection.sendHead(stream: stream, fields: [("x-big", value)])
      try connection.sendData(stream: stream, "ok".utf8, isLast: true)
    } judge: { outcome in
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, .dataLengthExceedsMaximum, .networkConnectionLost,
        or: "the field"
      ) { $0.headers["x-big"]?.utf8.count == 1 << 20 }
    },
    stream("h2-many-fields", "10,000 fields over HTTP/2 are complete, or the response is rejected.") {
      connection, stream in
      try connection.sendHead(stream: stream, fields: (0..<10_000).map { ("x-field-\($0)", "value \($0)") })
      try connection.sendData(stream: stream, "ok".utf8, isLast: true)
    } judge: { outcome in
      try expectFailure(
        outcome, .cannotParseResponse, .badServerResponse, .dataLengthExceedsMaximum, .networkConnectionLost,
        or: "all fields"
      ) { $0.headers["x-field-0"] == "value 0" && $0.headers["x-field-9999"] == "value 9999" }
    },
    stream("h2-gzip-corrupt", "A corrupt gzip body over HTTP/2 is an error.") { connection, stream in
      try connection.sendHead(stream: stream, fields: [("content-encoding", "gzip")])
      try connection.sendData(stream: stream, CompressedFixture.corruptGzip, isLast: true)
    } judge: {
      try expectFailure($0, .cannotDecodeContentData, .cannotDecodeRawData)
    },
    speaking(
      "h2-early-answer",
      "A complete response counts, although the server wants no more of the upload and resets its stream."
    ) { context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let first = try connection.nextHead().stream
        // The body is longer than the window, so the client still has some of it.
        _ = try connection.readBody(of: first, atLeast: 60_000)
        try connection.respond(stream: first, text: "hello")
        try connection.reset(stream: first, code: 0)
        try connection.respond(stream: try connection.nextRequest(), text: "hello")
        try connection.raw.readUntilClosed()
      }
      let session = try context.session()
      let body = Data(repeating: 7, count: 300_000)
      try expectResponse(
        try await context.perform(
          ExchangeRequest(.upload, origin, method: "POST", body: .data(body)), on: session),
        text: "hello")
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "hello")
    },
    speaking(
      "h2-cancel", "Cancelling a load ends its stream or connection immediately."
    ) {
      context in
      let asked = Gate()
      let wasReset = Gate()
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let first = try connection.nextRequest()
        // When the connection ends, in any way, the server knows of the cancellation.
        defer { wasReset.open() }
        // The load after the cancelled one, on its own connection, gets a response.
        if asked.isOpen {
          try connection.respond(stream: first, text: "hello")
        } else {
          try connection.sendHead(stream: first)
          asked.open()
        }
        while let frame = try connection.nextFrame() {
          if frame.kind == .resetStream, frame.stream == first { wasReset.open() }
          if frame.kind == .headers { try connection.respond(stream: frame.stream, text: "hello") }
        }
      }
      let session = try context.session()
      var request = ExchangeRequest(.data, origin)
      request.cancel = asked
      try expectFailure(try await context.perform(request, on: session), .cancelled)
      try expect(await wasReset.wait(within: .seconds(3)), "The client did not end the stream.")
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin), on: session), text: "hello")
    },
  ]
}
