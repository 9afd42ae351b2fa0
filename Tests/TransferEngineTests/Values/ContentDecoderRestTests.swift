import Testing

@testable import TransferEngine

/// Tests of a transfer whose consumer pauses in the middle of a decoded piece.
@Suite struct ContentDecoderRestTests {
  private func runningWithRest() -> TransferStateMachine {
    var machine = TransferStateMachine()
    _ = machine.start()
    _ = machine.begin()
    machine.pauseReceivingWithRemaining()
    return machine
  }

  @Test func `the rest is delivered before libcurl continues`() {
    var machine = runningWithRest()
    #expect(machine.shouldPauseLibcurl() == true)
    #expect(machine.resumeReceiving() == .deliverRemaining)
    #expect(machine.didDeliverRemaining() == .applyPauses)
    #expect(machine.didDeliverRemaining() == .none)
    #expect(machine.shouldPauseLibcurl() == false)
  }

  @Test func `a pause that libcurl never saw needs no call`() {
    var machine = runningWithRest()
    #expect(machine.resumeReceiving() == .deliverRemaining)
    #expect(machine.didDeliverRemaining() == .none)
  }

  @Test func `a pause after the rest keeps libcurl paused`() {
    var machine = runningWithRest()
    _ = machine.shouldPauseLibcurl()
    #expect(machine.resumeReceiving() == .deliverRemaining)
    machine.pauseReceiving()
    #expect(machine.didDeliverRemaining() == .none)
    #expect(machine.resumeReceiving() == .applyPauses)
  }

  @Test func `a pause within the rest keeps what is left of it`() {
    var machine = runningWithRest()
    #expect(machine.resumeReceiving() == .deliverRemaining)
    machine.pauseReceivingWithRemaining()
    #expect(machine.resumeReceiving() == .deliverRemaining)
  }

  @Test func theEndWaitsForTheRest() {
    var machine = runningWithRest()
    #expect(machine.done() == .detach)
    #expect(!machine.isWaiting && !machine.isRunning && !machine.isFinished)
    #expect(machine.done() == .none)
    #expect(machine.resumeReceiving() == .deliverRemaining)
    #expect(machine.didDeliverRemaining() == .finish)
    #expect(machine.isFinished)
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.cancel() == .none)
  }

  @Test func `the end does not wait for a pause after the rest`() {
    var machine = runningWithRest()
    #expect(machine.done() == .detach)
    #expect(machine.resumeReceiving() == .deliverRemaining)
    machine.pauseReceiving()
    #expect(machine.didDeliverRemaining() == .finish)
  }

  @Test func cancellingDoesNotWaitForTheRest() {
    var machine = runningWithRest()
    #expect(machine.cancel() == .detachAndFinish)
    #expect(machine.resumeReceiving() == .none)

    machine = runningWithRest()
    #expect(machine.done() == .detach)
    #expect(machine.cancel() == .finish)
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.didDeliverRemaining() == .none)
  }
}
