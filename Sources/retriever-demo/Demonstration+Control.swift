import Foundation
import Retriever
import TestSupport

// Challenges, cancelling, concurrent loads, metrics.
extension Demonstration {
  func signIn() async throws -> String {
    let delegate = SignIn(user: DemoServer.user, password: DemoServer.password)
    let (data, response) = try await session.data(from: server.url("/private"), delegate: delegate)
    try expectStatus(200, of: response)
    guard delegate.realms == [DemoServer.realm] else {
      throw Unexpected("The delegate got challenges for \(delegate.realms), not for \(DemoServer.realm).")
    }
    let answer = String(decoding: data, as: UTF8.self)
    return "the call's own delegate signed in to “\(DemoServer.realm)”: \(answer)"
  }

  func cancel() async throws -> String {
    let (first, second) = (server.url("/hold"), server.url("/never"))
    let session = session
    let task = Task {
      let (data1, _) = try await session.data(from: first)
      let (data2, _) = try await session.data(from: second)
      return data1.count + data2.count
    }
    guard await server.isHolding.wait(within: .seconds(2)) else {
      task.cancel()
      throw Unexpected("The first load did not reach the server.")
    }
    let start = ContinuousClock.now
    task.cancel()
    do {
      _ = try await task.value
      throw Unexpected("Two cancelled loads did not fail.")
    } catch let error as URLError where error.code == .cancelled {
      let time = ContinuousClock.now - start
      guard server.requestCount("/never") == 0 else { throw Unexpected("The second load was started.") }
      return "two loads in a row ended \(time.short) after cancel; the second was never sent"
    }
  }

  func loadTogether() async throws -> String {
    let count = 500
    let session = session
    let url = server.url("/small")
    let start = ContinuousClock.now
    let bytes = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<count { group.addTask { try await session.data(from: url).0.count } }
      return try await group.reduce(0, +)
    }
    let time = ContinuousClock.now - start
    guard bytes == 4 * count else { throw Unexpected("\(bytes) bytes arrived, not \(4 * count).") }
    let rate = Int(Double(count) / (time / .seconds(1)))
    let connections = server.connections(servingPath: "/small")
    return "\(count) concurrent loads over \(connections) connections: \(rate.grouped) loads per second"
  }

  func measure() async throws -> String {
    // Uses its own session, so that the connection is new and its set-up is measured.
    let session = URLSession(configuration: .ephemeral)
    defer { session.finishTasksAndInvalidate() }
    for isReused in [false, true] {
      let measurements = Measurements()
      let (_, response) = try await session.data(from: server.url("/photo"), delegate: measurements)
      try expectStatus(200, of: response)
      let metrics = try await measurements.metrics
      guard metrics.transactionMetrics.count == 1, let transaction = metrics.transactionMetrics.first else {
        throw Unexpected("\(metrics.transactionMetrics.count) transactions were measured, not 1.")
      }
      guard transaction.isReusedConnection == isReused else {
        throw Unexpected(
          isReused ? "The connection was not reused." : "The connection was not new.")
      }
      terminal.event(try describe(transaction))
    }
    return "the same load twice, on a new and on a reused connection"
  }

  private func describe(_ transaction: URLSessionTaskTransactionMetrics) throws -> String {
    guard let start = transaction.fetchStartDate, let firstByte = transaction.responseStartDate,
      let end = transaction.responseEndDate
    else { throw Unexpected("The metrics are incomplete: \(transaction)") }
    func text(_ moment: Date) -> String { Duration.seconds(moment.timeIntervalSince(start)).short }
    let connected =
      transaction.isReusedConnection
      ? "connection reused" : transaction.connectEndDate.map { "connected at \(text($0))" } ?? "?"
    return
      "\(transaction.networkProtocolName ?? "?"), \(connected), first byte at \(text(firstByte)), "
      + "last at \(text(end))"
  }
}
