#if !canImport(Darwin)

import Foundation
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamingEventsTests {
  private func events(_ text: String, chunkSize: Int = .max) async throws -> [ServerSentEvent] {
    try await stream(text, chunkSize: chunkSize).serverSentEvents.collected()
  }

  @Test(arguments: ["\n", "\r", "\r\n"], [1, 2, 5, 1000])
  func theExamplesOfTheStandardWorkWithEveryLineEndAndChunkSize(end: String, chunkSize: Int) async throws {
    let text = [
      ": a comment", "", "data: first event", "id: 1", "", "data:second event", "id", "",
      "data:  third event",
      "", "event: add", "data: 73857293", "", "data: YHOO", "data: +2", "data: 10", "", "data", "", "data",
      "data",
      "", "data: cut off",
    ].joined(separator: end)
    #expect(
      try await events(text, chunkSize: chunkSize) == [
        ServerSentEvent(data: "first event", id: "1"),
        ServerSentEvent(data: "second event"),
        ServerSentEvent(data: " third event"),
        ServerSentEvent(event: "add", data: "73857293"),
        ServerSentEvent(data: "YHOO\n+2\n10"),
        ServerSentEvent(data: ""),
        ServerSentEvent(data: "\n"),
      ])
  }

  @Test func aByteOrderMarkIsSkippedAtTheBeginningOnly() async throws {
    let text = "\u{FEFF}data: a\n\n\u{FEFF}data: b\n\ndata: \u{FEFF}c\n\n"
    #expect(try await events(text).map(\.data) == ["a", "\u{FEFF}c"])
  }

  @Test func otherLineSeparatorsBelongToTheData() async throws {
    #expect(
      try await events("data: a\u{2028}b\u{85}c\u{0B}d\n\n").map(\.data) == ["a\u{2028}b\u{85}c\u{0B}d"])
  }

  @Test func `a combining mark after the colon does not hide it`() async throws {
    #expect(try await events("data:\u{301}x\n\n").map(\.data) == ["\u{301}x"])
  }

  @Test func theIDAndTheRetryTimeStayUntilTheyAreChanged() async throws {
    let text = "id: 7\nretry: 1500\n\ndata: a\n\nid: b\u{0}d\nretry: soon\ndata: b\n\nid\ndata: c\n\n"
    #expect(
      try await events(text) == [
        ServerSentEvent(data: "a", id: "7", retry: .milliseconds(1500)),
        ServerSentEvent(data: "b", id: "7", retry: .milliseconds(1500)),
        ServerSentEvent(data: "c", id: "", retry: .milliseconds(1500)),
      ])
  }

  @Test func `an event without data is discarded`() async throws {
    #expect(try await events("event: ping\n\ndata: x\n\n") == [ServerSentEvent(data: "x")])
  }

  @Test func `an event is returned as soon as its blank line has arrived`() async throws {
    let watched = WatchedChannel()
    var iterator = ChannelBytes(watched.channel).serverSentEvents.makeAsyncIterator()
    watched.channel.append("data: now\r\n\r")
    #expect(try await iterator.next()?.data == "now")
  }

  @Test func `an event that exceeds the limit is an error`() async throws {
    let text = String(repeating: "data: 1234567890\n", count: 10) + "\n"
    let error = await #expect(throws: StreamingError.self) {
      try await stream(text).serverSentEvents(maximumLength: 50).collected()
    }
    #expect(error?.code == .eventTooLong)
  }
}

#endif
