#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

@Suite struct StoredTransferTests {
  private typealias Machine = StoredTransfer.Machine

  private func expectNext(
    _ expected: Machine.Step, _ machine: inout Machine, _ sourceLocation: SourceLocation = #_sourceLocation
  ) {
    let step = machine.next()
    #expect(step == expected, sourceLocation: sourceLocation)
  }

  @Test func `the head comes first, then the body in parts, then the end`() {
    var machine = Machine(length: Machine.maximumPart + 1)
    let begins = machine.begin()
    #expect(begins)
    expectNext(.head, &machine)
    expectNext(.bytes(0..<Machine.maximumPart), &machine)
    expectNext(.bytes(Machine.maximumPart..<Machine.maximumPart + 1), &machine)
    expectNext(.finish(isCancelled: false), &machine)
    expectNext(.rest, &machine)
    let beginsAgain = machine.begin()
    #expect(!beginsAgain)
  }

  @Test func `a pause lasts until the transfer is resumed`() {
    var machine = Machine(length: 5)
    _ = (machine.begin(), machine.next())
    machine.pause(asOf: machine.resumes)
    expectNext(.rest, &machine)
    machine.resume()
    let begins = machine.begin()
    #expect(begins)
    expectNext(.bytes(0..<5), &machine)
  }

  @Test func `a resume during the call that asks for a pause cancels the pause`() {
    var machine = Machine(length: 5)
    _ = (machine.begin(), machine.next())
    let resumes = machine.resumes
    machine.resume()
    machine.pause(asOf: resumes)
    expectNext(.bytes(0..<5), &machine)
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `events come once and in order, in any order of the calls`(seed: UInt64) {
    var machine = Machine(length: 200_000)
    var steps: [Machine.Step] = []
    var isDelivering = false
    SeededRandom.draw(400, eventsOf: 8, seed: seed) { kind, random in
      switch kind {
      case 0: if seed % 5 == 0, steps.count > 3 { machine.cancel() }
      case 1: machine.pause(asOf: machine.resumes)
      case 2: machine.resume()
      case 3: machine.hold()
      default:
        if !isDelivering { isDelivering = machine.begin() }
        guard isDelivering else { return }
        let step = machine.next()
        if step == .rest { isDelivering = false } else { steps.append(step) }
      }
    }
    machine.resume()
    if isDelivering || machine.begin() {
      while case let step = machine.next(), step != .rest { steps.append(step) }
    }
    let ends = steps.filter { if case .finish = $0 { true } else { false } }
    #expect(ends.count == 1 && steps.last == ends.first && steps.first == .head)
    var position = 0
    for case .bytes(let range) in steps {
      #expect(range.lowerBound == position)
      position = range.upperBound
    }
    if ends == [.finish(isCancelled: false)] { #expect(position == 200_000) }
  }
}
#endif
