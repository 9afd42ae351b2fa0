#if !canImport(Darwin)

import Foundation
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct StreamingJSONLinesTests {
  private struct Dog: Codable, Equatable {
    var name: String
    var age: Int
  }

  @Test(arguments: [1, 3, 1000])
  func valuesAreDecodedLineByLine(chunkSize: Int) async throws {
    let text = "{\"name\":\"Rex\",\"age\":3}\r\n\n  \n{\"name\":\"a\u{2028}b\",\"age\":4}"
    #expect(
      try await stream(text, chunkSize: chunkSize).jsonLines(of: Dog.self).collected() == [
        Dog(name: "Rex", age: 3), Dog(name: "a\u{2028}b", age: 4),
      ])
  }

  @Test func `an invalid line throws an error with its number and ends the sequence`() async throws {
    var iterator = stream("1\n\n2\nnonsense\n3\n").jsonLines(of: Int.self).makeAsyncIterator()
    #expect(try await iterator.next() == 1)
    #expect(try await iterator.next() == 2)
    let error = await #expect(throws: StreamingError.self) { try await iterator.next() }
    #expect(error?.code == .invalidJSONLine)
    #expect(error?.lineNumber == 4)
    #expect(error?.underlyingError is DecodingError)
    #expect(error?.localizedDescription.contains("Line 4") == true)
    #expect(try await iterator.next() == nil)
  }

  @Test func `a value is returned as soon as its line feed has arrived`() async throws {
    let watched = WatchedChannel()
    var iterator = ChannelBytes(watched.channel).jsonLines(of: [Int].self).makeAsyncIterator()
    watched.channel.append("[1,2]\n")
    #expect(try await iterator.next() == [1, 2])
  }

  @Test func `the given decoder is used`() async throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    struct Value: Decodable { var twoWords: Int }
    let values = try await stream("{\"two_words\":5}\n").jsonLines(of: Value.self, decoder: decoder)
      .collected()
    #expect(values.map(\.twoWords) == [5])
  }
}

#endif
