import Foundation
import RetrieverImages
import TerminalProgram
import Testing

@testable import RetrieverCommand

@Suite struct ExitStatusTests {
  @Test func theNumbersAreAPromise() {
    let numbers = Dictionary(
      uniqueKeysWithValues: TerminalProgram.ExitStatus.all.map { ($0.word, $0.status.rawValue) })
    #expect(
      numbers == [
        "success": 0, "failure": 1, "usage": 2, "hostNotFound": 3, "connection": 4, "security": 5,
        "httpStatus": 6, "timedOut": 7, "fileSystem": 8, "notAnImage": 9, "partial": 10, "tooLarge": 11,
        "hungUp": 129, "interrupted": 130, "outputClosed": 141, "terminated": 143,
      ])
  }

  @Test func errorsOfTheLibrariesHaveTheirNumbers() throws {
    let expected: [(URLError.Code, TerminalProgram.ExitStatus)] = [
      (.cannotFindHost, .hostNotFound), (.timedOut, .timedOut), (.cannotConnectToHost, .connection),
      (.serverCertificateHasBadDate, .security), (.cannotWriteToFile, .fileSystem),
      (.dataLengthExceedsMaximum, .tooLarge), (.cancelled, .interrupted),
    ]
    for (code, status) in expected { #expect(Failure(URLError(code)).status == status) }
    #expect(Failure(CancellationError()).status == .interrupted)
    let damaged = #expect(throws: ImageError.self) { try UIImage(validating: Data("no".utf8)) }
    #expect(Failure(try #require(damaged)).status == .notAnImage)
  }

  @Test func waitsGrowAndStayWithinBounds() {
    var backoff = Backoff(first: .seconds(1), longest: .seconds(30))
    let waits = (0..<40).map { _ in backoff.next(jitter: 1) }
    #expect(waits.prefix(6).map(\.inSeconds) == [1, 2, 4, 8, 16, 30])
    #expect(waits.allSatisfy { $0 <= .seconds(30) })
    backoff.reset()
    #expect(backoff.next(jitter: 0) == .milliseconds(750))
    var patient = Backoff(first: .seconds(90))
    #expect(patient.next(jitter: 1) == .seconds(90))
  }
}
