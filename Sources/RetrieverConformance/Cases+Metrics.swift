import Foundation
import TestSupport

extension ConformanceSuite {
  static let metrics: [ConformanceCase] =
    [
      (ExchangeRequest.Kind.data, "metrics-data"), (.download, "metrics-download"),
      (.upload, "metrics-upload"),
      (.bytes, "metrics-bytes"), (.dataCallback, "metrics-callback"),
    ].map { kind, id in
      ConformanceCase(.metrics, id, "Metrics of \(kind.rawValue) arrive once, before the end.") { context in
        let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
        var request = ExchangeRequest(kind, origin, delegate: DelegatePolicy())
        if kind == .upload { (request.method, request.body) = ("POST", .data(Data("dog".utf8))) }
        let outcome = try await context.perform(request)
        try expectResponse(outcome, text: "hello")
        try expectMetrics(outcome, transactions: 1, first: kind != .bytes)
        if let file = outcome.file { try? FileManager.default.removeItem(atPath: file) }
      }
    } + [
      ConformanceCase(.metrics, "metrics-redirect", "Metrics have a transaction for each hop of a redirect.")
      {
        context in
        let (origin, _) = try context.serveHTTP { request in
          request.path == "/" ? .redirect(to: "/next") : Reply(text: "hello")
        }
        let outcome = try await context.perform(
          ExchangeRequest(.data, origin + "/", delegate: DelegatePolicy()))
        try expectResponse(outcome, text: "hello")
        try expectMetrics(outcome, transactions: 2)
      },
      ConformanceCase(.metrics, "metrics-failure", "Metrics also arrive for a failed request.") { context in
        let (origin, _) = try context.serve([.readRequest, .close])
        let outcome = try await context.perform(ExchangeRequest(.data, origin, delegate: DelegatePolicy()))
        try expectFailure(outcome, .networkConnectionLost, .badServerResponse)
        try expectMetrics(outcome, transactions: nil)
      },
      ConformanceCase(.metrics, "metrics-session-delegate", "Metrics arrive at the session's delegate.") {
        context in
        let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
        let session = try context.session { $0.delegate = DelegatePolicy() }
        let outcome = try await context.perform(ExchangeRequest(.data, origin), on: session)
        try expectResponse(outcome, text: "hello")
        try expectMetrics(outcome, transactions: 1)
      },
    ]

  private static func expectMetrics(
    _ outcome: ExchangeOutcome, transactions: Int?, first: Bool = true
  ) throws {
    try expect(outcome.metricsCount == 1, "Metrics arrived \(outcome.metricsCount) times.")
    try expect(!first || outcome.metricsCameFirst, "Metrics arrived after the end.")
    if let transactions {
      try expect(
        outcome.transactionCount == transactions,
        "The metrics have \(outcome.transactionCount) transactions, not \(transactions).")
    }
  }
}
