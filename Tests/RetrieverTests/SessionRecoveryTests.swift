#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

/// A session that could not start because memory or descriptors ran out starts at its next use.
@Suite(.timeLimit(.minutes(5))) struct SessionRecoveryTests {
  #if DEBUG
  @Test func `a session that could not start is tried again at its next use`() async throws {
    // Runs in its own process, because an armed fault affects the first caller.
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer.http { _ in Reply(text: "x") }
      CurlFault.makeMulti.arm(times: 2)
      let session = URLSession.forTest()
      guard
        await errorCode(of: { _ = try await session.data(from: server.url()) }) == .resourceUnavailable
      else { exit(1) }
      for _ in 0..<3 {
        guard try await session.data(from: server.url()).0 == Data("x".utf8) else { exit(2) }
      }
      // All loads share one client, and so one connection.
      guard server.connectionCount == 1 else { exit(3) }
    }
  }

  @Test func `invalidating a session that started late closes its connections`() async throws {
    await #expect(processExitsWith: .success) {
      let server = try ScriptedServer.http { _ in Reply(text: "x") }
      CurlFault.makeMulti.arm()
      let session = URLSession.forTest()
      guard try await session.data(from: server.url()).0 == Data("x".utf8) else { exit(1) }
      guard server.openConnectionCount == 1 else { exit(2) }
      session.finishTasksAndInvalidate()
      guard await eventually({ server.openConnectionCount == 0 }) else { exit(3) }
      guard await errorCode(of: { _ = try await session.data(from: server.url()) }) == .cancelled else {
        exit(4)
      }
    }
  }
  #endif
}
#endif
