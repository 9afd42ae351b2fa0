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
    #expect(machine.isWaiting)
    #expect(machine.begin() == .attach)
    #expect(machine.begin() == .none)
    #expect(machine.isRunning)
  }

  @Test func `a transfer that waits ends without libcurl`() {
    var machine = TransferStateMachine()
    _ = machine.start()
    #expect(machine.cancel() == .finish)
    #expect(machine.begin() == .none)
  }

  @Test func `a held transfer leaves the queue, and takes a place again when it is released`() {
    var machine = TransferStateMachine()
    _ = machine.start()
    #expect(machine.release() == .none)
    #expect(machine.hold() == .leaveQueue)
    #expect(machine.hold() == .none)
    #expect(machine.begin() == .none)
    #expect(machine.release() == .enqueue)
    #expect(machine.begin() == .attach)
    #expect(machine.hold() == .none)
    #expect(!machine.isHeld)
  }

  @Test func `a transfer that is held before its start waits outside the queue`() {
    var machine = TransferStateMachine()
    #expect(machine.hold() == .none)
    #expect(machine.isHeld)
    #expect(machine.start() == .enqueue)
    #expect(machine.cancel() == .finish)
    #expect(machine.release() == .none)
  }

  @Test func `a transfer whose handshake raised a question waits and begins again`() {
    var machine = TransferStateMachine()
    #expect(machine.waitAgain() == .none)
    #expect(machine.start() == .enqueue)
    #expect(machine.waitAgain() == .none)
    #expect(machine.begin() == .attach)
    machine.pauseSending()
    #expect(machine.waitAgain() == .detach)
    #expect(machine.isWaiting && !machine.isSendPaused)
    #expect(machine.done() == .none)
    #expect(machine.hold() == .leaveQueue)
    #expect(machine.begin() == .none)
    #expect(machine.release() == .enqueue)
    #expect(machine.begin() == .attach)
    #expect(machine.waitAgain() == .detach)
    #expect(machine.cancel() == .finish)
    #expect(machine.waitAgain() == .none)
  }

  @Test func `a restarted transfer forgets the pauses of the previous attempt`() {
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

  @Test func `cancelling a running transfer removes its handle once`() {
    var machine = running()
    #expect(machine.cancel() == .detachAndFinish)
    #expect(machine.cancel() == .none)
    #expect(machine.done() == .none)
  }

  @Test func `a transfer that is done cannot be cancelled`() {
    var machine = running()
    #expect(machine.done() == .detachAndFinish)
    #expect(machine.cancel() == .none)
    #expect(machine.done() == .none)
    #expect(machine.start() == .none)
  }

  @Test func `a transfer that libcurl never received cannot be done`() {
    var machine = TransferStateMachine()
    #expect(machine.done() == .none)
    #expect(!machine.isWaiting && !machine.isRunning && !machine.isFinished)
  }

  @Test func `a resume before libcurl saw the pause needs no call`() {
    var machine = running()
    machine.pauseReceiving()
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.shouldPauseLibcurl() == false)
  }

  @Test func `a resume after libcurl kept a piece is applied once`() {
    var machine = running()
    machine.pauseReceiving()
    #expect(machine.shouldPauseLibcurl() == true)
    #expect(machine.resumeReceiving() == .applyPauses)
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.shouldPauseLibcurl() == false)
  }

  @Test func `resuming a direction that is not paused has no effect`() {
    var machine = running()
    #expect(machine.resumeReceiving() == .none)
    #expect(machine.resumeSending() == .none)
  }

  @Test func theDirectionsPauseIndependently() {
    var machine = running()
    machine.pauseReceiving()
    _ = machine.shouldPauseLibcurl()
    machine.pauseSending()
    #expect(machine.resumeSending() == .applyPauses)
    #expect(machine.isReceivePaused)
    #expect(!machine.isSendPaused)
    #expect(machine.resumeReceiving() == .applyPauses)
    #expect(!machine.isReceivePaused)
  }

  @Test func `a hold pauses sending until the release, unless the source resumes and is held again`() {
    var machine = running()
    machine.holdSending()
    #expect(machine.isSendPaused && machine.isSendHeld)
    #expect(machine.resumeSending() == .applyPauses)
    #expect(!machine.isSendHeld)
    machine.holdSending()
    #expect(machine.releaseSending() == .applyPauses)
    #expect(machine.releaseSending() == .none)
    // This pause ends when the source has more.
    machine.pauseSending()
    #expect(machine.releaseSending() == .none)
    #expect(machine.isSendPaused)
    machine.holdSending()
    #expect(machine.restart() == .attach)
    #expect(!machine.isSendPaused && !machine.isSendHeld)
  }

  @Test func `a pause that was applied together with a resume is undone later`() {
    var machine = running()
    machine.pauseReceiving()
    machine.pauseSending()
    // libcurl receives both directions in one call. From here on it does not receive.
    #expect(machine.resumeSending() == .applyPauses)
    #expect(machine.resumeReceiving() == .applyPauses)
  }

  @Test func `a pause does not prevent the end of a transfer`() {
    var machine = running()
    machine.pauseReceiving()
    _ = machine.shouldPauseLibcurl()
    #expect(machine.cancel() == .detachAndFinish)
    #expect(machine.resumeReceiving() == .none)
  }

  /// For any order of events, exactly one end is reported, and libcurl is called only while it has the handle.
  @Test(arguments: 0..<64) func `any order of events reports one end`(seed: UInt64) {
    var machine = TransferStateMachine()
    var ends = 0
    var isAttached = false
    var isQueued = false
    SeededRandom.draw(200, eventsOf: 16, seed: seed) { kind, random in
      var action: TransferStateMachine.Action
      switch kind {
      case 0: action = machine.start()
      case 1 where Int.random(in: 0..<20, using: &random) == 0: action = machine.cancel()
      case 2 where isAttached && Int.random(in: 0..<20, using: &random) == 0: action = machine.done()
      case 3: (action, _) = (.none, machine.pauseReceiving())
      case 4: (action, _) = (.none, machine.shouldPauseLibcurl())
      case 5: action = machine.resumeReceiving()
      case 6: (action, _) = (.none, machine.pauseSending())
      // Bytes come from libcurl, and only while they are wanted.
      case 8 where isQueued: action = machine.begin()
      case 12: action = machine.hold()
      case 13: action = machine.release()
      case 14: (action, _) = (.none, machine.holdSending())
      case 15: action = machine.releaseSending()
      case 9 where isAttached && !machine.hasUndelivered:
        // libcurl gets the handle again right after it was removed.
        #expect(machine.restart() == .attach)
        action = .none
      case 7 where isAttached && !machine.isReceivePaused:
        (action, _) = (.none, machine.pauseReceivingWithRemaining())
      default: action = machine.resumeSending()
      }
      if action == .deliverRemaining {
        #expect(machine.hasUndelivered && ends == 0)
        // The consumer may pause again within the rest, or after it.
        let pausesWithin = Bool.random(using: &random)
        if pausesWithin {
          machine.pauseReceivingWithRemaining()
        } else if Bool.random(using: &random) {
          machine.pauseReceiving()
        }
        action = pausesWithin ? .none : machine.didDeliverRemaining()
      }
      #expect(!machine.isSendHeld || machine.isSendPaused)
      switch action {
      case .none, .deliverRemaining: break
      case .enqueue:
        #expect(!isQueued && !isAttached && ends == 0)
        isQueued = !machine.isHeld
      case .leaveQueue:
        #expect(!isAttached && ends == 0)
        isQueued = false
      case .attach:
        #expect(isQueued && !isAttached && ends == 0)
        (isAttached, isQueued) = (true, false)
      case .detachAndFinish:
        #expect(isAttached)
        isAttached = false
        ends += 1
      case .finish:
        #expect(!isAttached)
        isQueued = false
        ends += 1
      case .detach:
        #expect(isAttached && machine.hasUndelivered)
        isAttached = false
      case .applyPauses: #expect(isAttached && (machine.isReceivePaused || !machine.hasUndelivered))
      }
    }
    #expect(ends <= 1)
    #expect((machine.isFinished) == (ends == 1))
  }
}
