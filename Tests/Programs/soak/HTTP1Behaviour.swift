import Foundation
import TestSupport

/// The server side of HTTP/1.1. It handles each request as planned for its load.
struct HTTP1Behaviour: Sendable {
  let seed: UInt64
  let runLog: RunLog
  /// Returns the start of URLs on another origin, for redirects.
  let otherOrigin: @Sendable () -> String

  func serve(_ connection: ScriptedConnection) throws {
    while let head = try connection.readHead() {
      if head.target == TunnelProxy.redirectPath {
        runLog.violation("proxy response", "a redirect from the https proxy was followed")
      }
      guard let (number, hop) = LoadPlan.parse(head.target) else {
        runLog.violation("request line", "a server received \(head.method) \(head.target)")
        return
      }
      let plan = LoadPlan(seed: seed, number: number)
      if head.target.hasPrefix("http:") { runLog.recordProxyUse() }
      try check(head, plan, hop: hop)
      guard try answer(head, plan, hop: hop, on: connection) else { return }
    }
  }

  /// Checks that the received request matches its load, and that it was not sent too often.
  private func check(_ head: ScriptedRequest, _ plan: LoadPlan, hop: Int) throws {
    if head.method != plan.method(hop: hop) {
      runLog.violation("method", "hop \(hop) of \(plan) arrived as \(head.method)")
    }
    let count = runLog.received(plan.number, hop: hop)
    if head.method == "POST", count > 1 {
      runLog.violation("sent twice", "a server received \(plan), hop \(hop), \(count) times")
    } else if count > 3 {
      runLog.violation("sent too often", "a server received \(plan), hop \(hop), \(count) times")
    }
    for name in ["Authorization", "X-Soak-Token"] {
      if plan.hasCrossed(hop: hop), head[name] != nil {
        runLog.violation("secret crossed", "\(name) of \(plan) arrived at another origin")
      } else if hop == 0, head[name] != "soak \(plan.number)" {
        runLog.violation("field lost", "\(name) of \(plan) arrived as \(head[name] ?? "nothing")")
      }
    }
  }

  /// Returns whether the connection stays open.
  private func answer(
    _ head: ScriptedRequest, _ plan: LoadPlan, hop: Int, on connection: ScriptedConnection
  ) throws -> Bool {
    let isLast = hop == plan.redirects.count
    let kind = plan.behaviour.kind
    if isLast, kind == .earlyAnswer {
      try connection.send(
        text(plan, "Connection: close\r\nContent-Length: \(plan.behaviour.size)", body(plan)))
      connection.finishSending()
      try connection.readUntilClosed()
      return false
    }
    if isLast, kind == .cutUpload {
      if plan.bodySize(hop: hop) > 0 { _ = try connection.read(upTo: 100) }
      return false
    }
    let request = try connection.readRest(of: head)
    let expected = Content.bytes(plan.number, plan.bodySize(hop: hop))
    if request.body != expected {
      runLog.violation(
        "request body",
        "a server received \(request.body.count) bytes, not \(expected.count), for hop \(hop) of \(plan)")
    }
    if !isLast {
      let redirect = plan.redirects[hop]
      let origin = redirect.crossesOrigin ? otherOrigin() : ""
      let address = origin + LoadPlan.path(plan.number, hop: hop + 1)
      try connection.send(Reply.redirect(to: address, status: redirect.status))
      return true
    }
    return try reply(plan, on: connection)
  }

  private func body(_ plan: LoadPlan) -> Data {
    plan.method(hop: plan.redirects.count) == "HEAD"
      ? Data() : Content.bytes(plan.number, plan.behaviour.size)
  }

  private func text(_ plan: LoadPlan, _ fields: String, _ body: Data) -> Data {
    Data("HTTP/1.1 \(plan.behaviour.status) Soak\r\n\(fields)\r\n\r\n".utf8) + body
  }

  private func chunked(_ body: Data, in size: Int) -> Data {
    body.isEmpty ? Data() : Reply(body: body, framing: .chunked(size)).framedBody
  }

  private func reply(_ plan: LoadPlan, on connection: ScriptedConnection) throws -> Bool {
    let isHead = plan.method(hop: plan.redirects.count) == "HEAD"
    let size = plan.behaviour.size
    let body = body(plan)
    let length = "Content-Length: \(size)"
    switch plan.behaviour.kind {
    case .length, .notFound: try connection.send(text(plan, length, body))
    case .noContent: try connection.send("HTTP/1.1 204 No Content\r\n\r\n")
    case .chunked:
      let ending = isHead ? Data() : Data("0\r\n\r\n".utf8)
      let framed = isHead || !body.isEmpty ? chunked(body, in: 1 + plan.number % 9000) : ending
      try connection.send(text(plan, "Transfer-Encoding: chunked", framed))
    case .untilClose:
      try connection.send(text(plan, "X-Soak: until close", body))
      return false
    case .inPieces:
      let response = text(plan, length, body)
      for start in stride(from: 0, to: response.count, by: max(1, response.count / 5)) {
        try connection.send(response.dropFirst(start).prefix(max(1, response.count / 5)))
        try connection.pacing(.milliseconds(2))
      }
    case .interim:
      let hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"
      try connection.send(Data(hints.utf8) + text(plan, length, body))
    case .gzip, .badGzip:
      let file = plan.behaviour.kind == .gzip ? CompressedFixture.gzip(body) : CompressedFixture.corruptGzip
      let fields = "Content-Encoding: gzip\r\nContent-Length: \(file.count)"
      try connection.send(text(plan, fields, isHead ? Data() : file))
    case .closes:
      try connection.send(text(plan, "Connection: close\r\n" + length, body))
      return false
    case .closesSilently:
      try connection.send(text(plan, length, body))
      return false
    case .bytesAfterBody:
      let excess = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\nanother"
      try connection.send(text(plan, length, body) + Data(excess.utf8))
      // libcurl discards data after a response without a body, and reuses the connection.
      if let next = try connection.readHead(), !body.isEmpty {
        runLog.violation(
          "excess", "\(next.target) was sent on a connection with excess data, after \(plan)")
      }
      return false
    default: return try misbehave(plan, body, on: connection)
    }
    return true
  }

  private func misbehave(_ plan: LoadPlan, _ body: Data, on connection: ScriptedConnection) throws -> Bool {
    let length = "Content-Length: \(plan.behaviour.size)"
    let half = body.prefix(body.count / 2)
    switch plan.behaviour.kind {
    case .resetImmediately: connection.reset()
    case .cutLength: try connection.send(text(plan, length, half))
    case .cutChunked:
      try connection.send(text(plan, "Transfer-Encoding: chunked", chunked(half, in: 1000).dropLast(5)))
    case .resetInBody:
      try connection.send(text(plan, length, half))
      connection.reset()
    case .notHTTP: try connection.send("220 soak.example ESMTP\r\n")
    case .badChunkSize:
      try connection.send(
        text(plan, "Transfer-Encoding: chunked", body.isEmpty ? body : Data("zz\r\nsoak\r\n0\r\n\r\n".utf8)))
    case .twoLengths:
      try connection.send(text(plan, length + "\r\nContent-Length: \(plan.behaviour.size + 1)", body))
    case .longField:
      try connection.send(
        text(plan, "X-Long: " + String(repeating: "a", count: 400_000) + "\r\n" + length, body))
    case .stall: try connection.readUntilClosed()
    case .stallInBody:
      try connection.send(text(plan, length, half))
      if !body.isEmpty { try connection.readUntilClosed() }
    default: break
    }
    return false
  }
}
