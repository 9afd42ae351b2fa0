#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

/// Which responses may be stored after others became invalid.
@Suite struct CacheInvalidationsTests {
  private func key(_ name: Int) throws -> CacheKey {
    try #require(CacheKey(URL(string: "http://cache.test/\(name)")))
  }

  @Test func `a response is not stored if its URL became invalid after its request began`() throws {
    var invalidations = CacheInvalidations()
    let before = invalidations.now
    invalidations.add(try key(1))
    #expect(!invalidations.mayStore(try key(1), since: before))
    #expect(invalidations.mayStore(try key(2), since: before))
    #expect(invalidations.mayStore(try key(1), since: invalidations.now))
  }

  @Test func `no response to a running request is stored after everything became invalid`() throws {
    var invalidations = CacheInvalidations()
    let before = invalidations.now
    invalidations.addAll()
    #expect(!invalidations.mayStore(try key(1), since: before))
    #expect(invalidations.mayStore(try key(1), since: invalidations.now))
  }

  @Test func `an invalidation has its effect also if there are too many to remember`() throws {
    var invalidations = CacheInvalidations()
    let before = invalidations.now
    let keys = try (0...CacheInvalidations.maximumKeys).map(key)
    for key in keys { invalidations.add(key) }
    #expect(keys.allSatisfy { !invalidations.mayStore($0, since: before) })
    #expect(invalidations.mayStore(try key(0), since: invalidations.now))
  }
}
#endif
