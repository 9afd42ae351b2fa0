#if !canImport(Darwin)
import Foundation
import Retriever
import TestSupport
import Testing

/// The cases of the Autobahn test suite for clients. Its server needs Python 2.7: `scripts/test-websocket` starts it and
/// sets `RETRIEVER_AUTOBAHN` to its URL.
@Suite(.serialized) struct WebSocketAutobahnTests {
  private static let server = ProcessInfo.processInfo.environment["RETRIEVER_AUTOBAHN"]

  private func task(_ path: String, _ session: URLSession) throws -> URLSessionWebSocketTask {
    let task = session.webSocketTask(with: try #require(URL(string: (Self.server ?? "") + path)))
    task.maximumMessageSize = 64 << 20
    task.resume()
    return task
  }

  @Test(.enabled(if: server != nil)) func `every case of the Autobahn test suite runs`() async throws {
    let session = URLSession(configuration: .ephemeral)
    let counting = try task("/getCaseCount", session)
    guard case .string(let text) = try await counting.receive(), let count = Int(text) else {
      Issue.record("The server did not report the number of cases")
      return
    }
    for number in 1...count {
      let task = try task("/runCase?case=\(number)&agent=Retriever", session)
      do {
        while true { try await task.send(try await task.receive()) }
      } catch {
        // The case has ended. The server judges how.
      }
      #expect(await eventually { task.state == .completed }, "case \(number)")
    }
    let reporting = try task("/updateReports?agent=Retriever", session)
    _ = try? await reporting.receive()
    session.invalidateAndCancel()
  }
}
#endif
