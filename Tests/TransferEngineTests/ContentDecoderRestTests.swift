import Testing

@testable import TransferEngine

/// The life of a transfer whose consumer pauses in the middle of a decoded piece.
@Suite struct ContentDecoderRestTests {
  private func runningWithRest() -> TransferStateMachine {
    var machine = TransferStateMachine()
    _ = machine.start()
    _ = machine.begin()
    machine.pauseReceivingWithRest()
    return machine
  }

  @Test func theRestIsDeliveredBeforeLibcurlGoesOn() {
    var machine = runningWithRest()
    #expect(machine.holdsBack() == true)
    #expect(machine.resumeReceiving() == .deliverRest)
    #expect(machine.restIsDelivered() == .applyPauses)
    #expect(machine.restIsDelivered() == .none)
    #expect(machine.holdsBack() == false)
  }

  @Test func libcurlIsNotToldOfAPauseItNeverSaw() {
    var machine = runningWithRest()
    #expect(machine.resumeReceiving() == .deliverRest)
    #expect(machine.restIsDelivered() == .none)
  }

  @Test func aPauseBehindTheRestKeepsLibcurlPaused() {
    var machine = runningWithRest()
    _ = machine.holdsBack()
    #expect(machine.resumeReceiving() == .deliverRest)
    machine.pauseReceiving()
    #expect(machine.restIsDelivered() == .none)
    #expect(machine.resumeReceiving() == .applyPauses)
  }

  @Test func aPauseWithinTheRestKeepsTheRest() {
    var machine = runningWithRest()
    #expect(machine.resumeReceiving() == .deliverRest)
    machine.pauseReceivingWithRest()
    #expect(machine.resumeReceiving() == .deliverRest)
  }

  @Test func theEndWaitsForTheRest() {
    var machine = runningWithRest()
    #expect(machine.done() == .detach)
    #expect(machine.phase == .draining)
    #expect(machine.done() == .none)
    #expect(machine.resumeReceiving() == .deliverRest)
    #expect(machine.restIsDelivered() == .finish)
    #expect(machine.phase == .finished)
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.cancel() == .none)
  }

  @Test func theEndDoesNotWaitForAPauseBehindTheRest() {
    var machine = runningWithRest()
    #expect(machine.done() == .detach)
    #expect(machine.resumeReceiving() == .deliverRest)
    machine.pauseReceiving()
    #expect(machine.restIsDelivered() == .finish)
  }

  @Test func cancellingDoesNotWaitForTheRest() {
    var machine = runningWithRest()
    #expect(machine.cancel() == .detachAndFinish)
    #expect(machine.resumeReceiving() == .none)

    machine = runningWithRest()
    #expect(machine.done() == .detach)
    #expect(machine.cancel() == .finish)
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.restIsDelivered() == .none)
  }
}
