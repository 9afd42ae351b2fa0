import Foundation
import TestSupport

extension ConformanceSuite {
  static let basics: [ConformanceCase] = exchanges + sessions + requests + addresses

  private static let exchanges: [ConformanceCase] =
    each(.basics, "get", "A GET returns status, fields and body.") { context in
      let (origin, server) = try context.serveHTTP { _ in
        Reply(headers: [("Content-Type", "text/plain"), ("X-One", "a"), ("X-One", "b")], text: "hello")
      }
      let outcome = try await context.perform(ExchangeRequest(.data, origin + "/path?query=1"))
      try expectResponse(outcome, text: "hello")
      try expect(outcome.headers["content-type"] == "text/plain", "Content-Type is lost.")
      let joined = outcome.headers["x-one"]?.replacingOccurrences(of: " ", with: "")
      try expect(joined == "a,b", "Two fields of one name became \(outcome.headers["x-one"] ?? "nothing").")
      try expect(outcome.finalURL == origin + "/path?query=1", "The URL is \(outcome.finalURL ?? "missing").")
      try expect(server.requests.first?.target == "/path?query=1", "The request had another target.")
    }
    + [404, 500].map { status in
      ConformanceCase(.basics, "status-\(status)", "A status of \(status) is a response, not an error.") {
        context in
        let (origin, _) = try context.serveHTTP { _ in Reply(status, text: "sorry") }
        try expectResponse(try await context.perform(ExchangeRequest(.data, origin)), status, text: "sorry")
      }
    }
    + [
      ConformanceCase(.basics, "callback", "A handler is called once with data and response.") { context in
        let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
        let outcome = try await context.perform(ExchangeRequest(.dataCallback, origin))
        try expectResponse(outcome, text: "hello")
        try expect(outcome.completions == 1, "The handler was called \(outcome.completions) times.")
      },
      ConformanceCase(.basics, "post", "A POST sends its body with Content-Length.") { context in
        let (origin, server) = try context.serveHTTP { Reply(text: "got " + $0.text) }
        let outcome = try await context.perform(
          ExchangeRequest(.data, origin, method: "POST", body: .data(Data("dog".utf8))))
        try expectResponse(outcome, text: "got dog")
        try expect(server.requests.first?["Content-Length"] == "3", "The length is wrong or missing.")
      },
      ConformanceCase(.basics, "methods", "Every method is sent unchanged.") { context in
        let (origin, _) = try context.serveHTTP { Reply(text: $0.method) }
        let session = try context.session()
        for method in ["GET", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"] {
          try expectResponse(
            try await context.perform(ExchangeRequest(.data, origin, method: method), on: session),
            text: method)
        }
      },
      ConformanceCase(.basics, "big-body", "A body of 64 MiB is assembled correctly.") { context in
        let body = Data((0..<(64 << 10)).map { UInt8(truncatingIfNeeded: $0 / 256 ^ $0) })
        let (origin, _) = try context.serve { connection in
          _ = try connection.readRequest()
          try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(64 << 20)\r\n\r\n")
          for _ in 0..<1024 { try connection.send(body) }
        }
        let outcome = try await context.perform(ExchangeRequest(.data, origin), limit: .seconds(15))
        try expectResponse(outcome)
        try expect(outcome.body.count == 64 << 20, "\(outcome.body.count) bytes arrived.")
        try expect(outcome.body.suffix(64 << 10) == body, "They differ from those that were sent.")
      },
      ConformanceCase(.basics, "keep-alive", "Consecutive requests share a connection.") { context in
        let (origin, server) = try context.serveHTTP { _ in Reply(text: "hello") }
        let session = try context.session { $0.needsKeptConnections = true }
        for _ in 0..<5 {
          try expectResponse(try await context.perform(ExchangeRequest(.data, origin), on: session))
        }
        try expect(server.connectionCount == 1, "\(server.connectionCount) connections were made.")
      },
      ConformanceCase(.basics, "many-at-once", "200 concurrent requests each receive their own body.") {
        context in
        let (origin, _) = try context.serveHTTP { Reply(text: $0.target) }
        let session = try context.session()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<200 {
            group.addTask {
              let request = ExchangeRequest(number % 2 == 0 ? .data : .dataCallback, origin + "/\(number)")
              try expectResponse(try await context.perform(request, on: session), text: "/\(number)")
            }
          }
          try await group.waitForAll()
        }
      },
    ]

  private static let sessions: [ConformanceCase] =
    each(.basics, "not-held-up", "A request does not wait for others that get no response.") { context in
      let isWaiting = Gate()
      let (origin, _) = try context.serve { connection in
        while let request = try connection.nextRequest() {
          if request.path == "/never" {
            isWaiting.open()
            try connection.readUntilClosed()
          }
          try connection.send(Reply(text: "hello"))
        }
      }
      let session = try context.session()
      let first = Task { await session.perform(ExchangeRequest(.data, origin + "/never")) }
      defer { first.cancel() }
      try expect(await isWaiting.wait(within: .seconds(5)), "The first request did not arrive.")
      let second = try await context.perform(ExchangeRequest(.data, origin + "/now"), on: session)
      try expectResponse(second, text: "hello")
    }
    + [
      ConformanceCase(.basics, "invalidate-in-flight", "Invalidating a session cancels its requests.") {
        context in
        let asked = Gate()
        let (origin, server) = try context.serve { connection in
          _ = try connection.readRequest()
          asked.open()
          try connection.readUntilClosed()
        }
        let session = try context.session(isJudgedAfterwards: false)
        let call = Task { try await context.perform(ExchangeRequest(.data, origin), on: session) }
        await asked.wait()
        session.invalidate()
        try expectFailure(try await call.value, .cancelled)
        let isClosed = await eventually(within: .seconds(3)) { server.openConnectionCount == 0 }
        try expect(isClosed, "The connection stays open.")
      },
      ConformanceCase(.basics, "invalidate-idle", "Invalidating a session closes its idle connections.") {
        context in
        let (origin, server) = try context.serveHTTP { _ in Reply(text: "hello") }
        let session = try context.session(isJudgedAfterwards: false)
        try expectResponse(try await context.perform(ExchangeRequest(.data, origin), on: session))
        session.invalidate()
        let isClosed = await eventually(within: .seconds(3)) { server.openConnectionCount == 0 }
        try expect(isClosed, "The connection stays open.")
      },
    ]

  private static let requests: [ConformanceCase] = [
    ConformanceCase(.basics, "request-fields", "Fields are sent as set.") { context in
      let (origin, server) = try context.serveHTTP { _ in Reply() }
      var request = ExchangeRequest(.data, origin)
      request.headers = [
        ("X-One", "a"), ("Accept", "text/x-dog"), ("User-Agent", "kennel/1"), ("X-Empty", ""),
      ]
      try expectResponse(try await context.perform(request))
      for (name, value) in request.headers {
        let sent = server.requests.first?[name]
        try expect(sent == value, "\(name) was sent as \(sent ?? "nothing").")
      }
    },
    ConformanceCase(.basics, "field-injection", "A line end in a field's value adds no field to the request.")
    {
      context in
      let (origin, server) = try context.serveHTTP { _ in Reply() }
      var request = ExchangeRequest(.data, origin)
      request.headers = [("X-One", "a\r\nX-Evil: 1")]
      _ = try await context.perform(request)
      try expect(server.requests.allSatisfy { $0["X-Evil"] == nil }, "The field X-Evil was sent.")
    },
    ConformanceCase(.basics, "method-injection", "A line end in a method adds nothing to the request.") {
      context in
      let (origin, server) = try context.serveHTTP { _ in Reply() }
      let request = ExchangeRequest(.data, origin, method: "GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET")
      _ = try await context.perform(request)
      try expect(server.requests.allSatisfy { $0["X-Evil"] == nil }, "The field X-Evil was sent.")
    },
    ConformanceCase(.basics, "target", "Percent-encoding is sent unchanged; a fragment is not sent.") {
      context in
      let (origin, server) = try context.serveHTTP { _ in Reply() }
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin + "/a%20b%2Fc/../d?e=%26&f#part")))
      let target = server.requests.first?.target
      try expect(
        target == "/a%20b%2Fc/../d?e=%26&f" || target == "/d?e=%26&f", "The target is \(target ?? "missing")."
      )
    },
  ]

  private static let addresses: [ConformanceCase] = [
    ConformanceCase(.basics, "ipv6", "A client can connect to a literal IPv6 address.") { context in
      let server = context.keep(try ScriptedServer.http(on: .ipv6) { _ in Reply(text: "six") })
      try expectResponse(try await context.perform(ExchangeRequest(.data, server.address())), text: "six")
    },
    ConformanceCase(.basics, "refused", "A port without a listener is -1004.") { context in
      let server = try ScriptedServer([.close])
      let address = server.address()
      server.stop()
      try expectFailure(try await context.perform(ExchangeRequest(.data, address)), .cannotConnectToHost)
    },
    ConformanceCase(.basics, "unknown-host", "A host that does not exist is -1003 or -1006.") { context in
      let outcome = try await context.perform(ExchangeRequest(.data, "http://nowhere.invalid/"))
      try expectFailure(outcome, .cannotFindHost, .dnsLookupFailed, within: .seconds(7))
    },
    ConformanceCase(.basics, "unknown-scheme-url", "An unknown scheme is -1002.") { context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, "kennel://127.0.0.1/")), .unsupportedURL)
    },
    ConformanceCase(.basics, "no-host", "A URL without a host is an error.") { context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, "http:///path")), .badURL, .unsupportedURL,
        .cannotFindHost)
    },
  ]
}
