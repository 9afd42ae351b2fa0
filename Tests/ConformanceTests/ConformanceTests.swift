import Foundation
import RetrieverConformance
import TestSupport
import Testing

/// Runs every case of the suite with Retriever as the client. Cases measure connections, time and memory, so they run
/// one at a time.
@Suite("URLSession's behaviour", .serialized)
struct ConformanceTests {
  private static let servers = SharedServers()

  @Test("A case holds", arguments: ConformanceSuite.sharingAProcess)
  func holds(_ tried: ConformanceCase) async {
    let verdict = await tried.run(URLSessionClient(), Self.servers)
    #expect(verdict == .passed, "\(tried.title) \(verdict.word): \(verdict.reason ?? "")")
  }

  @Test("A case holds in its own process", arguments: ConformanceSuite.apart)
  func holdsApart(_ tried: ConformanceCase) async throws { try await runApart(tried) }

  @Test(
    "Crowds of loads hold over the transport of our own",
    arguments: ConformanceSuite.apart.filter { $0.area == .crowds })
  func crowdHoldsOverOwnTransport(_ tried: ConformanceCase) async throws {
    try await runApart(tried, ["CONFORMANCE_TRANSPORT": "own"])
  }

  private func runApart(_ tried: ConformanceCase, _ environment: [String: String] = [:]) async throws {
    let folder = try #require(Bundle.main.executableURL?.deletingLastPathComponent())
    let program = folder.appending(path: "conformance-retriever").path
    let verdict = await runOnThread { tried.runApart(program: program, environment: environment) }
    #expect(verdict == .passed, "\(tried.title) \(verdict.word): \(verdict.reason ?? "")")
  }

  /// The areas whose cases depend on how bytes are sent and received.
  private static let transportAreas: Set<Area> = [
    .basics, .heads, .framing, .endings, .encodings, .tls, .http2, .bytes, .downloads, .uploads, .cancelling,
    .metrics,
  ]

  @Test(
    "A case holds over the transport of our own",
    arguments: ConformanceSuite.sharingAProcess.filter { transportAreas.contains($0.area) })
  func holdsOverOwnTransport(_ tried: ConformanceCase) async {
    let verdict = await Library.$usesOwnTransport.withValue(true) {
      await tried.run(URLSessionClient(), Self.servers)
    }
    #expect(verdict == .passed, "\(tried.title) \(verdict.word): \(verdict.reason ?? "")")
  }

  @Test("Every case has a unique id")
  func idsAreUnique() {
    let ids = ConformanceSuite.all.map(\.id)
    #expect(Set(ids).count == ids.count)
  }
}
