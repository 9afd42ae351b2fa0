import TestSupport
import Testing

@testable import TransferEngine

@Suite struct HeadCollectorTests {
  private func feed(
    _ lines: [String], to collector: inout HeadCollector, limits: TransferLimits = .init()
  ) -> HeadCollector.Outcome {
    var outcome = HeadCollector.Outcome.more
    for line in lines {
      outcome = Array(line.utf8).withUnsafeBytes { collector.append($0, limits: limits) }
      if case .more = outcome { continue }
      return outcome
    }
    return outcome
  }

  private func head(_ lines: [String]) throws -> TransferHead {
    var collector = HeadCollector()
    guard case .complete(let head) = feed(lines, to: &collector) else { throw NoHead() }
    return head
  }

  private func failure(_ lines: [String], limits: TransferLimits = .init()) -> TransferFailure.Code? {
    var collector = HeadCollector()
    guard case .failure(let failure) = feed(lines, to: &collector, limits: limits) else { return nil }
    return failure.code
  }

  private struct NoHead: Error {}

  @Test func aHeadIsCompleteAtItsEmptyLine() throws {
    let head = try head(["HTTP/1.1 200 OK\r\n", "A: b\r\n", "C: d\r\n", "\r\n"])
    #expect(head.status == 200)
    #expect(head.version == "HTTP/1.1")
    #expect(String(decoding: head.block, as: UTF8.self) == "A: b\r\nC: d\r\n")
    #expect(head.mentions == [])
  }

  @Test(arguments: [
    ("HTTP/1.0 404 Not Found\r\n", 404, "HTTP/1.0"), ("HTTP/2 204 \r\n", 204, "HTTP/2"),
    ("HTTP/1.1 999\r\n", 999, "HTTP/1.1"), ("HTTP/3 200\r\n", 200, "HTTP/3"),
    ("HTTP/1.1 200\n", 200, "HTTP/1.1"),
  ])
  func statusLinesOfEveryVersionAreRead(line: String, status: Int, version: String) throws {
    let head = try head([line, "\r\n"])
    #expect(head.status == status)
    #expect(head.version == version)
  }

  @Test(arguments: [
    "HTTP/1.1\r\n", "HTTP/1.1 \r\n", "HTTP/1.1 2x0 OK\r\n", "HTTP/1.1 99 Low\r\n", "nonsense\r\n",
  ])
  func `an invalid status line is a bad reply`(line: String) {
    #expect(failure([line, "\r\n"]) == .badReply)
  }

  @Test func `fields that policies look for are found in any letter case`() throws {
    let head = try head([
      "HTTP/1.1 302 Found\r\n", "SET-cookie: a=b\r\n", "lOcAtIoN:/there\r\n", "content-ENCODING: gzip\r\n",
      "\r\n",
    ])
    #expect(head.mentions == [.setCookie, .location, .contentEncoding])
  }

  @Test func `fields with similar names are not matched`() throws {
    let head = try head([
      "HTTP/1.1 200 OK\r\n", "Set-Cookie2: a\r\n", "Locations: /\r\n", "Content-Encodings: x\r\n",
      "Set-Cookie\r\n",
      "s:\r\n", "l\r\n", ":\r\n", "Xet-Cookie: 1\r\n", "\r\n",
    ])
    #expect(head.mentions == [])
  }

  @Test(
    arguments: [
      ("Content-Length: 17\r\n", 17), ("content-length:0\r\n", 0), ("Content-Length: 3, 3\r\n", 3),
      ("Content-Lengths: 5\r\n", nil), ("A: b\r\n", nil),
    ] as [(String, Int64?)])
  func `a numeric Content-Length is parsed`(line: String, length: Int64?) throws {
    #expect(try head(["HTTP/1.1 200 OK\r\n", line, "\r\n"]).contentLength == length)
  }

  @Test func `conflicting or invalid Content-Length fields are a bad reply`() {
    let status = "HTTP/1.1 200 OK\r\n"
    let (one, other) = ("Content-Length: 5\r\n", "content-length: 6\r\n")
    #expect(failure([status, one, other, "\r\n"]) == .badReply)
    #expect(failure([status, one, one, "\r\n"]) == nil)
    for value in ["99999999999999999999", "x", "-1", "", "3, 4", "3 4"] {
      #expect(failure([status, "Content-Length: \(value)\r\n", "\r\n"]) == .badReply, "\(value)")
    }
  }

  @Test func `interim heads are reported separately and do not affect the final head`() throws {
    var collector = HeadCollector()
    guard
      case .informational(let early) = feed(
        ["HTTP/1.1 103 Early Hints\r\n", "Link: </a>\r\n", "Set-Cookie: a=b\r\n", "\r\n"], to: &collector)
    else { throw NoHead() }
    #expect(early.status == 103)
    guard case .complete(let final) = feed(["HTTP/1.1 200 OK\r\n", "B: c\r\n", "\r\n"], to: &collector) else {
      throw NoHead()
    }
    #expect(String(decoding: final.block, as: UTF8.self) == "B: c\r\n")
    #expect(final.mentions == [])
  }

  @Test func `an unrequested protocol switch is a final head`() throws {
    #expect(try head(["HTTP/1.1 101 Switching Protocols\r\n", "\r\n"]).status == 101)
  }

  @Test func `too many interim heads are an error`() {
    var limits = TransferLimits()
    limits.informationalResponses = 3
    var collector = HeadCollector()
    for _ in 0..<3 {
      guard case .informational = feed(["HTTP/1.1 100 Continue\r\n", "\r\n"], to: &collector, limits: limits)
      else {
        Issue.record("An interim head within the limit was not reported")
        return
      }
    }
    guard
      case .failure(let failure) = feed(
        ["HTTP/1.1 100 Continue\r\n", "\r\n"], to: &collector, limits: limits)
    else {
      Issue.record("The fourth interim head was accepted")
      return
    }
    #expect(failure.code == .tooManyInformationalResponses)
  }

  @Test func `a head longer than the limit is an error`() {
    var limits = TransferLimits()
    limits.headerBytes = 40
    let status = "HTTP/1.1 200 OK\r\n"  // 17 bytes
    let fits = "A: " + String(repeating: "x", count: 16) + "\r\n"  // 21 bytes, 2 more for the end
    #expect(failure([status, fits, "\r\n"], limits: limits) == nil)
    #expect(failure([status, fits, "B\r\n", "\r\n"], limits: limits) == .headTooLarge)
  }

  @Test func interimHeadsCountTowardsTheLimitToo() {
    var limits = TransferLimits()
    limits.headerBytes = 100
    let interim = ["HTTP/1.1 102 Processing\r\n", "A: \(String(repeating: "x", count: 60))\r\n", "\r\n"]
    var collector = HeadCollector()
    _ = feed(interim, to: &collector, limits: limits)
    guard case .failure(let failure) = feed(interim, to: &collector, limits: limits) else {
      Issue.record("The limit was not enforced")
      return
    }
    #expect(failure.code == .headTooLarge)
  }

  @Test func `trailers are ignored`() throws {
    var collector = HeadCollector()
    _ = feed(["HTTP/1.1 200 OK\r\n", "\r\n"], to: &collector)
    guard case .more = feed(["Trailer: x\r\n", "HTTP/1.1 500 No\r\n", "\r\n"], to: &collector) else {
      Issue.record("A trailer was taken for a head")
      return
    }
  }

  @Test func `too many trailers are an error`() {
    var limits = TransferLimits()
    limits.headerBytes = 1000
    var lines = ["HTTP/1.1 200 OK\r\n", "\r\n"]
    lines += Array(repeating: "Trailer: \(String(repeating: "x", count: 90))\r\n", count: 20)
    var collector = HeadCollector()
    guard case .complete = feed(Array(lines.prefix(2)), to: &collector, limits: limits) else { return }
    guard case .failure(let failure) = feed(Array(lines.dropFirst(2)), to: &collector, limits: limits) else {
      Issue.record("Trailers beyond the limit were accepted")
      return
    }
    #expect(failure.code == .headTooLarge)
  }

  @Test(arguments: 0..<50) func `random input never causes a crash`(seed: UInt64) {
    var random = SeededRandom(seed)
    var collector = HeadCollector()
    for _ in 0..<50 {
      let length = Int.random(in: 0..<40, using: &random)
      let line = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      _ = line.withUnsafeBytes { collector.append($0, limits: .init()) }
    }
  }

  @Test func `Alt-Svc fields are joined, and those of interim heads are ignored`() {
    var collector = HeadCollector()
    _ = feed(["HTTP/1.1 103 Early Hints\r\n", "Alt-Svc: clear\r\n", "\r\n"], to: &collector)
    #expect(collector.alternativeServices == nil)
    _ = feed(
      ["HTTP/2 200\r\n", "alt-svc: h3=\":443\"\r\n", "Alt-Svc: h2=\":443\"\n", "alt-svcs: x\r\n", "\r\n"],
      to: &collector)
    #expect(collector.alternativeServices == #" h3=":443", h2=":443""#)
  }
}
