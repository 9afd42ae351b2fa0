import Foundation
import RetrieverConformance
import Testing

/// Every behaviour of the suite, with Retriever as the client. Cases count connections, time and memory: one at a time.
@Suite("URLSession's behaviour", .serialized)
struct ConformanceTests {
  private static let servers = SharedServers()

  /// What is not reached yet; docs/roadmap.md says what it takes.
  private static let shortfalls = ["gzip-cut", "gzip-cut-in-trailer", "brotli-cut", "zstandard-cut"]

  @Test("A case holds", arguments: ConformanceSuite.all)
  func holds(_ tried: ConformanceCase) async {
    let verdict = await tried.run(URLSessionClient(), Self.servers)
    let isKnown = Self.shortfalls.contains { tried.id == $0 || tried.id == $0 + "-https" }
    withKnownIssue("libcurl takes a coded body that is cut short for a whole one.") {
      #expect(verdict == .passed, "\(tried.title) \(verdict.word): \(verdict.reason ?? "")")
    } when: {
      isKnown
    }
  }

  @Test("Every case has an id of its own")
  func idsAreUnique() {
    let ids = ConformanceSuite.all.map(\.id)
    #expect(Set(ids).count == ids.count)
  }
}
