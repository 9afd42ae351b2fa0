import Foundation
import TestSupport

extension ConformanceSuite {
  /// The response of a server to a stream. A response that ends the connection throws.
  private typealias Answer = @Sendable (HTTP2Connection, UInt32) throws -> Void

  private static func serve(_ context: CaseContext, _ answer: @escaping Answer) throws -> String {
    try context.serveHTTP2 { connection in
      try connection.handshake()
      while true { try answer(connection, try connection.nextRequest()) }
    }
  }

  /// Returns a case for a response that is cut short, which must be an error.
  private static func cut(
    _ id: String, _ title: String, _ answer: @escaping Answer
  ) -> ConformanceCase {
    ConformanceCase(.completeness, id, title, over: .http2) { context in
      try await expectCut(context, try serve(context, answer))
    }
  }

  /// Returns a case for a complete response.
  private static func complete(
    _ id: String, _ title: String, text: String = "hello", _ answer: @escaping Answer
  ) -> ConformanceCase {
    ConformanceCase(.completeness, id, title, over: .http2) { context in
      let origin = try serve(context, answer)
      let session = try context.session()
      for request in [ExchangeRequest(.data, origin), try context.download(origin)] {
        let outcome = try await context.perform(request, on: session)
        try expectResponse(outcome, text: text, after: "as \(request.kind)")
        try expect(outcome.elapsed < .seconds(3), "The response took \(outcome.elapsed).")
      }
    }
  }

  private static func begin(
    _ connection: HTTP2Connection, _ stream: UInt32, length: Int?, _ text: String = "hello"
  ) throws {
    try connection.sendHead(stream: stream, fields: length.map { [("content-length", "\($0)")] } ?? [])
    if !text.isEmpty { try connection.sendData(stream: stream, text.utf8) }
  }

  // MARK: Streams that are cut

  private static let codes: [(UInt32, String)] = [(0, "no-error"), (8, "cancel"), (2, "internal-error")]

  static let cutStreams: [ConformanceCase] =
    codes.flatMap { code, name in
      [
        cut("cut-h2-reset-\(name)", "RST_STREAM(\(name)) inside a body is an error.") { connection, stream in
          try begin(connection, stream, length: nil)
          try connection.reset(stream: stream, code: code)
        },
        cut("cut-h2-reset-\(name)-length", "RST_STREAM(\(name)) before a body has its length is an error.") {
          connection, stream in
          try begin(connection, stream, length: 12)
          try connection.reset(stream: stream, code: code)
        },
        cut("cut-h2-reset-\(name)-head", "RST_STREAM(\(name)) after the head is an error.") {
          connection, stream in
          try begin(connection, stream, length: nil, "")
          try connection.reset(stream: stream, code: code)
        },
      ]
    } + [
      cut("cut-h2-too-few", "A body shorter than its content-length is an error.") { connection, stream in
        try begin(connection, stream, length: 12)
        try connection.sendData(stream: stream, [], isLast: true)
      },
      cut("cut-h2-too-many", "A body longer than its content-length is an error.") { connection, stream in
        try begin(connection, stream, length: 3)
        try connection.sendData(stream: stream, [], isLast: true)
      },
      cut("cut-h2-none", "A missing body after a content-length is an error.") { connection, stream in
        try connection.sendHead(stream: stream, fields: [("content-length", "5")], isLast: true)
      },
    ]

  // MARK: Connections that end or break inside a body

  /// Returns cases in which the connection breaks inside a body, with and without a content-length.
  private static func broken(
    _ id: String, _ title: String, _ end: @escaping @Sendable (HTTP2Connection, UInt32) throws -> Void
  ) -> [ConformanceCase] {
    [(nil, id, title), (12, id + "-length", title + " (with a content-length)")].map { length, id, title in
      cut(id, title) { connection, stream in
        try begin(connection, stream, length: length)
        try end(connection, stream)
      }
    }
  }

  static let brokenConnections: [ConformanceCase] =
    broken("cut-h2-close", "A connection closed inside a body is an error.") { _, _ in
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-connection-reset", "A connection reset inside a body is an error.") { connection, _ in
      connection.raw.reset()
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-goaway-close", "GOAWAY and the connection's end inside a body are an error.") {
      connection, stream in
      try connection.goAway(lastStream: stream, code: 0)
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-inside-frame", "A connection closed inside a DATA frame is an error.") {
      connection, stream in
      let frame = HTTP2Frame(
        .data, flags: HTTP2Frame.endStream, stream: stream, payload: Array(", world".utf8))
      try connection.raw.send(frame.bytes.dropLast(3))
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-frame-head", "A connection closed inside the head of a frame is an error.") {
      connection, _ in
      try connection.raw.send([0, 0, 7, 0])
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-protocol-error", "DATA on stream 0 inside a body is an error.") { connection, _ in
      try connection.send(HTTP2Frame(.data, stream: 0, payload: [1, 2, 3]))
      try connection.raw.readUntilClosed()
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-frame-size", "A frame larger than allowed inside a body is an error.") {
      connection, stream in
      try connection.send(
        HTTP2Frame(.data, stream: stream, payload: [UInt8](repeating: 1, count: 1 << 20)))
      try connection.raw.readUntilClosed()
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-bad-padding", "Padding longer than its frame inside a body is an error.") {
      connection, stream in
      try connection.send(HTTP2Frame(type: 0, flags: 0x8, stream: stream, payload: [200, 1, 2]))
      try connection.raw.readUntilClosed()
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-bad-trailers", "Trailers that do not decode are an error.") { connection, stream in
      try connection.send(
        HTTP2Frame(
          .headers, flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream, stream: stream,
          payload: [0xff, 0xff, 0xff, 0xff, 0xff]))
      try connection.raw.readUntilClosed()
      throw ScriptedConnection.Ended.byPeer
    }
    + broken("cut-h2-no-frames", "Invalid frames inside a body are an error.") { connection, _ in
      try connection.raw.send(String(repeating: "no frames at all ", count: 2000))
      try connection.raw.readUntilClosed()
      throw ScriptedConnection.Ended.byPeer
    }

  // MARK: Endings that are right

  static let completeStreams: [ConformanceCase] = [
    complete("complete-h2-head", "END_STREAM on the head is an empty body.", text: "") { connection, stream in
      try connection.sendHead(stream: stream, isLast: true)
    },
    complete("complete-h2-empty-data", "An empty DATA frame with END_STREAM ends a body.") {
      connection, stream in
      try begin(connection, stream, length: nil)
      try connection.sendData(stream: stream, [], isLast: true)
    },
    complete("complete-h2-length", "A body with its content-length is complete.") { connection, stream in
      try begin(connection, stream, length: 5)
      try connection.sendData(stream: stream, [], isLast: true)
    },
    complete("complete-h2-trailers", "Trailers end a body and are not part of it.") { connection, stream in
      try begin(connection, stream, length: nil)
      let trailers = HTTP2Frame.fieldSection([("x-checksum", "abc")])
      try connection.send(
        HTTP2Frame(
          .headers, flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream, stream: stream, payload: trailers))
    },
    complete("complete-h2-padding", "Padding is not part of a body.") { connection, stream in
      try connection.sendHead(stream: stream)
      let padding = [UInt8](repeating: 0, count: 100)
      for (text, flags) in [("hel", UInt8(0x8)), ("lo", 0x8 | HTTP2Frame.endStream)] {
        try connection.send(
          HTTP2Frame(type: 0, flags: flags, stream: stream, payload: [100] + Array(text.utf8) + padding))
      }
    },
    complete("complete-h2-single-bytes", "A body in DATA frames of one byte is assembled correctly.") {
      connection, stream in
      try connection.sendHead(stream: stream)
      for byte in "hello".utf8 {
        try connection.sendData(stream: stream, [byte])
        try connection.sendData(stream: stream, [])
      }
      try connection.sendData(stream: stream, [], isLast: true)
    },
    complete("complete-h2-reset-after", "RST_STREAM(NO_ERROR) after END_STREAM is harmless.") {
      connection, stream in
      try connection.respond(stream: stream, text: "hello")
      try connection.reset(stream: stream, code: 0)
    },
    complete("complete-h2-goaway-after", "GOAWAY and the connection's end after a response are harmless.") {
      connection, stream in
      try connection.respond(stream: stream, text: "hello")
      try connection.goAway(lastStream: stream, code: 0)
      // Closing with unread data would send a reset, which could arrive before the response.
      connection.raw.finishSending()
      try connection.raw.readUntilClosed()
      throw ScriptedConnection.Ended.byPeer
    },
    complete(
      "complete-h2-other-frames", "Frames of unknown kinds, PING and PRIORITY inside a body are harmless."
    ) {
      connection, stream in
      try begin(connection, stream, length: nil, "hel")
      try connection.send(HTTP2Frame(type: 0xbe, flags: 0xff, stream: stream, payload: [1, 2, 3]))
      try connection.send(HTTP2Frame(.ping, stream: 0, payload: [UInt8](repeating: 1, count: 8)))
      try connection.send(HTTP2Frame(type: 2, flags: 0, stream: stream, payload: [0, 0, 0, 0, 16]))
      try connection.sendData(stream: stream, "lo".utf8, isLast: true)
    },
  ]
}
