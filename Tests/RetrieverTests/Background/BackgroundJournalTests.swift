#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite struct BackgroundJournalTests {
  // MARK: A model

  /// Entries of any kind, for a few tasks, of which some do not exist.
  private func randomEntries(_ count: Int, _ random: inout SeededRandom) throws -> [BackgroundEntry] {
    let response = try #require(StoredResponse.forTest())
    return try (0..<count).map { _ in
      let identifier = Int.random(in: 1...6, using: &random)
      let length = Int64.random(in: 0...1000, using: &random)
      switch Int.random(in: 0..<15, using: &random) {
      case 0, 1: return .task(try #require(.forTest(identifier)))
      case 2:
        return .task(
          try #require(.forTest(identifier, .upload(path: "/tmp/ü \(length)\n"), method: "POST")))
      case 3:
        var attributes = try #require(BackgroundTaskRecord.forTest(1)).attributes
        attributes.taskDescription = "line\nend \(length)"
        return .attributes(identifier, attributes)
      case 4: return .resumed(identifier, Date(timeIntervalSince1970: TimeInterval(length)))
      case 5: return .suspended(identifier)
      case 6: return .underWay(identifier)
      case 7: return .unsent(identifier)
      case 8:
        return .partial(
          identifier, .init(name: PartialFileName.random(), isTemporary: length % 2 == 0, boot: "boot"))
      case 9: return .head(identifier, response, validator: length % 2 == 0 ? "\"tag\"" : nil, length: length)
      case 10: return .synced(identifier, length)
      case 11: return .finished(identifier, .init(response: response, length: length))
      case 12: return .delivering(identifier)
      case 13: return .cancelled(identifier)
      default: return .removed(identifier)
      }
    }
  }

  @Test(arguments: 1...40)
  func `a journal that is cut at any byte has the state after its last complete line`(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let entries = try randomEntries(15, &random)
    var contents: [UInt8] = []
    var states = [(end: 0, state: BackgroundJournal())]
    for entry in entries {
      contents += try #require(BackgroundLine.bytes(entry))
      var state = states[states.count - 1].state
      state.apply(entry)
      states.append((contents.count, state))
    }
    // Reading takes long without optimization, so each seed tries some of the cuts.
    let cuts = (0..<80).map { _ in Int.random(in: 0...contents.count, using: &random) }
    for cut in cuts + states.flatMap({ [$0.end, max(0, $0.end - 1)] }) {
      let read = BackgroundJournal(BackgroundLine.entries(in: Array(contents.prefix(cut))))
      let expected = states.last { $0.end <= cut }?.state
      guard read == expected else {
        Issue.record("cut at \(cut)")
        return
      }
    }
    // What is written again has the same state.
    let last = states[states.count - 1].state
    let again = last.entries.compactMap { BackgroundLine.bytes($0) }.flatMap { $0 }
    #expect(BackgroundJournal(BackgroundLine.entries(in: again)) == last)
    #expect(last.cost == last.tasks.values.reduce(0) { $0 + $1.cost })
  }

  @Test(arguments: 1...40)
  func `a damaged line does not affect the others`(seed: Int) throws {
    var random = SeededRandom(UInt64(seed))
    let entries = try randomEntries(20, &random)
    let lines = try entries.map { try #require(BackgroundLine.bytes($0)) }
    let damaged = Int.random(in: 0..<lines.count, using: &random)
    var line = lines[damaged]
    let place = Int.random(in: 0..<line.count, using: &random)
    line[place] ^= UInt8.random(in: 1...255, using: &random)
    let contents = lines[..<damaged].flatMap { $0 } + line + lines[(damaged + 1)...].flatMap { $0 }
    let read = BackgroundLine.entries(in: contents)
    // A line end that is damaged joins two lines.
    let joins = place == line.count - 1 && damaged + 1 < lines.count
    #expect(read == Array(entries[..<damaged]) + Array(entries[(damaged + (joins ? 2 : 1))...]))
  }

  @Test func `bytes that are not a journal have no entries`() {
    var random = SeededRandom(7)
    for _ in 0..<500 {
      let bytes = (0..<Int.random(in: 0...300, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      #expect(BackgroundLine.entries(in: bytes).isEmpty)
    }
    #expect(BackgroundLine.entries(in: Array(repeating: UInt8(ascii: "\n"), count: 100_000)).isEmpty)
    #expect(BackgroundLine.entries(in: Array(repeating: 0, count: 9 << 20)).isEmpty)
  }

  // MARK: Rules

  @Test func `entries of unknown tasks have no effect, and identifiers are not used again`() throws {
    var journal = BackgroundJournal()
    let (third, invalid) = (try #require(BackgroundTaskRecord.forTest(3)), BackgroundTaskRecord.forTest(-1))
    let entries: [BackgroundEntry] = [
      .underWay(3), .removed(3), .task(third), .removed(3), .numbered(.max), .task(try #require(invalid)),
    ]
    #expect(entries.map { journal.apply($0) } == [false, false, true, true, false, false])
    #expect(journal.tasks.isEmpty)
    #expect(journal.cost == 0)
    #expect(BackgroundJournal(journal.entries).lastIdentifier == 3)
  }

  @Test func `an entry that changes nothing is not written`() throws {
    var journal = BackgroundJournal([.task(try #require(.forTest(1)))])
    let entries: [BackgroundEntry] = [
      .suspended(1), .resumed(1, Date(timeIntervalSince1970: 1)), .resumed(1, Date(timeIntervalSince1970: 2)),
    ]
    #expect(entries.map { journal.apply($0) } == [false, true, false])
    #expect(journal.tasks[1]?.began == Date(timeIntervalSince1970: 1))
  }

  @Test func `cancelling a complete download does not change it`() throws {
    let response = try #require(StoredResponse.forTest())
    var journal = BackgroundJournal([
      .task(try #require(.forTest(1))), .finished(1, .init(response: response, length: 3)),
    ])
    let changes = journal.apply(.cancelled(1))
    #expect(!changes)
    #expect(journal.tasks[1]?.isCancelled == false)
  }

  @Test func `the number of tasks and the bytes of their requests are limited`() throws {
    var journal = BackgroundJournal()
    for identifier in 1...BackgroundJournal.maximumTasks {
      journal.apply(.task(try #require(.forTest(identifier))))
    }
    #expect(journal.tasks.count == BackgroundJournal.maximumTasks)
    let next = try #require(BackgroundTaskRecord.forTest(5000))
    #expect(journal.refusal(of: next)?.contains("4096 tasks") == true)
    journal.apply(.task(next))
    #expect(journal.tasks.count == BackgroundJournal.maximumTasks)

    journal = BackgroundJournal()
    let body = Data(repeating: 1, count: StoredRequest.maximumBody)
    var identifier = 1
    while let long = BackgroundTaskRecord.forTest(identifier, body: body), journal.apply(.task(long)) {
      identifier += 1
    }
    #expect(20..<32 ~= identifier)
    #expect(journal.cost <= BackgroundJournal.maximumCost)
    // The longest request fits into a line.
    let long = try #require(BackgroundTaskRecord.forTest(1, body: body))
    let line = try #require(BackgroundLine.bytes(.task(long)))
    #expect(BackgroundLine.entries(in: line) == [.task(long)])
  }

  // MARK: Values

  @Test func `a request is restored with everything that decides what is sent`() throws {
    var request = URLRequest(url: try #require(URL(string: "https://example.com/a?b=c#d")))
    request.httpMethod = "PUT"
    request.httpBody = Data([0, 255, 10])
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.addValue("a", forHTTPHeaderField: "X-List")
    request.addValue("b", forHTTPHeaderField: "X-List")
    request.cachePolicy = .reloadIgnoringLocalCacheData
    request.timeoutInterval = 12
    request.mainDocumentURL = URL(string: "https://example.com/page")
    request.networkServiceType = .background
    request.attribution = .user
    request.httpShouldHandleCookies = false
    request.allowsCellularAccess = false
    let task = try record(request)
    let line = try #require(BackgroundLine.bytes(.task(task)))
    guard case .task(let read) = BackgroundLine.entries(in: line).first else {
      Issue.record("not read")
      return
    }
    #expect(read.request.request == request)
    request.timeoutInterval = .infinity
    let endless = try record(request)
    #expect(BackgroundLine.bytes(.task(endless)) != nil)
    request.httpBodyStream = InputStream(data: Data())
    #expect(StoredRequest(request) == nil)
  }

  private func record(_ request: URLRequest) throws -> BackgroundTaskRecord {
    var record = try #require(BackgroundTaskRecord.forTest())
    record.request = try #require(StoredRequest(request))
    return record
  }

  @Test func `a response is restored without cookies and secrets`() throws {
    let url = try #require(URL(string: "http://example.com/"))
    let response = try #require(
      HTTPURLResponse(
        url: url, statusCode: 203, httpVersion: "HTTP/2",
        headerFields: ["Content-Type": "text/html", "Set-Cookie": "a=secret", "X-Auth-Token": "secret"]))
    let stored = try #require(StoredResponse(response)?.response)
    #expect(stored.statusCode == 203)
    #expect(stored.mimeType == "text/html")
    #expect(stored.url == url)
    #expect(stored.allHeaderFields.count == 1)
  }
}
#endif
