#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import TestSupport
import Testing

@testable import Retriever

/// Incomplete responses are stored, combined and completed.
@Suite struct PartialRuleTests {
  private static let url = URL(string: "http://cache.test/a")!

  private func head(_ fields: [(String, String)] = [("ETag", "\"a\"")]) -> StoredHead {
    StoredHead(
      key: CacheKey(Self.url)!, url: Self.url, kind: .http(status: 200, version: nil, isFromNetwork: true),
      fields: HeaderFields(pairs: fields), requestTime: moment(), responseTime: moment())
  }

  private func part(_ range: Range<Int64>, of body: Data, _ fields: [(String, String)] = [("ETag", "\"a\"")])
    -> StoredEntry
  {
    let head = PartialRule.head(
      head(fields), part: BodyPart(range: range, length: Int64(body.count)))!
    return StoredEntry(head: head, body: body.subdata(in: Int(range.lowerBound)..<Int(range.upperBound)))
  }

  @Test(arguments: [
    ("bytes 0-9/100", 0..<10 as Range<Int64>, 100 as Int64), ("BYTES 5-5/6", 5..<6, 6),
  ])
  func `a Content-Range field is parsed`(text: String, range: Range<Int64>, length: Int64) {
    #expect(
      BodyPart(HeaderFields(pairs: [("Content-Range", text)]))
        == BodyPart(range: range, length: length))
  }

  @Test(arguments: [
    "bytes 0-9/*", "bytes */100", "bytes 9-0/100", "bytes 0-100/100", "bytes 0-9", "items 0-9/10",
    "bytes -1-9/10",
    "bytes 0-9223372036854775807/9223372036854775807", "bytes 0-9/10/10", "", "bytes 0 - 9/10",
  ])
  func `an invalid Content-Range field is not used`(text: String) {
    #expect(BodyPart(HeaderFields(pairs: [("Content-Range", text)])) == nil)
  }

  @Test func `two Content-Range fields are not used`() {
    let fields = HeaderFields(pairs: [("Content-Range", "bytes 0-1/9"), ("Content-Range", "bytes 0-1/9")])
    #expect(BodyPart(fields) == nil)
  }

  @Test func `only strong validators identify bytes`() {
    func validator(_ fields: (String, String)...) -> PartialRule.Validator? {
      PartialRule.validator(of: HeaderFields(pairs: fields), near: moment())
    }
    #expect(validator(("ETag", "\"a\"")) == .tag("\"a\""))
    #expect(validator(("ETag", "W/\"a\"")) == nil)
    #expect(validator(("ETag", "a")) == nil)
    #expect(validator(("ETag", "\"a\""), ("ETag", "\"b\"")) == nil)
    let old = ("Last-Modified", httpDate(moment(-60)))
    #expect(validator(old, ("Date", httpDate(moment()))) == .date(old.1))
    #expect(validator(old) == nil)
    #expect(validator(("Last-Modified", httpDate(moment(-59))), ("Date", httpDate(moment()))) == nil)
    // A weak tag says that the bytes may differ, even if the date is old.
    #expect(validator(("ETag", "W/\"a\""), old, ("Date", httpDate(moment()))) == nil)
  }

  @Test func `small parts and encoded ones are not stored`() {
    let length: Int64 = 1 << 20
    func isStored(_ range: Range<Int64>, _ fields: [(String, String)] = [("ETag", "\"a\"")]) -> Bool {
      PartialRule.head(head(fields), part: BodyPart(range: range, length: length)) != nil
    }
    #expect(isStored(0..<1024) && !isStored(0..<1023))
    #expect(!isStored(0..<4096, [("ETag", "\"a\""), ("Content-Encoding", "gzip")]))
    #expect(!isStored(0..<4096, [("ETag", "W/\"a\"")]) && !isStored(0..<4096, []))
    let body = Data(count: PartialRule.minimumPrefix)
    #expect(PartialRule.interrupted(head(), body: body, length: length)?.head.extent?.prefix == 64 << 10)
    #expect(PartialRule.interrupted(head(), body: body.dropLast(), length: length) == nil)
    #expect(PartialRule.interrupted(head(), body: body, length: Int64(body.count)) == nil)
    #expect(PartialRule.interrupted(head(), body: body, length: -1) == nil)
  }

  @Test func `a part with all bytes is a complete response`() {
    let body = Data.pattern(count: 100)
    let entry = part(0..<100, of: body)
    #expect(entry.head.extent == nil && entry.head.status == 200 && entry.body == body)
    #expect(entry.head.fields["Content-Length"] == "100" && entry.head.fields["Content-Range"] == nil)
  }

  @Test func `parts of one version are combined until they are complete`() throws {
    let body = Data.pattern(count: 9000)
    func combine(_ stored: StoredEntry?, _ range: Range<Int64>) -> StoredEntry? {
      PartialRule.combine(stored, with: part(range, of: body), limit: 1 << 20, now: moment())
    }
    let first = try #require(combine(nil, 2000..<4000))
    let second = try #require(combine(first, 6000..<8000))
    #expect(second.head.extent?.ranges == [2000..<4000, 6000..<8000])
    let third = try #require(combine(second, 3000..<7000))
    #expect(third.head.extent?.ranges == [2000..<8000] && third.body == body[2000..<8000])
    let fourth = try #require(combine(third, 0..<2000))
    #expect(fourth.head.extent?.prefix == 8000)
    let last = try #require(combine(fourth, 7000..<9000))
    #expect(last.head.extent == nil && last.body == body)
    #expect(combine(last, 0..<2000) == nil, "a complete response is kept")
  }

  @Test func `a part of another version replaces the parts, but not a fresh complete response`() throws {
    let body = Data.pattern(count: 9000)
    let old = part(0..<2000, of: body)
    let new = part(4000..<6000, of: body, [("ETag", "\"b\"")])
    let combined = try #require(PartialRule.combine(old, with: new, limit: 1 << 20, now: moment()))
    #expect(combined.head.extent?.ranges == [4000..<6000])
    var complete = StoredEntry(
      head: head([("ETag", "\"a\""), ("Content-Length", "9000"), ("Cache-Control", "max-age=60")]), body: body
    )
    #expect(PartialRule.combine(complete, with: new, limit: 1 << 20, now: moment()) == nil)
    complete.head.responseTime -= 100
    let replaced = PartialRule.combine(complete, with: new, limit: 1 << 20, now: moment())
    #expect(replaced?.head.extent?.ranges == [4000..<6000])
    // A server that uses one tag for two lengths is not used for both.
    let other = part(4000..<6000, of: body + Data(count: 1))
    #expect(PartialRule.combine(old, with: other, limit: 1 << 20, now: moment())?.body.count == 2000)
  }

  @Test func `the shortest parts make room`() throws {
    let body = Data.pattern(count: 100_000)
    var stored: StoredEntry?
    for number in 0..<20 as Range<Int64> {
      let start = number * 5000
      stored = PartialRule.combine(
        stored, with: part(start..<start + 2000 + number, of: body), limit: 1 << 20, now: moment())
    }
    let extent = try #require(stored?.head.extent)
    #expect(extent.ranges.count == StoredExtent.maximumRanges && extent.ranges.first?.lowerBound == 20_000)
    let limited = PartialRule.combine(stored, with: part(0..<3000, of: body), limit: 10_000, now: moment())
    #expect((limited?.body.count ?? .max) <= 10_000 && limited?.head.extent?.prefix == 3000)
    #expect(PartialRule.combine(nil, with: part(0..<3000, of: body), limit: 2999, now: moment()) == nil)
  }

  @Test func `the rest is used only if it fits exactly`() throws {
    let body = Data.pattern(count: 200_000)
    let stored = part(0..<100_000, of: body)
    #expect(
      PartialRule.completingFields(stored.head)?.map(\.value) == ["bytes=100000-", "\"a\""])
    func completion(
      _ status: Int = 206, _ range: String = "bytes 100000-199999/200000", tag: String? = "\"a\"",
      length: Int64? = 100_000, more: [(String, String)] = []
    ) -> PartialRule.Completion {
      let fields = [("Content-Range", range)] + (tag.map { [("ETag", $0)] } ?? []) + more
      return PartialRule.completion(
        of: stored.head, status: status, fields: HeaderFields(pairs: fields), contentLength: length,
        requestTime: moment(), now: moment())
    }
    guard case .rest(let complete) = completion(more: [("X-New", "1")]) else {
      Issue.record("not used")
      return
    }
    #expect(complete.extent == nil && complete.fields["Content-Length"] == "200000")
    #expect(complete.fields["X-New"] == "1" && complete.fields["Content-Range"] == nil)
    for unusable in [
      completion(tag: "\"b\""), completion(tag: nil), completion(tag: "W/\"a\""), completion(length: nil),
      completion(length: 99_999), completion(206, "bytes 99999-199999/200000"),
      completion(206, "bytes 100000-199998/200000"), completion(206, "bytes 100000-199999/*"),
      completion(more: [("Content-Encoding", "gzip")]), completion(416), completion(304),
    ] { #expect(unusable == .unusable) }
    #expect(completion(200) == .other && completion(404) == .other && completion(503) == .other)
  }

  @Test func `the file of an incomplete response is read, and a damaged one is not`() throws {
    let body = Data.pattern(count: 9000)
    let entry = try #require(
      PartialRule.combine(
        part(0..<2000, of: body), with: part(4000..<6000, of: body), limit: 1 << 20, now: moment()))
    let contents = try #require(EntryCoding.encodedHead(of: entry)) + entry.body
    let decoded = try #require(EntryCoding.decode(contents))
    #expect(decoded.head.extent == entry.head.extent && decoded.body == entry.body)
    for length in stride(from: 0, to: contents.count, by: 7) {
      #expect(EntryCoding.decode(contents.prefix(length)) == nil)
    }
    var changed = contents
    for index in 0..<400 {
      changed[index] ^= 1
      #expect(EntryCoding.decode(changed)?.body != Data() || EntryCoding.decode(changed) == nil)
      if let survivor = EntryCoding.decode(changed) { #expect(survivor.body == entry.body) }
      changed[index] ^= 1
    }
  }
}
#endif
