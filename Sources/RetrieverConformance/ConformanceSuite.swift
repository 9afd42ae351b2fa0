import Foundation
import TestSupport

/// All cases, by area.
public enum ConformanceSuite {
  /// All cases, in a fixed order.
  public static let all: [ConformanceCase] =
    basics + heads + framing + endings + encodings + tls + http2 + bytes + lines + downloads + uploads
    + challenges + digest + metrics + redirects + cookies + cancelling + timeouts + beyond
    + proxies + sentOnce + completeness + lookups + floods
    + exhaustion + crowds
    + tasks + delegates + caching + protocols + connections + trust + values

  /// The cases that can run in one process, one after the other.
  public static let sharingAProcess = all.filter { $0.place == .anyProcess }

  /// The cases that need their own process.
  public static let apart = all.filter { $0.place != .anyProcess }

  /// Returns the case with this id.
  public static func named(_ id: String) -> ConformanceCase? { all.first { $0.id == id } }

  /// Returns the same case for several transports. The ids of all but the first end with the transport.
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

  /// Returns cases in which a server reads one request and then performs the given steps, and the result of a plain
  /// `data` call is checked.
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
