import Foundation
import TestSupport

/// All cases, by area.
public enum ConformanceSuite {
  /// Every case, in a fixed order.
  public static let all: [ConformanceCase] =
    basics + heads + framing + endings + encodings + tls + http2 + bytes + lines + downloads + uploads
    + challenges + metrics + redirects + cookies + cancelling + timeouts + beyond
    + proxies + sentOnce + completeness + lookups + floods
    + exhaustion + crowds

  /// The cases that can run in one process, one after the other.
  public static let sharingAProcess = all.filter { $0.place == .anyProcess }

  /// The cases that need a process of their own.
  public static let apart = all.filter { $0.place != .anyProcess }

  /// The case with this id.
  public static func named(_ id: String) -> ConformanceCase? { all.first { $0.id == id } }

  /// The same case over several transports; all but the first have the transport in their id.
  static func each(
    over transports: [Transport] = [.http, .https], _ area: Area, _ id: String, _ title: String,
    limit: Duration = .seconds(25), in place: Place = .anyProcess,
    body: @escaping @Sendable (CaseContext) async throws -> Void
  ) -> [ConformanceCase] {
    transports.enumerated().map { index, transport in
      ConformanceCase(
        area, index == 0 ? id : "\(id)-\(transport.rawValue)", title, over: transport, limit: limit,
        in: place, body: body)
    }
  }

  /// Cases in which a server reads one request and then goes on as told, and a plain `data` call is judged.
  static func reply(
    _ area: Area, _ id: String, _ title: String, over transports: [Transport] = [.http, .https],
    ending: TLSRelay.Ending = .clean, _ steps: [Script.Step],
    judge: @escaping @Sendable (ExchangeOutcome) throws -> Void
  ) -> [ConformanceCase] {
    each(over: transports, area, id, title) { context in
      let (origin, _) = try context.serve(ending: ending, Script([.readRequest] + steps))
      try judge(try await context.perform(ExchangeRequest(.data, origin + "/")))
    }
  }
}
