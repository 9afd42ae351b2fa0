import Foundation
import Retriever
import RetrieverTesting
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct StubTimeTests {
  private let clock = ManualClock()
  private let stubs: HTTPStubs
  private let session: URLSession

  init() {
    stubs = HTTPStubs(clock: clock)
    session = stubs.session()
  }

  @Test func `a delayed answer arrives when the test advances the clock`() async throws {
    stubs.when("/slow", answer: .text("woof").after(.seconds(3600)))
    async let text = session.text("/slow")
    _ = try await stubs.request()
    clock.advance(by: .seconds(3599))
    try await clock.waitForSleepers()
    #expect(clock.sleeperCount == 1)
    clock.advance(by: .seconds(1))
    #expect(try await text == "woof")
    #expect(clock.sleeperCount == 0)
  }

  @Test func `the delay starts with the request, so the clock may be advanced immediately after it`()
    async throws
  {
    stubs.when("/slow", answer: .text("woof").after(.seconds(10)))
    for number in 1...50 {
      async let text = session.text("/slow")
      _ = try await stubs.request(number)
      clock.advance(by: .seconds(10))
      #expect(try await text == "woof")
    }
  }

  @Test func `a slow body arrives piece by piece`() async throws {
    stubs.when("/pieces", answer: .text("abcdefgh").inPieces(of: 3, every: .seconds(1)))
    let (bytes, response) = try await session.bytes(from: .test("/pieces"))
    #expect(response.expectedContentLength == 8)
    var iterator = bytes.makeAsyncIterator()
    var text = ""
    for _ in 0..<3 { text.unicodeScalars.append(Unicode.Scalar(try #require(try await iterator.next()))) }
    try await clock.waitForSleepers()
    #expect(text == "abc")
    clock.advance(by: .seconds(2))
    while let byte = try await iterator.next() { text.unicodeScalars.append(Unicode.Scalar(byte)) }
    #expect(text == "abcdefgh")
  }

  @Test func `pieces of the test arrive as events`() async throws {
    let events = ["data: one\n\n", "data: two\n\n"].map { Data($0.utf8) }
    stubs.when("/events", answer: .pieces(events, every: .seconds(60), type: "text/event-stream"))
    let (bytes, _) = try await session.bytes(from: .test("/events"))
    var iterator = bytes.lines.makeAsyncIterator()
    #expect(try await iterator.next() == "data: one")
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(60))
    #expect(try await iterator.next() == "data: two")
    #expect(try await iterator.next() == nil)
  }

  @Test func `cancelling a load ends its wait on the clock`() async throws {
    stubs.when("/slow", answer: .text("woof").after(.seconds(10)))
    let load = Task { try await session.text("/slow") }
    try await clock.waitForSleepers()
    load.cancel()
    let error = await urlError { _ = try await load.value }
    #expect(error?.code == .cancelled)
    #expect(await eventually { clock.sleeperCount == 0 })
  }

  @Test func `a time-out comes after the time of the request or the session`() async throws {
    stubs.when("/never", answer: .timeOut)
    let configuration = stubs.configuration()
    configuration.timeoutIntervalForRequest = 30
    let session = URLSession(configuration: configuration)
    let load = Task { try await session.text("/never") }
    _ = try await stubs.request()
    clock.advance(by: .seconds(29))
    try await clock.waitForSleepers()
    clock.advance(by: .seconds(1))
    let error = await urlError { _ = try await load.value }
    #expect(error?.code == .timedOut)
  }

  @Test func `a long body waits until it is read`() async throws {
    let count = 64 << 20
    let read = Mutex(0)
    stubs.when("/long", answer: .data(Data(count: count)))
    let (bytes, _) = try await session.bytes(from: .test("/long"))
    for try await chunk in bytes.chunks { read.withLock { $0 += chunk.count } }
    #expect(read.withLock { $0 } == count)
  }

  @Test func `a cancelled sleeper leaves the clock`() async throws {
    let sleeper = Task { try await clock.sleep(until: .init(offset: .seconds(1))) }
    try await clock.waitForSleepers()
    sleeper.cancel()
    await #expect(throws: CancellationError.self) { try await sleeper.value }
    #expect(clock.sleeperCount == 0)
    let waiter = Task { try await clock.waitForSleepers(2) }
    waiter.cancel()
    await #expect(throws: CancellationError.self) { try await waiter.value }
    try await clock.sleep(until: clock.now)
  }
}
