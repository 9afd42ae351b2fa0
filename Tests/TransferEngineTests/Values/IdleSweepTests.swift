import Testing

@testable import TransferEngine

@Suite struct IdleSweepTests {
  private func moment(_ nanoseconds: Int64) -> Monotonic { Monotonic(nanoseconds: nanoseconds) }

  @Test func `no sweep begins without a deadline`() {
    var sweep = IdleSweep()
    #expect(sweep.begins(at: moment(.max)) == false)
    #expect(sweep.next == nil)
  }

  @Test func theEarliestDeadlineCounts() {
    var sweep = IdleSweep()
    sweep.include(moment(10))
    sweep.include(moment(5))
    sweep.include(moment(20))
    #expect(sweep.next == moment(5))
  }

  @Test func `a sweep begins at the deadline and not before`() {
    var sweep = IdleSweep()
    sweep.include(moment(10))
    #expect(sweep.begins(at: moment(9)) == false)
    #expect(sweep.begins(at: moment(10)) == true)
  }

  @Test func `after a sweep, only deadlines that are included again count`() {
    var sweep = IdleSweep()
    sweep.include(moment(10))
    #expect(sweep.begins(at: moment(11)) == true)
    #expect(sweep.next == nil)
    #expect(sweep.begins(at: moment(100)) == false)
    sweep.include(moment(30_000_000))
    #expect(sweep.next == moment(30_000_000))
  }

  @Test func `many deadlines close to each other cause one sweep`() {
    var sweep = IdleSweep()
    sweep.include(moment(10))
    #expect(sweep.begins(at: moment(10)) == true)
    for number: Int64 in 11..<1000 { sweep.include(moment(number)) }
    #expect(sweep.next == moment(10 + IdleSweep.granularity.clampedNanoseconds))
  }
}
