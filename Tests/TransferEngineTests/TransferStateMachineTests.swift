import TestSupport
import Testing

@testable import TransferEngine

@Suite struct TransferStateMachineTests {
  private func running() -> TransferStateMachine {
    var machine = TransferStateMachine()
    _ = machine.start()
    _ = machine.begin()
    return machine
  }

  @Test func `a transfer waits for its turn, then is attached once`() {
    var machine = TransferStateMachine()
    #expect(machine.begin() == .none)
    #expect(machine.start() == .enqueue)
    #expect(machine.start() == .none)
    #expect(machine.phase == .waiting)
    #expect(machine.begin() == .attach)
    #expect(machine.begin() == .none)
    #expect(machine.phase == .running)
  }

  @Test func `a transfer that waits ends without libcurl`() {
    var machine = TransferStateMachine()
    _ = machine.start()
    #expect(machine.cancel() == .finish)
    #expect(machine.begin() == .none)
  }

  @Test func `a restarted transfer knows no pause of the attempt before`() {
    var machine = running()
    machine.pauseSending()
    #expect(machine.restart() == .attach)
    #expect(!machine.isSendPaused)
    #expect(machine.resumeSending() == .none)
    #expect(machine.done() == .detachAndFinish)
    #expect(machine.restart() == .none)
  }

  @Test func cancellingBeforeTheStartReportsAnEndWithoutLibcurl() {
    var machine = TransferStateMachine()
    #expect(machine.cancel() == .finish)
    #expect(machine.start() == .none)
    #expect(machine.cancel() == .none)
    #expect(machine.done() == .none)
  }

  @Test func cancellingARunningTransferTakesItsHandleBackOnce() {
    var machine = running()
    #expect(machine.cancel() == .detachAndFinish)
    #expect(machine.cancel() == .none)
    #expect(machine.done() == .none)
  }

  @Test func whatIsDoneCannotBeCancelled() {
    var machine = running()
    #expect(machine.done() == .detachAndFinish)
    #expect(machine.cancel() == .none)
    #expect(machine.done() == .none)
    #expect(machine.start() == .none)
  }

  @Test func libcurlIsNotDoneWithWhatItNeverGot() {
    var machine = TransferStateMachine()
    #expect(machine.done() == .none)
    #expect(machine.phase == .created)
  }

  @Test func aResumeThatComesBeforeLibcurlSawThePauseNeedsNoCall() {
    var machine = running()
    machine.pauseReceiving()
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.holdsBack() == false)
  }

  @Test func aResumeAfterLibcurlKeptAPieceIsPassedOnOnce() {
    var machine = running()
    machine.pauseReceiving()
    #expect(machine.holdsBack() == true)
    #expect(machine.resumeReceiving() == .applyPauses)
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.holdsBack() == false)
  }

  @Test func resumingWhatIsNotPausedDoesNothing() {
    var machine = running()
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.resumeSending() == .none)
  }

  @Test func theDirectionsPauseIndependently() {
    var machine = running()
    machine.pauseReceiving()
    _ = machine.holdsBack()
    machine.pauseSending()
    #expect(machine.resumeSending() == .applyPauses)
    #expect(machine.isReceivePaused)
    #expect(!machine.isSendPaused)
    #expect(machine.resumeReceiving() == .applyPauses)
    #expect(!machine.isReceivePaused)
  }

  @Test func aPauseThatLibcurlWasToldOfAlongWithAResumeIsTakenBack() {
    var machine = running()
    machine.pauseReceiving()
    machine.pauseSending()
    // Both directions are told at once: from here on libcurl does not receive.
    #expect(machine.resumeSending() == .applyPauses)
    #expect(machine.resumeReceiving() == .applyPauses)
  }

  @Test func aPauseDoesNotKeepATransferFromEnding() {
    var machine = running()
    machine.pauseReceiving()
    _ = machine.holdsBack()
    #expect(machine.cancel() == .detachAndFinish)
    #expect(machine.resumeReceiving() == .none)
  }

  /// Whatever comes in whatever order: exactly one end is reported, and libcurl is called only while it has the handle.
  @Test(arguments: 0..<64) func anyOrderOfEventsEndsOnce(seed: UInt64) {
    var machine = TransferStateMachine()
    var ends = 0
    var isAttached = false
    SeededRandom.draw(200, eventsOf: 12, seed: seed) { kind, random in
      var action: TransferStateMachine.Action
      switch kind {
      case 0: action = machine.start()
      case 1 where Int.random(in: 0..<20, using: &random) == 0: action = machine.cancel()
      case 2 where isAttached && Int.random(in: 0..<20, using: &random) == 0: action = machine.done()
      case 3: (action, _) = (.none, machine.pauseReceiving())
      case 4: (action, _) = (.none, machine.holdsBack())
      case 5: action = machine.resumeReceiving()
      case 6: (action, _) = (.none, machine.pauseSending())
      // Bytes come from libcurl, and only while they are wanted.
      case 8: action = machine.begin()
      case 9 where isAttached && !machine.hasRest:
        // libcurl gets the handle back right after it was taken away.
        #expect(machine.restart() == .attach)
        action = .none
      case 7 where isAttached && !machine.isReceivePaused:
        (action, _) = (.none, machine.pauseReceivingWithRest())
      default: action = machine.resumeSending()
      }
      if action == .deliverRest {
        #expect(machine.hasRest && ends == 0)
        // The consumer may pause again within the rest, or behind it.
        let pausesWithin = Bool.random(using: &random)
        if pausesWithin {
          machine.pauseReceivingWithRest()
        } else if Bool.random(using: &random) {
          machine.pauseReceiving()
        }
        action = pausesWithin ? .none : machine.restIsDelivered()
      }
      switch action {
      case .none, .enqueue, .deliverRest: break
      case .attach:
        #expect(!isAttached && ends == 0)
        isAttached = true
      case .detachAndFinish:
        #expect(isAttached)
        isAttached = false
        ends += 1
      case .finish:
        #expect(!isAttached)
        ends += 1
      case .detach:
        #expect(isAttached && machine.hasRest)
        isAttached = false
      case .applyPauses: #expect(isAttached && (machine.isReceivePaused || !machine.hasRest))
      }
    }
    #expect(ends <= 1)
    #expect((machine.phase == .finished) == (ends == 1))
  }
}
