import Foundation
import TestSupport

extension ConformanceSuite {
  static let floods: [ConformanceCase] = finiteFloods + endlessFloods + excesses + streamLimits

  /// The frames that a server sends repeatedly, for the stream of a request.
  private typealias Wave = @Sendable (_ stream: UInt32, _ number: Int) -> [HTTP2Frame]

  private struct Flood: Sendable {
    var id: String
    var what: String
    /// Whether the response's head is sent first.
    var hasHead = false
    var wave: Wave
  }

  private static let kinds: [Flood] = [
    Flood(id: "ping", what: "PING") { _, number in
      [HTTP2Frame(.ping, stream: 0, payload: Array(repeating: UInt8(truncatingIfNeeded: number), count: 8))]
    },
    Flood(id: "settings", what: "SETTINGS") { _, number in
      [HTTP2Frame(.settings, stream: 0, payload: [0, 4] + HTTP2Frame.bigEndian(UInt32(65_535 + number % 2)))]
    },
    Flood(id: "settings-ack", what: "SETTINGS unexpected acknowledgements of SETTINGS") { _, _ in
      [HTTP2Frame(.settings, flags: HTTP2Frame.acknowledgement, stream: 0)]
    },
    Flood(id: "reset", what: "RST_STREAM") { stream, _ in
      [HTTP2Frame(.resetStream, stream: stream, payload: HTTP2Frame.bigEndian(8))]
    },
    Flood(id: "empty-data", what: "empty DATA", hasHead: true) { stream, _ in
      [HTTP2Frame(.data, stream: stream)]
    },
    Flood(id: "padded-data", what: "DATA that is only padding", hasHead: true) { stream, _ in
      [HTTP2Frame(type: 0, flags: 0x8, stream: stream, payload: [15] + [UInt8](repeating: 0, count: 15))]
    },
    Flood(id: "priority", what: "PRIORITY") { _, number in
      [HTTP2Frame(type: 2, flags: 0, stream: UInt32(number % 10_000 * 2 + 101), payload: [0, 0, 0, 0, 16])]
    },
    Flood(id: "unknown", what: "unknown frames") { _, _ in
      [HTTP2Frame(type: 0xbe, flags: 0, stream: 0, payload: [UInt8](repeating: 1, count: 100))]
    },
    Flood(id: "window", what: "WINDOW_UPDATE") { _, _ in
      [HTTP2Frame(.windowUpdate, stream: 0, payload: HTTP2Frame.bigEndian(1))]
    },
    Flood(id: "interim", what: "interim responses") { stream, number in
      let fields = HTTP2Frame.fieldSection([(":status", "103"), ("link", "</\(number)>")])
      return [HTTP2Frame(.headers, flags: HTTP2Frame.endHeaders, stream: stream, payload: fields)]
    },
    Flood(id: "push", what: "PUSH_PROMISE") { stream, number in
      let fields = HTTP2Frame.fieldSection([
        (":method", "GET"), (":scheme", "https"), (":authority", "localhost"), (":path", "/\(number)"),
      ])
      return [
        HTTP2Frame(
          type: 5, flags: HTTP2Frame.endHeaders, stream: stream,
          payload: HTTP2Frame.bigEndian(UInt32(number * 2 + 2)) + fields)
      ]
    },
    Flood(id: "continuation", what: "CONTINUATION") { stream, number in
      let fields = HTTP2Frame.fieldSection([("x-field-\(number)", String(repeating: "v", count: 100))])
      let opening = HTTP2Frame.fieldSection([(":status", "200")])
      return number == 0
        ? [HTTP2Frame(.headers, stream: stream, payload: opening)]
        : [HTTP2Frame(.continuation, stream: stream, payload: fields)]
    },
    Flood(id: "empty-continuation", what: "empty CONTINUATION") { stream, number in
      number == 0
        ? [HTTP2Frame(.headers, stream: stream, payload: HTTP2Frame.fieldSection([(":status", "200")]))]
        : [HTTP2Frame(.continuation, stream: stream)]
    },
  ]

  /// Fails the case unless `operation` uses little memory.
  static func expectLittleMemory(
    _ limit: Int = 64 << 20, _ operation: () async throws -> Void
  ) async throws {
    ResourceSnapshot.resetPeak()
    let before = ResourceSnapshot.residentBytes()
    try await operation()
    let growth = ResourceSnapshot.peakResidentBytes() - before
    try expect(
      growth < limit || ResourceSnapshot.isSanitized, "Resident memory grew by \(growth >> 20) MiB.")
  }

  /// Starts a server that sends the waves and then, if the stream still exists, a response.
  private static func serve(
    _ context: CaseContext, _ flood: Flood, waves: Int,
    _ finish: @escaping @Sendable (HTTP2Connection, UInt32) throws -> Void
  ) throws -> String {
    try context.serveHTTP2 { connection in
      try connection.handshake()
      let stream = try connection.nextRequest()
      if flood.hasHead { try connection.sendHead(stream: stream) }
      // Sends many frames at a time, because single frames would be too slow for a flood.
      for start in stride(from: 0, to: waves, by: 200) {
        try connection.raw.send(
          (start..<min(start + 200, waves)).flatMap { flood.wave(stream, $0) }.flatMap(\.bytes))
      }
      try finish(connection, stream)
      try connection.raw.readUntilClosed()
    }
  }

  private static let finiteFloods = kinds.map { flood in
    ConformanceCase(
      .floods, "flood-\(flood.id)", "10,000 times \(flood.what) before a response are accepted or an error.",
      over: .http2
    ) { context in
      let origin = try serve(context, flood, waves: 10_000) { connection, stream in
        switch flood.id {
        case "continuation", "empty-continuation":
          try connection.send(
            HTTP2Frame(.continuation, flags: HTTP2Frame.endHeaders, stream: stream))
        case _ where !flood.hasHead: try connection.sendHead(stream: stream)
        default: break
        }
        try connection.sendData(stream: stream, "hello".utf8, isLast: true)
      }
      try await expectLittleMemory {
        let outcome = try await context.perform(ExchangeRequest(.data, origin))
        try expectFailure(
          outcome, .networkConnectionLost, .badServerResponse, .cannotParseResponse,
          .dataLengthExceedsMaximum, .unknown, or: "“hello”", within: .seconds(6)
        ) { $0.text == "hello" }
      }
    }
  }

  private static let endlessFloods = kinds.map { flood in
    ConformanceCase(
      .floods, "flood-\(flood.id)-endless",
      "\(flood.what.prefix(1).uppercased() + flood.what.dropFirst()) without end: an error or a time-out, using little memory.",
      over: .http2
    ) { context in
      let origin = try serve(context, flood, waves: .max) { _, _ in }
      let session = try context.session { $0.resourceTimeout = .seconds(3) }
      var request = ExchangeRequest(.data, origin)
      request.timeout = .seconds(2)
      try await expectLittleMemory {
        let outcome = try await context.perform(request, on: session)
        try expectFailure(
          outcome, .timedOut, .networkConnectionLost, .badServerResponse, .cannotParseResponse,
          .dataLengthExceedsMaximum, .unknown, within: .seconds(6))
      }
    }
  }
}
