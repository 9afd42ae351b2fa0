import Foundation
import TestSupport

extension ConformanceSuite {
  static let crowds: [ConformanceCase] =
    [
      crowd("crowd-refused", "10,000 loads from a port without a listener all end with -1004.") {
        context in
        let port = try ClosedPort()
        let session = try context.session()
        _ = try await context.perform(ExchangeRequest(.data, port.address()), on: session)
        let before = ResourceSnapshot.take()
        try await load(10_000, context, session, port.address()) {
          try expectFailure($0, .cannotConnectToHost, within: .seconds(100))
        }
        let isClean = await eventually(within: .seconds(3)) {
          let left = ResourceSnapshot.take().since(before)
          return left.sockets <= 2 && left.threads <= 8
        }
        try expect(isClean, "Before: \(before), after: \(ResourceSnapshot.take()).")
      },
      crowd("crowd-queued", "5,000 loads that wait for one host all get a response.") { context in
        let address = try context.servers.nginx().url("/1k").absoluteString
        try await load(5000, context, try context.session(), address) { try expectResponse($0) }
      },
      crowd("crowd-linear", "Eight times as many waiting loads take about eight times as long.") { context in
        let address = try context.servers.nginx().url("/1k").absoluteString
        let session = try context.session()
        var times: [Duration] = []
        for count in [1000, 1000, 8000] {
          let start = ContinuousClock.now
          try await load(count, context, session, address) { try expectResponse($0) }
          times.append(.now - start)
        }
        // The first round is a warm-up. If each load looked at all others, the factor would be 64.
        try expect(times[2] < times[1] * 24, "1,000 loads took \(times[1]), 8,000 took \(times[2]).")
      },
      crowd("crowd-hosts", "A host that does not answer does not delay loads from other hosts.") { context in
        let (silent, _) = try context.serve([.readRequest, .hold])
        let address = try context.servers.nginx().url("/1k").absoluteString
        let session = try context.session { $0.requestTimeout = .seconds(15) }
        let stop = Gate()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<1000 {
            group.addTask {
              var request = ExchangeRequest(.data, "\(silent)/\(number)")
              request.cancel = stop
              _ = try await context.perform(request, on: session, limit: .seconds(60))
            }
          }
          try await load(200, context, session, address) { try expectResponse($0) }
          stop.open()
          try await group.waitForAll()
        }
      },
      crowd("crowd-cancelled", "5,000 waiting loads that are cancelled all end with -999, soon.") { context in
        let (silent, _) = try context.serve([.readRequest, .hold])
        let session = try context.session()
        let stop = Gate()
        let elapsed = Slot<ContinuousClock.Instant>()
        try await withThrowingTaskGroup(of: Void.self) { group in
          for number in 0..<5000 {
            group.addTask {
              var request = ExchangeRequest(.data, "\(silent)/\(number)")
              request.cancel = stop
              try expectFailure(
                try await context.perform(request, on: session, limit: .seconds(60)), .cancelled,
                within: .seconds(60))
            }
          }
          group.addTask {
            _ = await eventually(within: .seconds(2)) { false }
            elapsed.value = .now
            stop.open()
          }
          try await group.waitForAll()
        }
        let took = elapsed.value.map { ContinuousClock.now - $0 } ?? .zero
        try expect(took < .seconds(5), "Cancelling took \(took).")
      },
    ]
    + unread("crowd-unread", "Unread bodies use a bounded amount of memory.", over: .http, 6)
    + unread("crowd-unread-https", "Unread bodies use a bounded amount of memory.", over: .https, 6)
    + unread(
      "crowd-unread-http2", "30 unread streams use a bounded amount of memory.", over: .http2, 30)

  /// Sends one byte to each of the streams, and then as much as the client's windows permit to all of them.
  private static func fillWindows(of count: Int, _ connection: HTTP2Connection) throws {
    var (initial, shared, windows) = (65_535, 65_535, [UInt32: Int]())
    try connection.handshake()
    while let frame = try connection.nextFrame() {
      switch frame.kind {
      case .settings: initial = frame.initialWindow ?? initial
      case .windowUpdate where frame.stream == 0: shared += frame.windowIncrement
      case .windowUpdate: windows[frame.stream]? += frame.windowIncrement
      case .headers:
        try connection.sendHead(stream: frame.stream)
        try connection.sendData(stream: frame.stream, [1])
        windows[frame.stream] = initial - 1
        shared -= 1
      default: break
      }
      guard windows.count >= count else { continue }
      for (stream, window) in windows {
        var left = window
        while left > 0, shared > 0 {
          let size = min(16_384, left, shared)
          try connection.sendData(stream: stream, [UInt8](repeating: 1, count: size))
          left -= size
          shared -= size
        }
        windows[stream] = left
      }
    }
  }

  private static func crowd(
    _ id: String, _ title: String, body: @escaping @Sendable (CaseContext) async throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.crowds, id, title, limit: .seconds(120), in: .ownProcess, body: body)
  }

  /// Performs several loads at the same time, each of another URL: otherwise they could share a response.
  private static func load(
    _ count: Int, _ context: CaseContext, _ session: any ConformanceSession, _ address: String,
    judge: @escaping @Sendable (ExchangeOutcome) throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<count {
        group.addTask {
          let request = ExchangeRequest(.data, "\(address)?\(number)")
          try judge(try await context.perform(request, on: session, limit: .seconds(100)))
        }
      }
      try await group.waitForAll()
    }
  }

  /// Returns a case with large bodies, of which one byte is read. The memory limit for each body is the documented 1
  /// MiB, over HTTP/2 another 1 MiB for the stream's window, and 0.5 MiB for data in transit.
  private static func unread(
    _ id: String, _ title: String, over transport: Transport, _ count: Int
  ) -> [ConformanceCase] {
    [
      ConformanceCase(.crowds, id, title, over: transport, limit: .seconds(60), in: .ownProcess) { context in
        let nginx = try context.servers.nginx()
        let address =
          switch transport {
          case .http: nginx.url("/big").absoluteString
          case .https: nginx.secureURL("/big").absoluteString
          case .http2: try context.serveHTTP2 { try fillWindows(of: count, $0) }
          }
        let session = try context.session()
        // The first use of a session allocates memory too.
        let other = try context.servers.healthy().address()
        try expectResponse(try await context.perform(ExchangeRequest(.data, other), on: session))
        var request = ExchangeRequest(.bytes, address)
        let begun = Counter()
        let stop = Gate()
        request.elementLimit = 2
        request.onElement = { _ in
          begun.increment()
          await stop.wait()
        }
        let granted = transport == .http2 ? 5 << 19 : 3 << 19
        try await expectLittleMemory(16 << 20 + count * granted) { [request] in
          try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<count {
              group.addTask {
                var request = request
                request.url += "?\(number)"
                try expectResponse(try await context.perform(request, on: session, limit: .seconds(40)))
              }
            }
            let haveBegun = await eventually(within: .seconds(10)) { begun.value == count }
            // Waits until nothing more has arrived for two seconds.
            let last = Slot((bytes: 0, since: ContinuousClock.now))
            _ = await eventually(within: .seconds(15)) {
              let bytes = ResourceSnapshot.residentBytes()
              guard let seen = last.value, bytes - seen.bytes < 1 << 20 else {
                last.value = (bytes, .now)
                return false
              }
              return ContinuousClock.now - seen.since > .seconds(2)
            }
            stop.open()
            try await group.waitForAll()
            try expect(haveBegun, "\(begun.value) of \(count) bodies began.")
          }
        }
      }
    ]
  }
}
