import Testing

@testable import TransferEngine

/// The rule has so few inputs that the tests check all 288 combinations.
@Suite struct EndingRuleTests {
  private typealias Observation = EndingRule.Observation

  private static let lengths: [Int64] = [0, 3, 5, 7]

  /// Calls `check` once for each combination.
  private func forEachObservation(_ check: (Observation) -> Void) {
    for isHTTP2 in [false, true] {
      for sawEndOfStream in [nil, false, true] as [Bool?] {
        for announced in [nil, 0, 5] as [Int64?] {
          for received in Self.lengths {
            for hasNoBody in [false, true] {
              for hasHead in [false, true] {
                check(
                  Observation(
                    isHTTP2: isHTTP2, sawEndOfStream: sawEndOfStream, announcedLength: announced,
                    receivedLength: received, hasNoBody: hasNoBody, hasHead: hasHead))
              }
            }
          }
        }
      }
    }
  }

  @Test func `a response without a complete head is incomplete in all cases`() {
    forEachObservation { observation in
      guard !observation.hasHead else { return }
      #expect(EndingRule.verdict(observation) == .cutOff, "\(observation)")
    }
  }

  @Test func `an HTTP 1 body is complete unless it has another length than announced`() {
    forEachObservation { observation in
      guard observation.hasHead, !observation.isHTTP2, !observation.hasNoBody else { return }
      let differs = observation.announcedLength.map { $0 != observation.receivedLength } ?? false
      #expect(EndingRule.verdict(observation) == (differs ? .cutOff : .complete), "\(observation)")
    }
  }

  @Test func `a response without a body is complete with its head, for any announced length`() {
    forEachObservation { observation in
      guard observation.hasHead, observation.hasNoBody else { return }
      #expect(EndingRule.verdict(observation) == .complete, "\(observation)")
    }
  }

  @Test func `an HTTP 2 body with a length is complete when exactly that many bytes came`() {
    forEachObservation { observation in
      guard observation.hasHead, observation.isHTTP2, !observation.hasNoBody,
        let length = observation.announcedLength
      else { return }
      let expected: EndingRule.Verdict = length == observation.receivedLength ? .complete : .cutOff
      #expect(EndingRule.verdict(observation) == expected, "\(observation)")
    }
  }

  @Test func `an HTTP 2 body without a length is complete unless END_STREAM is known to be missing`() {
    forEachObservation { observation in
      guard observation.hasHead, observation.isHTTP2, !observation.hasNoBody,
        observation.announcedLength == nil
      else { return }
      let expected: EndingRule.Verdict = observation.sawEndOfStream == false ? .cutOff : .complete
      #expect(EndingRule.verdict(observation) == expected, "\(observation)")
    }
  }

  /// The tests above cover every combination: 144 without a head, 18 incomplete bodies over HTTP/1, and
  /// 18 + 4 over HTTP/2.
  @Test func `of all combinations 184 are cut off`() {
    var (count, cutOff) = (0, 0)
    forEachObservation { observation in
      count += 1
      if EndingRule.verdict(observation) == .cutOff { cutOff += 1 }
    }
    #expect(count == 288)
    // For length 0, 3 of 4 differ, and for length 5, 3 of 4, each with 3 states of END_STREAM. Without a length: 4.
    #expect(cutOff == 144 + 18 + 18 + 4)
  }

  @Test func `the default observation is a complete HTTP 1 response`() {
    #expect(EndingRule.verdict(EndingRule.Observation()) == .complete)
  }

  @Test func `an HTTP 1 body with a length is complete with exactly that many bytes`() {
    var observation = EndingRule.Observation()
    observation.announcedLength = 5
    observation.receivedLength = 4
    #expect(EndingRule.verdict(observation) == .cutOff)
    observation.receivedLength = 5
    #expect(EndingRule.verdict(observation) == .complete)
    observation.receivedLength = 6
    #expect(EndingRule.verdict(observation) == .cutOff)
    observation.isChunked = true
    #expect(EndingRule.verdict(observation) == .complete)
  }
}
