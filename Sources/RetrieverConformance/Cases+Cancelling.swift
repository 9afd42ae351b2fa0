import Foundation
import TestSupport

extension ConformanceSuite {
  static let cancelling: [ConformanceCase] =
    [
      cancelled(
        "cancel-before-head", "Cancelling before the head ends the load immediately.", .data, head: false),
      cancelled("cancel-in-body", "Cancelling inside the body ends the transfer immediately.", .data),
      cancelled("cancel-download", "Cancelling a download ends the transfer immediately.", .download),
      cancelled(
        "cancel-bytes-before-head", "Cancelling bytes before the head ends the transfer.", .bytes, head: false
      ),
      cancelled("cancel-callback", "Cancelling a task calls its handler once, with -999.", .dataCallback),
      cancelled("cancel-download-callback", "Cancelling a download task does the same.", .downloadCallback),
    ]
    + each(over: [.https], .cancelling, "cancel-over-tls", "Cancelling over TLS ends the load immediately.") {
      try await cancel($0, .data, head: true)
    }
    + [cancelledBeforehand(.data), cancelledBeforehand(.download), cancelledBeforehand(.bytes)]
    + [
      ConformanceCase(.cancelling, "cancel-upload", "Cancelling an upload ends the transfer immediately.") {
        context in
        let closed = Gate()
        let started = Gate()
        let (origin, _) = try context.serve { connection in
          defer { closed.open() }
          _ = try connection.readHead()
          started.open()
          try connection.readUntilClosed()
        }
        var request = ExchangeRequest(
          .upload, origin, method: "POST", body: .data(Data(repeating: 1, count: 64 << 20)))
        request.cancel = started
        try expectFailure(try await context.perform(request), .cancelled)
        try expect(await closed.wait(within: .seconds(4)), "The connection stays open.")
      },
      ConformanceCase(
        .cancelling, "cancel-two-in-a-row", "Cancelling a task with two consecutive loads ends the first."
      ) {
        context in
        let asked = Gate()
        let (origin, server) = try context.serve { connection in
          _ = try connection.readRequest()
          asked.open()
          try connection.readUntilClosed()
        }
        let session = try context.session()
        let outcomes = await within(.seconds(8)) {
          let task = Task {
            let first = await session.perform(ExchangeRequest(.data, origin))
            let second = await session.perform(ExchangeRequest(.data, origin))
            return [first, second]
          }
          await asked.wait()
          task.cancel()
          return await task.value
        }
        guard let outcomes else { throw CaseFailure(reason: "The calls did not end.", isHang: true) }
        for outcome in outcomes { try expectFailure(outcome, .cancelled) }
        try expect(server.connectionCount <= 2, "\(server.connectionCount) connections were made.")
      },
      ConformanceCase(.cancelling, "cancel-hundred", "A hundred transfers cancelled together all end.") {
        context in
        let all = Gate()
        let count = Counter()
        let (origin, server) = try context.serve { connection in
          _ = try connection.readRequest()
          if count.increment() == 4 { all.open() }
          try connection.readUntilClosed()
        }
        let session = try context.session()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<100 {
            group.addTask {
              var request = ExchangeRequest(.data, "\(origin)/\(number)")
              request.cancel = all
              try expectFailure(
                try await context.perform(request, on: session), .cancelled, within: .seconds(8))
            }
          }
          try await group.waitForAll()
        }
        let areClosed = await eventually(within: .seconds(4)) { server.openConnectionCount == 0 }
        try expect(areClosed, "\(server.openConnectionCount) connections stay open.")
      },
      ConformanceCase(
        .cancelling, "cancel-race", "Cancelling while the response arrives gives an error or the response."
      ) {
        context in
        let session = try context.session()
        let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
        for round in 0..<60 {
          var request = ExchangeRequest(round % 2 == 0 ? .data : .dataCallback, origin)
          let cancel = Gate()
          request.cancel = cancel
          async let outcome = context.perform(request, on: session)
          for _ in 0..<(round * 4) { await Task.yield() }
          cancel.open()
          let result = try await outcome
          try expectFailure(result, .cancelled, or: "“hello”") { $0.text == "hello" }
        }
      },
    ]

  private static func cancelledBeforehand(_ kind: ExchangeRequest.Kind) -> ConformanceCase {
    let id = "cancel-beforehand-\(kind.rawValue)"
    return ConformanceCase(.cancelling, id, "A \(kind.rawValue) call in a cancelled task throws -999.") {
      context in
      let (origin, server) = try context.serveHTTP { _ in Reply(text: "hello") }
      let session = try context.session()
      let call = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        return try await context.performUnwatched(ExchangeRequest(kind, origin), on: session)
      }
      try expectFailure(try await call.value, .cancelled)
      try expect(server.requests.count <= 1, "\(server.requests.count) requests were sent.")
    }
  }

  private static func cancelled(
    _ id: String, _ title: String, _ kind: ExchangeRequest.Kind, head: Bool = true
  ) -> ConformanceCase {
    ConformanceCase(.cancelling, id, title) { try await cancel($0, kind, head: head) }
  }

  private static func cancel(_ context: CaseContext, _ kind: ExchangeRequest.Kind, head: Bool) async throws {
    let started = Gate()
    let closed = Gate()
    let (origin, _) = try context.serve { connection in
      defer { closed.open() }
      _ = try connection.readRequest()
      if head { try connection.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part") }
      started.open()
      try connection.readUntilClosed()
    }
    var request = ExchangeRequest(kind, origin)
    request.cancel = started
    let outcome = try await context.perform(request)
    try expectFailure(outcome, .cancelled, within: .seconds(2))
    if kind == .dataCallback || kind == .downloadCallback {
      try expect(outcome.completions == 1, "The handler was called \(outcome.completions) times.")
    }
    try expect(await closed.wait(within: .seconds(4)), "The connection stays open.")
  }
}

extension CaseContext {
  /// Performs a request in the calling task, so that cancelling the task cancels the call.
  func performUnwatched(
    _ request: ExchangeRequest, on session: any ConformanceSession
  ) async throws -> ExchangeOutcome {
    let outcome = await session.perform(request)
    if let missing = outcome.notOffered { throw NotOffered(missing) }
    return outcome
  }
}
