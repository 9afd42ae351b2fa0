import Foundation
import TestSupport
import Testing

@testable import TransferEngine

/// A body is either complete or an error, also over HTTP/2.
@Suite(.timeLimit(.minutes(5))) struct TransferEndingTests {
  private static func load(
    _ answer: @escaping @Sendable (HTTP2Connection, UInt32) throws -> Void
  ) async throws -> RecordingObserver.Record {
    let server = try HTTP2FaultServer { connection in
      try connection.handshake()
      let stream = try connection.nextRequest()
      try answer(connection, stream)
      try connection.raw.readUntilClosed()
    }
    let client = try TransferClient(options: .trustingTestAuthority())
    var request = TransferRequest(url: server.address())
    request.idleTimeout = .seconds(10)
    return try await client.run(request)
  }

  enum Cut: CaseIterable {
    case resetWithoutError, resetWithError, brokenFrame, brokenFrameAfterData, goAwayWithError, closed
    case resetRightAfterHead
  }

  @Test(arguments: Cut.allCases) func `a body that was cut off is an error`(cut: Cut) async throws {
    let record = try await Self.load { connection, stream in
      try connection.sendHead(stream: stream)
      if cut != .resetRightAfterHead, cut != .brokenFrame {
        try connection.sendData(stream: stream, "only a part".utf8)
      }
      switch cut {
      case .resetWithoutError, .resetRightAfterHead: try connection.reset(stream: stream, code: 0)
      case .resetWithError: try connection.reset(stream: stream, code: 2)
      // DATA on stream 0 is a connection error.
      case .brokenFrame, .brokenFrameAfterData:
        try connection.send(HTTP2Frame(type: 0, flags: 0, stream: 0, payload: [1, 2, 3]))
      case .goAwayWithError:
        try connection.goAway(lastStream: stream, code: 1)
        connection.raw.close()
      case .closed: connection.raw.close()
      }
    }
    #expect([.connectionLost, .badReply].contains(record.failure?.code), "\(record)")
  }

  enum ValidEnd: CaseIterable {
    case endOnData, endOnEmptyData, endOnHead, resetAfterEnd, goAwayAfterEnd, closedAfterEnd, trailers, length
  }

  @Test(arguments: ValidEnd.allCases) func `a body with a valid end is complete`(end: ValidEnd) async throws {
    let record = try await Self.load { connection, stream in
      switch end {
      case .endOnHead: try connection.sendHead(stream: stream, isLast: true)
      case .endOnData: try connection.respond(stream: stream, text: "hello")
      case .endOnEmptyData:
        try connection.sendHead(stream: stream)
        try connection.sendData(stream: stream, "hello".utf8)
        try connection.sendData(stream: stream, [], isLast: true)
      case .resetAfterEnd:
        try connection.respond(stream: stream, text: "hello")
        try connection.reset(stream: stream, code: 0)
      case .goAwayAfterEnd:
        try connection.respond(stream: stream, text: "hello")
        try connection.goAway(lastStream: stream, code: 0)
      case .closedAfterEnd:
        try connection.respond(stream: stream, text: "hello")
        connection.raw.finishSending()
      case .trailers:
        try connection.sendHead(stream: stream)
        try connection.sendData(stream: stream, "hello".utf8)
        try connection.send(
          HTTP2Frame(
            .headers, flags: HTTP2Frame.endHeaders | HTTP2Frame.endStream, stream: stream,
            payload: HTTP2Frame.fieldSection([("x-check", "sum")])))
      case .length:
        try connection.sendHead(stream: stream, fields: [("content-length", "5")])
        try connection.sendData(stream: stream, "hello".utf8)
        try connection.sendData(stream: stream, [], isLast: true)
      }
    }
    #expect(record.failure == nil)
    #expect(String(decoding: record.body, as: UTF8.self) == (end == .endOnHead ? "" : "hello"))
  }

  @Test(arguments: ["gzip, chunked", "chunked, gzip", "deflate", "x-unknown, chunked"])
  func `a transfer coding that was not asked for is an error`(coding: String) async throws {
    let server = try ScriptedServer([
      .readRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: \(coding)\r\n\r\n0\r\n\r\n"),
      .readUntilClosed,
    ])
    let record = try await TransferClient().run(TransferRequest(url: server.address()))
    #expect(record.failure?.code == .badReply)
  }

  @Test(arguments: [true, false])
  func `a HEAD request with a body does not wait for a response body`(isStream: Bool) async throws {
    let server = try ScriptedServer { connection in
      _ = try connection.readRequest()
      try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n")
      try connection.readUntilClosed()
    }
    var request = TransferRequest(url: server.address())
    request.method = "HEAD"
    let body = Array("body".utf8)
    request.body = isStream ? .source(ScriptedBody(body, length: 4)) : .bytes(body)
    request.idleTimeout = .seconds(20)
    let record = try await TransferClient().run(request)
    #expect(record.failure == nil)
    #expect(record.heads.map(\.status) == [200])
  }
}
