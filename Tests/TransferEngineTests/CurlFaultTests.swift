import CCurl
import Foundation
import TestSupport
import Testing

@testable import TransferEngine

#if DEBUG
  // A fault strikes whoever calls next in the whole process: each of these tests runs in one of its own.
  @Suite(.timeLimit(.minutes(2))) struct CurlFaultTests {
    @Test func aClientThatCannotBeMadeSaysSo() async {
      await #expect(processExitsWith: .success) {
        CurlFault.makeMulti.arm()
        let failure = #expect(throws: TransferFailure.self) { _ = try TransferClient() }
        #expect(failure?.code == .outOfMemory)
        try await TransferClient().expectUsable()
      }
    }

    @Test func aHandleThatCannotBeMadeEndsItsTransferOnly() async {
      await #expect(processExitsWith: .success) { try await FaultWalk.strike(.makeEasy) }
    }

    @Test func aHandleThatLibcurlDoesNotTakeEndsItsTransferOnly() async {
      await #expect(processExitsWith: .success) { try await FaultWalk.strike(.addHandle) }
    }

    @Test func headersThatCannotBeMadeEndTheirTransferOnly() async {
      await #expect(processExitsWith: .success) { try await FaultWalk.strike(.makeHeaderList) }
    }

    @Test func anyOptionThatCannotBeSetEndsItsTransferOnly() async {
      await #expect(processExitsWith: .success) { try await FaultWalk.strikeEachOption() }
    }

    @Test func faultsInARowEndEachTransfer() async {
      await #expect(processExitsWith: .success) {
        let client = try TransferClient()
        for fault in [CurlFault.makeEasy, .addHandle, .makeHeaderList, .setOption] {
          fault.arm(times: 5)
          for number in 0..<5 {
            var request = FaultWalk.request("http://127.0.0.1:1/", body: .bytes([1]))
            // A list that is the same as before would not be made anew.
            request.headers = [TransferHeader("X-A", "\(fault) \(number)")]
            let record = try await client.run(request)
            #expect(record.failure?.code == .outOfMemory)
          }
        }
        try await client.expectUsable()
      }
    }

    @Test func aTransferThatCouldNotStartCanBeCancelledAllTheSame() async {
      await #expect(processExitsWith: .success) {
        let client = try TransferClient()
        for _ in 0..<50 {
          CurlFault.addHandle.arm()
          let observer = RecordingObserver()
          let transfer = client.makeTransfer(TransferRequest(url: "http://127.0.0.1:1/"), observer: observer)
          transfer.start()
          transfer.cancel()
          #expect(await observer.ended.wait(within: .seconds(30)))
          #expect(observer.record.ends.count == 1)
        }
        try await client.expectUsable()
      }
    }
  }

  private enum FaultWalk {
    static func request(_ url: String, body: TransferBody) -> TransferRequest {
      var request = TransferRequest(url: url)
      if case .none = body {} else { request.method = "PATCH" }
      request.headers = [TransferHeader("X-A", "b")]
      request.body = body
      request.acceptedEncodings = "gzip"
      request.connectTimeout = .seconds(5)
      return request
    }

    private static var bodies: [TransferBody] {
      [.none, .bytes([1, 2, 3]), .source(ScriptedBody([1, 2, 3], length: 3))]
    }

    /// The fault in a fresh client, and in one whose handles have been used.
    static func strike(_ fault: CurlFault) async throws {
      for uses in [0, 3] {
        let client = try TransferClient()
        // Two handles are made by the two that run at once, none of them later on.
        for _ in 0..<uses where fault != .makeEasy { try await client.expectUsable() }
        for body in bodies {
          fault.arm()
          let record = try await client.run(request("http://127.0.0.1:1/", body: body))
          CurlFault.disarm()
          if fault == .makeEasy, record.failure?.code == .cannotConnect { continue }
          #expect(record.failure?.code == .outOfMemory)
          #expect(record.heads.isEmpty && record.afterEnd == 0)
          try await client.expectUsable()
        }
      }
    }

    /// Each single option fails once: the first, the second, until none is left that could.
    static func strikeEachOption() async throws {
      let server = try ScriptedServer.http { Reply(body: $0.body) }
      for body in 0..<bodies.count {
        for wasUsed in [false, true] {
          let client = try TransferClient()
          var (struck, tolerated) = (0, 0)
          while true {
            if wasUsed { try await client.expectUsable() }
            CurlFault.setOption.arm(after: struck)
            let record = try await client.run(request(server.address(), body: bodies[body]))
            guard CurlFault.disarm() else { break }
            if let failure = record.failure {
              #expect(failure.curl == CURLE_OUT_OF_MEMORY.rawValue)
            } else {
              tolerated += 1
            }
            struck += 1
            try #require(struck < 100)
            try await client.expectUsable()
          }
          // The receive buffer's size is a wish.
          #expect(tolerated <= 1)
          #expect(struck > 2)
        }
      }
    }
  }
#endif
