#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import Retriever

/// Which loads wait for another one.
@Suite struct LoadSharingTests {
  private let key = CacheKey(URL(string: "http://cache.test/a"))!

  private func request(
    _ fields: [(String, String)] = [], priority: Float = 0.5, key: CacheKey? = nil
  ) -> LoadSharing.Request {
    LoadSharing.Request(key: key ?? self.key, fields: HeaderFields(pairs: fields), priority: priority)
  }

  private func leader(_ sharing: inout LoadSharing, _ request: LoadSharing.Request) throws -> LoadSharing.Load
  {
    guard case .leads(let load) = sharing.join(request) else { throw TestSupportError("not leading") }
    return load
  }

  private func follower(_ sharing: inout LoadSharing, _ request: LoadSharing.Request) throws
    -> LoadSharing.Load
  {
    guard case .follows(let load) = sharing.join(request) else { throw TestSupportError("not following") }
    return load
  }

  @Test func `loads that follow look up the response after its end`() throws {
    var sharing = LoadSharing()
    let first = try leader(&sharing, request())
    let others = [try follower(&sharing, request()), try follower(&sharing, request())]
    #expect(sharing.receivedHead(first, selection: VarySelection()).isEmpty)
    let late = try follower(&sharing, request())
    let released = sharing.ended(first, .stored)
    #expect(released.map(\.load) == others + [late] && released.allSatisfy { $0.release == .lookUp })
    #expect(sharing.isEmpty && sharing.ended(first, .stored).isEmpty)
  }

  @Test func `loads ask the server themselves as soon as the head shows that the response is not for them`()
    throws
  {
    var sharing = LoadSharing()
    let first = try leader(&sharing, request())
    let other = try follower(&sharing, request())
    #expect(sharing.receivedHead(first, selection: nil) == [other])
    #expect(sharing.join(request()) == .alone)
    #expect(sharing.ended(first, .unusable).isEmpty)
    // The next loads do not wait again, until a response may answer others.
    let second = try leader(&sharing, request())
    #expect(sharing.join(request()) == .alone)
    #expect(sharing.receivedHead(second, selection: VarySelection()).isEmpty)
    _ = try follower(&sharing, request())
  }

  @Test func `loads whose fields select another response do not wait for its end`() throws {
    var sharing = LoadSharing()
    let first = try leader(&sharing, request([("Accept-Language", "en")]))
    let same = try follower(&sharing, request([("Accept-Language", "en")]))
    let other = try follower(&sharing, request([("Accept-Language", "de")]))
    let selection = VarySelection(names: ["accept-language"], values: ["en"])
    #expect(sharing.receivedHead(first, selection: selection) == [other])
    #expect(sharing.join(request([("Accept-Language", "de")])) == .alone)
    #expect(sharing.ended(first, .stored).map(\.load) == [same])
  }

  @Test func `a load does not wait for one of another user, or for a less urgent one`() throws {
    var sharing = LoadSharing()
    _ = try leader(&sharing, request([("Authorization", "Bearer a")]))
    #expect(sharing.join(request([("Authorization", "Bearer b")])) == .alone)
    #expect(sharing.join(request()) == .alone)
    #expect(sharing.join(request([("Authorization", "Bearer a")], priority: 0.9)) == .alone)
    _ = try follower(&sharing, request([("Authorization", "Bearer a")], priority: 0.1))
  }

  @Test func `the end of a failed load lets one of the others lead`() throws {
    var sharing = LoadSharing()
    let first = try leader(&sharing, request())
    let others = [try follower(&sharing, request()), try follower(&sharing, request())]
    let released = sharing.ended(first, .failed)
    #expect(released.map(\.load) == others && released.allSatisfy { $0.release == .join })
    _ = try leader(&sharing, request())
    _ = try follower(&sharing, request())
  }

  @Test func `the time for waiting is bounded`() throws {
    var sharing = LoadSharing()
    let first = try leader(&sharing, request())
    let early = try follower(&sharing, request())
    let other = try follower(&sharing, request())
    #expect(sharing.expired(early, isFinal: false) == .alone)
    #expect(sharing.expired(early, isFinal: false) == .released)
    #expect(sharing.join(request()) == .alone, "the server is slow, and others do not wait")
    #expect(sharing.receivedHead(first, selection: VarySelection()).isEmpty)
    #expect(sharing.expired(other, isFinal: false) == .waitsForEnd)
    #expect(sharing.expired(other, isFinal: true) == .alone)
    #expect(sharing.ended(first, .stored).isEmpty && sharing.isEmpty)
  }

  @Test func `a reader that does not keep up releases the others`() throws {
    var sharing = LoadSharing()
    let first = try leader(&sharing, request())
    let other = try follower(&sharing, request())
    _ = sharing.receivedHead(first, selection: VarySelection())
    #expect(sharing.stalled(first) == [other])
    #expect(sharing.join(request()) == .alone)
    #expect(sharing.ended(first, .stored).isEmpty && sharing.isEmpty)
  }

  @Test func `a download does not lead, and the number of followers is bounded`() throws {
    var sharing = LoadSharing()
    #expect(sharing.join(request(), mayLead: false) == .alone)
    _ = try leader(&sharing, request())
    for _ in 0..<LoadSharing.maximumFollowers { _ = try follower(&sharing, request()) }
    #expect(sharing.join(request()) == .alone)
  }

  /// The oracle: a list of what each load waits for.
  @Test(arguments: 0..<50 as Range<UInt64>)
  func `each load is released exactly once, in any order of events`(seed: UInt64) throws {
    var sharing = LoadSharing()
    var leading: Set<LoadSharing.Load> = []
    var waiting: Set<LoadSharing.Load> = []
    var leaders: [LoadSharing.Load: CacheKey] = [:]
    var (follows, random) = (0, SeededRandom(seed))
    func release(_ loads: [LoadSharing.Load]) {
      for load in loads { #expect(waiting.remove(load) != nil, "released twice") }
    }
    for _ in 0..<400 {
      let key = CacheKey(URL(string: "http://cache.test/\(Int.random(in: 0..<3, using: &random))"))!
      switch Int.random(in: 0..<12, using: &random) {
      case 0..<6:
        let fields = [("Accept-Language", ["en", "de"].randomElement(using: &random)!)]
        switch sharing.join(request(fields, key: key), mayLead: Int.random(in: 0..<8, using: &random) > 0) {
        case .leads(let load):
          #expect(leading.insert(load).inserted && !leaders.values.contains(key), "one leader for each URL")
          leaders[load] = key
        case .follows(let load):
          #expect(waiting.insert(load).inserted && leaders.values.contains(key))
          follows += 1
        case .alone: break
        }
      case 6:
        guard let load = leading.sorted().randomElement(using: &random) else { continue }
        let selection = [
          nil, VarySelection(), VarySelection(names: ["accept-language"], values: ["en"]),
        ].randomElement(using: &random)!
        release(sharing.receivedHead(load, selection: selection))
      case 7:
        if let load = leading.sorted().randomElement(using: &random) { release(sharing.stalled(load)) }
      case 8, 9:
        guard let load = leading.sorted().randomElement(using: &random) else { continue }
        let end: LoadSharing.End = [.stored, .unusable, .failed].randomElement(using: &random)!
        release(sharing.ended(load, end).map(\.load))
        leading.remove(load)
        leaders[load] = nil
      case 10:
        guard let load = waiting.sorted().randomElement(using: &random) else { continue }
        if sharing.expired(load, isFinal: Bool.random(using: &random)) == .alone { release([load]) }
      default:
        guard let load = waiting.sorted().randomElement(using: &random) else { continue }
        sharing.leave(load)
        waiting.remove(load)
      }
    }
    for load in leading.sorted() { release(sharing.ended(load, .failed).map(\.load)) }
    #expect(waiting.isEmpty && sharing.isEmpty)
    #expect(follows > 0)
  }

  @Test func `loads do not wait for a response that was requested before the resource changed`() throws {
    var sharing = LoadSharing()
    let first = try leader(&sharing, request())
    let other = try follower(&sharing, request())
    #expect(sharing.receivedHead(first, selection: VarySelection()).isEmpty)
    #expect(sharing.invalidate(key) == [other] && sharing.invalidate(key).isEmpty)
    #expect(sharing.join(request()) == .alone)
    #expect(sharing.ended(first, .failed).isEmpty && sharing.isEmpty)
    _ = try leader(&sharing, request())
  }
}
#endif
