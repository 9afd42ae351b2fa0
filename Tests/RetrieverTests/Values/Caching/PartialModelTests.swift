#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import Retriever

/// Random requests for ranges and complete bodies, from a server whose resource changes and whose responses are cut.
///
/// The oracle is simple: all bytes that a client gets are those of the version that the response's tag names.
@Suite(.timeLimit(.minutes(5))) struct PartialModelTests {
  private struct Version {
    let tag: String
    let body: Data
  }

  /// A server and a client with a cache, driven by the rules.
  private struct Model {
    var random: SeededRandom
    var versions: [Version] = []
    var current = 0
    var stored: [StoredEntry] = []
    var now = moment()
    var (served, completed, requests) = (0, 0, 0)
    let url = URL(string: "http://cache.test/a")!
    let limit: Int

    init(_ seed: UInt64) {
      random = SeededRandom(seed)
      limit = seed % 4 == 0 ? 100_000 : 1 << 20
      change()
    }

    mutating func change() {
      // Some versions return, with the tag that they had.
      if !versions.isEmpty, Bool.random(using: &random) {
        current = Int.random(in: 0..<versions.count, using: &random)
        return
      }
      let number = versions.count
      var body = Data(count: Int.random(in: 70_000..<200_000, using: &random))
      for index in body.indices { body[index] = UInt8(truncatingIfNeeded: index &* 31 &+ number &* 7) }
      versions.append(Version(tag: "\"\(number)\"", body: body))
      current = number
    }

    /// The reply of a server that may also do without ranges, or send another range than it was asked for.
    mutating func reply(to fields: HeaderFields) -> (status: Int, fields: HeaderFields, body: Data) {
      requests += 1
      let version = versions[current]
      let common = [("ETag", version.tag), ("Cache-Control", "max-age=60"), ("Date", httpDate(now))]
      let isConditionMet = fields["If-Range"].map { $0 == version.tag } ?? true
      let isLazy = Int.random(in: 0..<10, using: &random) == 0
      guard isConditionMet, !isLazy, fields.contains("Range") else {
        return (
          200, HeaderFields(pairs: common + [("Content-Length", "\(version.body.count)")]), version.body
        )
      }
      guard var range = ByteRangeRule.range(fields, length: version.body.count) else {
        return (416, HeaderFields(pairs: [("Content-Range", "bytes */\(version.body.count)")]), Data())
      }
      if Int.random(in: 0..<20, using: &random) == 0, range.count > 2 {
        range = range.lowerBound + 1..<range.upperBound
      }
      let field = ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(version.body.count)")
      return (
        206, HeaderFields(pairs: common + [field, ("Content-Length", "\(range.count)")]),
        version.body.subdata(in: range)
      )
    }

    mutating func store(_ entry: StoredEntry) {
      let old = stored.first
      guard let combined = PartialRule.combine(old, with: entry, limit: limit, now: now) else { return }
      stored = [combined]
    }

    /// Checks what a client gets.
    func check(_ status: Int, _ fields: HeaderFields, _ body: Data, isCut: Bool) {
      guard status == 200 || status == 206 else { return }
      guard let version = versions.first(where: { $0.tag == fields["ETag"] }) else {
        Issue.record("a tag of no version")
        return
      }
      let range = BodyPart(fields).map { Int($0.range.lowerBound)..<Int($0.range.upperBound) }
      let expected = status == 206 ? range.map { version.body.subdata(in: $0) } ?? Data() : version.body
      #expect(isCut ? expected.starts(with: body) : expected == body, "status \(status), \(body.count) bytes")
    }

    mutating func load(_ range: String?) {
      let request = HeaderFields(pairs: range.map { [("Range", $0)] } ?? [])
      let decision = CacheRule.decide(
        CacheRule.Request(fields: request), entries: stored.map(\.head), now: now)
      switch decision {
      case .serve(let index, _):
        served += 1
        let entry = range == nil ? stored[index] : ByteRangeRule.part(of: stored[index], for: request)
        check(entry.head.status, entry.head.fields, entry.body, isCut: false)
      case .load: receive(reply(to: request), request, prefix: nil)
      case .validate(let index, let fields):
        let isSame = fields.first { $0.name == "If-None-Match" }?.value == versions[current].tag
        if isSame {
          stored[index].head.responseTime = now
          check(200, stored[index].head.fields, stored[index].body, isCut: false)
        } else {
          receive(reply(to: request), request, prefix: nil)
        }
      case .complete(let index, let fields):
        let entry = stored[index]
        let reply = reply(to: HeaderFields(fields))
        let completion = PartialRule.completion(
          of: entry.head, status: reply.status, fields: reply.fields, contentLength: Int64(reply.body.count),
          requestTime: now, now: now)
        switch completion {
        case .rest(let head):
          completed += 1
          let prefix = entry.body.prefix(Int(entry.head.extent?.prefix ?? 0))
          receive((200, head.fields, reply.body), request, prefix: prefix)
        case .other: receive(reply, request, prefix: nil)
        case .unusable:
          stored = []
          receive(self.reply(to: request), request, prefix: nil)
        }
      case .fail: Issue.record("no policy forbids the network")
      }
    }

    private mutating func receive(
      _ reply: (status: Int, fields: HeaderFields, body: Data), _ request: HeaderFields, prefix: Data?
    ) {
      let isCut = Int.random(in: 0..<3, using: &random) == 0 && !reply.body.isEmpty
      let arrived =
        isCut ? reply.body.prefix(Int.random(in: 0..<reply.body.count, using: &random)) : reply.body
      let body = (prefix ?? Data()) + arrived
      check(reply.status, reply.fields, body, isCut: isCut)
      var fields = reply.fields
      var part: BodyPart?
      if reply.status == 206 {
        part = BodyPart(fields)
        guard let part, !isCut else { return }
        fields = PartialRule.completeFields(fields, length: part.length)
      }
      let decision = StoreRule.decide(
        StoreRule.Exchange(
          key: CacheKey(url)!, url: url, requestFields: request, requestTime: now,
          status: part == nil ? reply.status : 200, responseFields: fields), now: now)
      guard case .store(let head) = decision else { return }
      if let part {
        if let head = PartialRule.head(head, part: part) { store(StoredEntry(head: head, body: body)) }
      } else if isCut {
        let length = fields["Content-Length"].flatMap { Int64($0) } ?? -1
        if let entry = PartialRule.interrupted(head, body: body, length: length) { store(entry) }
      } else if body.count <= limit {
        stored = [StoredEntry(head: head, body: body)]
      }
    }

    func checkStored() {
      for entry in stored {
        #expect(entry.body.count <= limit)
        guard let extent = entry.head.extent else { continue }
        #expect(Int64(entry.body.count) == extent.count && !extent.isComplete)
        #expect(extent.ranges.count <= StoredExtent.maximumRanges)
        let version = versions.first { $0.tag == entry.head.fields["ETag"] }
        let expected = extent.ranges.reduce(into: Data()) { bytes, range in
          bytes += version?.body.subdata(in: Int(range.lowerBound)..<Int(range.upperBound)) ?? Data()
        }
        #expect(entry.body == expected)
      }
    }
  }

  @Test(arguments: 0..<60 as Range<UInt64>)
  func `bytes of two versions are never mixed`(seed: UInt64) {
    var model = Model(seed)
    for _ in 0..<120 {
      switch Int.random(in: 0..<10, using: &model.random) {
      case 0: model.change()
      case 1: model.now += Double.random(in: 0..<90, using: &model.random)
      case 2, 3, 4: model.load(nil)
      default:
        let first = Int.random(in: 0..<200_000, using: &model.random)
        let last = first + Int.random(in: 0..<40_000, using: &model.random)
        model.load(
          ["bytes=\(first)-\(last)", "bytes=\(first)-", "bytes=-\(first)"].randomElement(using: &model.random)
        )
      }
      model.checkStored()
    }
    // Otherwise the test would prove nothing.
    #expect(model.served + model.requests > 50)
  }

  @Test func `the model completes interrupted bodies`() {
    var completed = 0
    for seed in 0..<20 as Range<UInt64> {
      var model = Model(seed * 4 + 1)
      for _ in 0..<100 {
        model.load(nil)
        if Int.random(in: 0..<4, using: &model.random) == 0 { model.change() }
        model.now += 61
      }
      completed += model.completed
    }
    #expect(completed > 50)
  }
}
#endif
