import Foundation
import TestSupport

extension ConformanceSuite {
  /// Returns a case in which the server breaks a rule before it answers "hello". The result must be an error or,
  /// where the protocol leaves it open, the response.
  private static func excess(
    _ id: String, _ title: String, isSurvivable: Bool = false,
    _ answer: @escaping @Sendable (HTTP2Connection, UInt32) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.floods, id, title, over: .http2) { context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let stream = try connection.nextRequest()
        try answer(connection, stream)
        try connection.respond(stream: stream, text: "hello")
        try connection.raw.readUntilClosed()
      }
      try await expectLittleMemory {
        let outcome = try await context.perform(ExchangeRequest(.data, origin))
        try expectFailure(
          outcome, .networkConnectionLost, .badServerResponse, .cannotParseResponse,
          .dataLengthExceedsMaximum, .unknown, or: isSurvivable ? "“hello”" : "no response"
        ) { isSurvivable && $0.text == "hello" }
      }
    }
  }

  private static func grow(_ connection: HTTP2Connection, _ stream: UInt32, by count: UInt32) throws {
    try connection.send(HTTP2Frame(.windowUpdate, stream: stream, payload: HTTP2Frame.bigEndian(count)))
  }

  static let excesses: [ConformanceCase] = [
    excess("excess-hpack-bomb", "Fields that HPACK expands from a few bytes are limited.") {
      connection, stream in
      // A value of 4,000 bytes is added to the table and then referenced 60,000 times with one byte each: 240 MB.
      var block = HTTP2Frame.fieldSection([(":status", "200")])
      var literal = HTTP2Frame.fieldSection([("x", String(repeating: "v", count: 4000))])
      literal[0] = 0x40
      block += literal + [UInt8](repeating: 0x80 | 62, count: 60_000)
      var rest = block[...]
      var kind = HTTP2Frame.Kind.headers
      while !rest.isEmpty {
        let piece = rest.prefix(16_384)
        rest = rest.dropFirst(piece.count)
        try connection.send(
          HTTP2Frame(
            kind, flags: rest.isEmpty ? HTTP2Frame.endHeaders : 0, stream: stream, payload: Array(piece)))
        kind = .continuation
      }
    },
    excess("excess-hpack-table", "An HPACK table larger than negotiated is an error.") { connection, stream in
      // A table size update to 1 GiB: the bits 001 and the number as an integer with a prefix of five bits.
      try connection.send(
        HTTP2Frame(
          .headers, flags: HTTP2Frame.endHeaders, stream: stream,
          payload: [0x3f, 0xe1, 0xff, 0xff, 0xff, 0x03] + HTTP2Frame.fieldSection([(":status", "200")])))
    },
    excess("excess-window-connection", "A connection's window that overflows is an error.") { connection, _ in
      for _ in 0..<2 { try grow(connection, 0, by: 0x7fff_ffff) }
    },
    excess("excess-window-stream", "A stream's window that overflows is an error.") { connection, stream in
      for _ in 0..<2 { try grow(connection, stream, by: 0x7fff_ffff) }
    },
    excess("excess-window-zero", "A window that grows by zero is an error.") { connection, stream in
      try grow(connection, stream, by: 0)
    },
    excess("excess-window-setting", "An initial window larger than allowed is an error.") { connection, _ in
      let value = [0, 4] + HTTP2Frame.bigEndian(0xffff_ffff)
      try connection.send(HTTP2Frame(.settings, stream: 0, payload: value))
    },
    excess("excess-frame-setting", "A frame size outside the allowed range is an error.") { connection, _ in
      try connection.send(HTTP2Frame(.settings, stream: 0, payload: [0, 5] + HTTP2Frame.bigEndian(1)))
    },
    excess("excess-settings", "SETTINGS with 2,000 entries are accepted or an error.", isSurvivable: true) {
      connection, _ in
      let payload = (0..<2000).flatMap { _ in [UInt8(0), 3] + HTTP2Frame.bigEndian(100) }
      try connection.send(HTTP2Frame(.settings, stream: 0, payload: payload))
    },
    excess("excess-idle-stream", "A response on a stream that was not opened is an error.") { connection, _ in
      try connection.sendHead(stream: 99)
    },
    excess("excess-even-stream", "A response on a stream of the server is an error.") { connection, _ in
      try connection.sendHead(stream: 2)
    },
    ConformanceCase(
      .floods, "excess-window-ignored", "A server that ignores the window is stopped, using little memory.",
      over: .http2
    ) { context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let stream = try connection.nextRequest()
        try connection.sendHead(stream: stream)
        let piece = [UInt8](repeating: 1, count: 16_384)
        while true { try connection.sendData(stream: stream, piece) }
      }
      let head = Gate()
      var request = ExchangeRequest(.bytes, origin)
      request.timeout = .seconds(4)
      request.onElement = { _ in
        // Holds the first byte for a second. The rest is not read.
        if !head.isOpen { try? await Task.sleep(for: .seconds(1)) }
        head.open()
      }
      request.elementLimit = 2
      try await expectLittleMemory { [request] in
        let outcome = try await context.perform(request)
        try expect(
          outcome.failure != nil || outcome.body.count == 2, "\(outcome.body.count) bytes arrived.")
      }
    },
  ]

  // MARK: Limits of streams

  static let streamLimits: [ConformanceCase] = [
    ConformanceCase(
      .floods, "streams-none", "A server that temporarily allows no stream gets the request later.",
      over: .http2
    ) { context in
      let isClosed = Gate()
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake()
        let first = try connection.nextRequest()
        try connection.respond(stream: first, text: "hello")
        if connection.raw.index == 0 {
          try allow(0, connection)
          // The acknowledgement: from now on, the client knows the setting.
          while let frame = try connection.nextFrame() {
            if frame.kind == .settings, frame.flags & HTTP2Frame.acknowledgement != 0 { break }
          }
          isClosed.open()
          try connection.raw.pacing(.milliseconds(500))
          try allow(100, connection)
        }
        while true { try connection.respond(stream: try connection.nextRequest(), text: "hello") }
      }
      let session = try context.session { $0.needsKeptConnections = true }
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(3)
      try expectResponse(try await context.perform(request, on: session), text: "hello")
      try expect(await isClosed.wait(within: .seconds(3)), "The client does not acknowledge SETTINGS.")
      let outcome = try await context.perform(request, on: session)
      try expectResponse(outcome, text: "hello", after: "once a stream was allowed")
      try expect(outcome.elapsed < .seconds(2), "The response took \(outcome.elapsed).")
    },
    ConformanceCase(
      .floods, "streams-one", "A server that allows one stream at a time answers 20 requests.", over: .http2
    ) { context in
      let origin = try context.serveHTTP2 { connection in
        try connection.handshake(settings: [(HTTP2Connection.maximumConcurrentStreams, 1)])
        while true { try connection.respond(stream: try connection.nextRequest(), text: "hello") }
      }
      let session = try context.session()
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<20 {
          group.addTask {
            let request = ExchangeRequest(.data, "\(origin)/\(number)")
            try expectResponse(try await context.perform(request, on: session), text: "hello")
          }
        }
        try await group.waitForAll()
      }
    },
  ]

  private static func allow(_ streams: UInt32, _ connection: HTTP2Connection) throws {
    try connection.send(HTTP2Frame(.settings, stream: 0, payload: [0, 3] + HTTP2Frame.bigEndian(streams)))
  }
}
