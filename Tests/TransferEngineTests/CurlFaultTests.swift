import CCurl
import Foundation
import TestSupport
import Testing

@testable import TransferEngine

#if DEBUG
// A fault affects the next call in the process, so each of these tests runs in its own process.
@Suite(.timeLimit(.minutes(5))) struct CurlFaultTests {
  @Test func `a client that cannot be created throws an error`() async {
    await #expect(processExitsWith: .success) {
      CurlFault.makeMulti.arm()
      let failure = #expect(throws: TransferFailure.self) { _ = try TransferClient() }
      #expect(failure?.code == .outOfMemory)
      try await TransferClient().expectUsable()
    }
  }

  @Test func `a handle that cannot be created only fails its own transfer`() async {
    await #expect(processExitsWith: .success) { try await FaultWalk.injectFault(.makeEasy) }
  }

  @Test func `a handle that libcurl rejects only fails its own transfer`() async {
    await #expect(processExitsWith: .success) { try await FaultWalk.injectFault(.addHandle) }
  }

  @Test func `headers that cannot be created only fail their own transfer`() async {
    await #expect(processExitsWith: .success) { try await FaultWalk.injectFault(.makeHeaderList) }
  }

  @Test func `an option that cannot be set only fails its own transfer`() async {
    await #expect(processExitsWith: .success) { try await FaultWalk.failEachOption() }
  }

  @Test func `an option that cannot be set on a restart only fails its own transfer`() async {
    await #expect(processExitsWith: .success) { try await FaultWalk.failEachOptionOfRestart() }
  }

  @Test func `repeated faults fail every transfer`() async {
    await #expect(processExitsWith: .success) {
      let client = try TransferClient()
      for fault in [CurlFault.makeEasy, .addHandle, .makeHeaderList, .setOption] {
        fault.arm(times: 5)
        for number in 0..<5 {
          var request = FaultWalk.request("http://127.0.0.1:1/", body: .bytes([1]))
          // An unchanged list would not be created again.
          request.headers = [TransferHeader("X-A", "\(fault) \(number)")]
          let record = try await client.run(request)
          #expect(record.failure?.code == .outOfMemory)
        }
      }
      try await client.expectUsable()
    }
  }

  @Test func `a transfer that could not start can still be cancelled`() async {
    await #expect(processExitsWith: .success) {
      let client = try TransferClient()
      for _ in 0..<50 {
        CurlFault.addHandle.arm()
        let observer = RecordingObserver()
        let transfer = client.makeTransfer(TransferRequest(url: "http://127.0.0.1:1/"), observer: observer)
        transfer.start()
        transfer.cancel()
        #expect(await observer.ended.wait(within: .seconds(90)))
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

  /// Tests the fault in a new client, and in one whose handles have been used.
  static func injectFault(_ fault: CurlFault) async throws {
    for uses in [0, 3] {
      let client = try TransferClient()
      // Two transfers that run at the same time create two handles. After that, no more are created.
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

  /// Makes each option of a transfer fail once.
  static func failEachOption() async throws {
    let server = try ScriptedServer.http { Reply(body: $0.body) }
    for body in 0..<bodies.count {
      for wasUsed in [false, true] {
        let client = try TransferClient()
        try await failEachOption(client) {
          if wasUsed { try await client.expectUsable() }
          return request(server.address(), body: bodies[body])
        }
      }
    }
  }

  /// Makes each option of a transfer fail once that begins on a kept-alive connection and continues on a new one,
  /// because the server has sent data that nobody requested.
  static func failEachOptionOfRestart() async throws {
    let client = try TransferClient()
    var servers: [ScriptedServer] = []
    // The handle is set up twice.
    try await failEachOption(client, tolerated: 2) {
      let (isRead, isPoisoned) = (Gate(), Gate())
      let server = try ScriptedServer { connection in
        while try connection.nextRequest() != nil {
          try connection.send(Reply(text: "healthy"))
          if connection.index > 0 { continue }
          try connection.wait(for: isRead)
          try connection.send(Reply(text: "poison"))
          isPoisoned.open()
        }
      }
      servers.append(server)
      let request = request(server.address(), body: .none)
      let first = try await client.run(request)
      #expect(first.failure == nil)
      isRead.open()
      #expect(await isPoisoned.wait(within: .seconds(90)))
      // After another response, the loop has looked at its connections.
      try await client.expectUsable()
      return request
    }
  }

  /// Runs one transfer after another. The first option fails in the first, the second option in the second, and so
  /// on, until no option is left.
  private static func failEachOption(
    _ client: TransferClient, tolerated maximum: Int = 1, of makeRequest: () async throws -> TransferRequest
  ) async throws {
    var (failedOptions, tolerated) = (0, 0)
    while true {
      let request = try await makeRequest()
      CurlFault.setOption.arm(after: failedOptions)
      let record = try await client.run(request)
      guard CurlFault.disarm() else { break }
      if let failure = record.failure {
        #expect(failure.curl == CURLE_OUT_OF_MEMORY.rawValue)
      } else {
        tolerated += 1
      }
      failedOptions += 1
      try #require(failedOptions < 100)
      try await client.expectUsable()
    }
    // Each time that a handle is set up, the size of the receive buffer is optional.
    #expect(tolerated <= maximum)
    #expect(failedOptions > 2)
  }
}
#endif
