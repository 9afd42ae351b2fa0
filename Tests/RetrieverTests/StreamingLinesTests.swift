#if !canImport(Darwin)

import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamingLinesTests {
  static let terminators: [[UInt8]] = [
    [0x0A], [0x0D], [0x0D, 0x0A], [0x0B], [0x0C], [0xC2, 0x85], [0xE2, 0x80, 0xA8], [0xE2, 0x80, 0xA9],
  ]

  /// CRLF is before CR.
  private static let byLength = terminators.sorted { $0.count > $1.count }

  /// A second implementation of the rules, as simple as possible.
  private func oracle(_ bytes: [UInt8], omittingEmptyLines: Bool) -> [String] {
    var lines: [String] = []
    var line: [UInt8] = []
    var index = 0
    func endLine() {
      if !(omittingEmptyLines && line.isEmpty) { lines.append(String(decoding: line, as: UTF8.self)) }
      line = []
    }
    while index < bytes.count {
      if let terminator = Self.byLength.first(where: { bytes[index...].starts(with: $0) }) {
        endLine()
        index += terminator.count
      } else {
        line.append(bytes[index])
        index += 1
      }
    }
    if !line.isEmpty { endLine() }
    return lines
  }

  @Test(arguments: 1...20)
  func everyTerminatorEndsALineAtEveryChunkSize(chunkSize: Int) async throws {
    for terminator in Self.terminators {
      for text in ["a", "Grüße, 世界 — €", "a line that is longer than one vector of sixteen bytes"] {
        let line = Array(text.utf8)
        let bytes = line + terminator + terminator + line + terminator + line
        let kept = [text, "", text, text]
        #expect(try await stream(bytes, chunkSize: chunkSize).lines.collected() == [text, text, text])
        #expect(
          try await stream(bytes, chunkSize: chunkSize).lines(omittingEmptyLines: false).collected() == kept
        )
        #expect(try await ForeignBytes(bytes: bytes).lines(omittingEmptyLines: false).collected() == kept)
      }
    }
  }

  @Test func `random bytes in random pieces give the same lines as the reference`() async throws {
    var generator = SeededRandom(42)
    let alphabet: [UInt8] = [
      0x0A, 0x0D, 0x0B, 0x0C, 0xC2, 0x85, 0xE2, 0x80, 0xA8, 0xA9, 0x61, 0x62, 0x20, 0xC3, 0xBC, 0xFF,
    ]
    // ThreadSanitizer needs more than half a minute for all of them, and the threads share nothing here.
    for round in 0..<(ResourceSnapshot.isSanitized ? 200 : 2000) {
      let plain = round.isMultiple(of: 2) ? 0 : 60
      let bytes = (0..<Int.random(in: 0...300, using: &generator)).map { _ in
        Int.random(in: 0..<100, using: &generator) < plain
          ? 0x78 : alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
      }
      let pieces = splitRandomly(bytes, using: &generator)
      for omits in [true, false] {
        let expected = oracle(bytes, omittingEmptyLines: omits)
        #expect(try await stream(pieces: pieces).lines(omittingEmptyLines: omits).collected() == expected)
        #expect(
          try await ForeignBytes(bytes: bytes).lines(omittingEmptyLines: omits).collected() == expected)
      }
    }
  }

  @Test func `a line is returned as soon as its terminator has arrived`() async throws {
    for terminator in Self.terminators where terminator != [0x0D, 0x0A] {
      let watched = WatchedChannel()
      var iterator = ChannelBytes(watched.channel).lines.makeAsyncIterator()
      for byte in Array("ab".utf8) + terminator { watched.channel.append([byte]) }
      // This would wait forever if it needed one more byte.
      #expect(try await iterator.next() == "ab")
      watched.channel.append([0x0A])
      watched.channel.append("c\n")
      #expect(try await iterator.next() == "c")
    }
  }

  @Test func theLineFeedOfACRLFIsSkippedInALaterChunkToo() async throws {
    let watched = WatchedChannel()
    var iterator = ChannelBytes(watched.channel).lines(omittingEmptyLines: false).makeAsyncIterator()
    watched.channel.append("a\r")
    #expect(try await iterator.next() == "a")
    watched.channel.append("\n\nb\n")
    #expect(try await iterator.next() == "")
    #expect(try await iterator.next() == "b")
    watched.channel.finish()
    #expect(try await iterator.next() == nil)
    #expect(try await iterator.next() == nil)
  }

  @Test func `invalid UTF-8 is replaced`() async throws {
    #expect(
      try await stream([0x61, 0xFF, 0x62, 0x0A, 0xE2, 0x80]).lines.collected() == [
        "a\u{FFFD}b", "\u{FFFD}",
      ])
  }

  @Test func `a line that spans many chunks is joined`() async throws {
    let long = String(repeating: "0123456789", count: 100_000)
    #expect(try await stream(long + "\nx", chunkSize: 1000).lines.collected() == [long, "x"])
  }

  @Test(arguments: [1, 4, 1000])
  func `a line that is too long throws an error with its line number`(chunkSize: Int) async throws {
    var lines: [String] = []
    let error = await #expect(throws: StreamingError.self) {
      let bytes = stream("one\n\n12345678\n123456789\nx\n", chunkSize: chunkSize)
      for try await line in bytes.lines(omittingEmptyLines: true, maximumLength: 8) { lines.append(line) }
    }
    #expect(lines == ["one", "12345678"])
    #expect(error?.code == .lineTooLong)
    #expect(error?.lineNumber == 4)
    #expect(error?.limit == 8)
  }

  @Test func `a line that is too long is returned in pieces if the bytes cannot throw`() async throws {
    let bytes = ForeignBytes(bytes: Array("12345678901234567890\nab\n".utf8))
    var lines: [String] = []
    for await line in bytes.lines(omittingEmptyLines: true, maximumLength: 8) { lines.append(line) }
    #expect(lines == ["12345678", "90123456", "7890", "ab"])
  }

  @Test(arguments: [0x61, 0x0A] as [UInt8])
  func `the beginning of a terminator may exceed the limit`(last: UInt8) async throws {
    // E2 80 begins a line separator, but the next byte does not complete it.
    let pieces: [[UInt8]] = [[0x61, 0x62, 0x63, 0xE2], [0x80], [last, 0x0A]]
    let error = await #expect(throws: StreamingError.self) {
      _ = try await stream(pieces: pieces).lines(omittingEmptyLines: true, maximumLength: 4).collected()
    }
    #expect(error?.code == .lineTooLong)
    let bytes = ForeignBytes(bytes: pieces.flatMap { $0 })
    let lines = try await bytes.lines(omittingEmptyLines: true, maximumLength: 4).collected()
    #expect(lines == (last == 0x0A ? ["abc\u{FFFD}"] : ["abc\u{FFFD}", "a"]))
  }

  @Test func `an error of the bytes is thrown after the complete lines`() async throws {
    let bytes = stream(pieces: [Array("a\nb\nunfinished".utf8)], throwing: URLError(.timedOut))
    var iterator = bytes.lines.makeAsyncIterator()
    #expect(try await iterator.next() == "a")
    #expect(try await iterator.next() == "b")
    await #expect(throws: URLError(.timedOut)) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  @Test func `leaving the loop over lines stops the producer`() async throws {
    let watched = WatchedChannel()
    watched.channel.append("a\nb\n")
    for try await _ in ChannelBytes(watched.channel).lines { break }
    #expect(watched.terminations == 1)
  }
}

#endif
