#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

@Suite struct CacheValidationTests {
  private func head(_ fields: [(String, String)]) -> StoredHead {
    StoredHead(
      key: CacheKey(text: "http://cache.test/"), url: URL(string: "http://cache.test/")!,
      kind: .http(status: 200, version: "HTTP/1.1", isFromNetwork: true), fields: HeaderFields(pairs: fields),
      requestTime: moment(), responseTime: moment())
  }

  private func updated(_ stored: [(String, String)], by received: [(String, String)]) -> StoredHead? {
    ValidationRule.updated(
      head(stored), by: HeaderFields(pairs: received), requestTime: moment(99), now: moment(100))
  }

  @Test func `a 304 response replaces the fields that it has and keeps the others`() {
    let stored = [
      ("ETag", "\"a\""), ("Test", "1"), ("Test", "2"), ("Kept", "1"), ("Cache-Control", "max-age=1"),
    ]
    let entry = updated(stored, by: [("test", "3"), ("Cache-Control", "max-age=60"), ("New", "1")])
    #expect(entry?.fields.values(for: "Test") == ["3"])
    #expect(entry?.fields["Kept"] == "1" && entry?.fields["New"] == "1")
    #expect(entry?.freshness(now: moment(158)).isFresh == true)
    #expect(entry?.freshness(now: moment(162)).isFresh == false)
  }

  @Test func `a 304 response does not change the fields that describe the body`() {
    let stored = [("Content-Length", "5"), ("Content-Encoding", "gzip"), ("Content-Type", "a/b")]
    let received = [
      ("Content-Length", "10"), ("Content-Encoding", "br"), ("Content-Type", "c/d"), ("Connection", "x"),
    ]
    let entry = updated(stored, by: received)
    #expect(entry?.fields["Content-Length"] == "5" && entry?.fields["Content-Encoding"] == "gzip")
    #expect(entry?.fields["Content-Type"] == "c/d" && entry?.fields.contains("Connection") == false)
  }

  @Test func `a 304 response about another version is not used`() {
    #expect(updated([("ETag", "\"a\"")], by: [("ETag", "\"b\"")]) == nil)
    #expect(updated([("ETag", "\"a\"")], by: [("ETag", "W/\"a\"")]) != nil)
    #expect(updated([("ETag", "\"a\"")], by: []) != nil)
  }

  @Test func `the age of a validated response starts again`() {
    let entry = updated(
      [("Age", "500"), ("Date", httpDate(moment(-500))), ("Cache-Control", "max-age=10")], by: [])
    #expect(entry?.age(now: moment(105)) == 6)
  }

  // MARK: HEAD

  @Test func `a response to HEAD updates the stored response, or invalidates it after a change`() {
    func effect(_ fields: [(String, String)]) -> ValidationRule.HeadEffect {
      ValidationRule.effect(
        ofHead: HeaderFields(pairs: fields),
        on: head([("ETag", "\"a\""), ("Content-Length", "5"), ("X", "1")]),
        requestTime: moment(100), now: moment(100))
    }
    guard case .update(let entry) = effect([("ETag", "\"a\""), ("Content-Length", "5"), ("X", "2")]) else {
      return #expect(Bool(false))
    }
    #expect(entry.fields["X"] == "2" && entry.responseTime == moment(100))
    #expect(effect([("ETag", "\"b\"")]) == .invalidate)
    #expect(effect([("Content-Length", "6")]) == .invalidate)
    #expect(effect([("ETag", "\"a\""), ("Cache-Control", "no-store")]) == .invalidate)
    #expect(effect([("Last-Modified", "x")]) != .invalidate)
  }

  // MARK: Invalidation

  private func keys(_ method: String, _ status: Int = 200, _ fields: [(String, String)] = []) -> [String] {
    ValidationRule.invalidatedKeys(
      method: method, url: URL(string: "http://cache.test/a/b")!, status: status,
      responseFields: { HeaderFields(pairs: fields) }
    ).map(\.text)
  }

  @Test(arguments: ["POST", "PUT", "DELETE", "PATCH", "M-SEARCH"])
  func `a successful response to an unsafe method invalidates its URL`(method: String) {
    #expect(keys(method) == ["http://cache.test/a/b"])
    #expect(keys(method, 303) == ["http://cache.test/a/b"])
    #expect(keys(method, 404) == [] && keys(method, 500) == [])
  }

  @Test(arguments: ["GET", "HEAD", "OPTIONS", "TRACE"])
  func `a safe method invalidates nothing`(method: String) { #expect(keys(method) == []) }

  @Test func `the URLs in Location and Content-Location are invalidated within the origin`() {
    let fields = [("Location", "c"), ("Content-Location", "/d")]
    let expected = ["http://cache.test/a/b", "http://cache.test/a/c", "http://cache.test/d"]
    #expect(keys("POST", 201, fields) == expected)
    #expect(
      keys("POST", 201, [("Location", "http://other.test/"), ("Content-Location", "https://cache.test/")])
        .count == 1)
    #expect(keys("POST", 201, [("Location", "http://[")]).count == 1)
  }

  // MARK: Ranges

  private func range(_ text: String, length: Int = 11) -> Range<Int>? {
    ByteRangeRule.range(HeaderFields(pairs: [("Range", text)]), length: length)
  }

  @Test func `a range is taken from a complete body`() {
    #expect(range("bytes=0-1") == 0..<2)
    #expect(range("Bytes=1-") == 1..<11)
    #expect(range("bytes=-1") == 10..<11)
    #expect(range("bytes=-100") == 0..<11)
    #expect(range("bytes=5-99999999999") == 5..<11)
    for text in [
      "bytes=11-", "bytes=-0", "bytes=2-1", "bytes=1-2,4-5", "items=0-1", "bytes", "bytes=a-b", "bytes=--1",
    ] {
      #expect(range(text) == nil, "\(text)")
    }
    #expect(range("bytes=0-0", length: 0) == nil && range("bytes=-5", length: 0) == nil)
    #expect(range("bytes=0-9223372036854775807") == 0..<11)
  }

  @Test func `a range request is served only if the stored body has the same bytes`() {
    let request = HeaderFields(pairs: [("Range", "bytes=0-1")])
    #expect(ByteRangeRule.canServe(head([]), to: request))
    #expect(!ByteRangeRule.canServe(head([("Content-Encoding", "gzip")]), to: request))
    let conditional = HeaderFields(pairs: [("Range", "bytes=0-1"), ("If-Range", "\"a\"")])
    #expect(ByteRangeRule.canServe(head([("ETag", "\"a\"")]), to: conditional))
    #expect(!ByteRangeRule.canServe(head([("ETag", "\"b\"")]), to: conditional))
    #expect(!ByteRangeRule.canServe(head([]), to: conditional))
  }

  @Test func `the head of a part states its range and length`() {
    let part = ByteRangeRule.head(of: head([("Content-Length", "11")]), range: 3..<5, length: 11)
    #expect(
      part.status == 206 && part.fields["Content-Range"] == "bytes 3-4/11"
        && part.fields["Content-Length"] == "2")
    let none = ByteRangeRule.head(of: head([]), range: nil, length: 11)
    #expect(none.status == 416 && none.fields["Content-Range"] == "bytes */11")
  }

  @Test func `a stale response is not validated for a range request`() {
    var cache = CacheModel()
    #expect(cache.send(.init(fields: [("Cache-Control", "max-age=5"), ("ETag", "\"a\"")])) == .loaded)
    #expect(cache.send(fields: [("Range", "bytes=0-1")]) == .cached)
    cache.now += 10
    #expect(cache.send(fields: [("Range", "bytes=0-1")]) == .loaded)
  }
}
#endif
