#if !canImport(Darwin)
import TestSupport
import Testing

@testable import Retriever

@Suite struct TaskStateMachineTests {
  private typealias Machine = TaskStateMachine<Int, String>

  /// A machine that sends the transfer with this number.
  private func exchanging(_ transfer: Int = 1) -> Machine {
    var machine = Machine()
    _ = machine.resume()
    _ = machine.send(transfer)
    return machine
  }

  @Test func `a plain load goes through its phases`() {
    var machine = Machine()
    #expect(machine.isIdle)
    #expect(machine.resume() == .begin)
    #expect(machine.isPreparing)
    let isWanted = machine.send(1)
    #expect(isWanted && machine.expectsHead)
    machine.deliver()
    #expect(machine.reception == .deliver)
    #expect(machine.transferEnded(failed: false) == .finishSink)
    #expect(machine.isFinishing)
    #expect(machine.sinkFinished() == .complete)
    #expect(machine.isCompleted)
  }

  @Test func `resuming twice begins once`() {
    var machine = Machine()
    #expect(machine.resume() == .begin)
    #expect(machine.resume() == .none)
  }

  @Test func `a suspended task continues where it stopped`() {
    var machine = exchanging()
    machine.deliver()
    #expect(machine.suspend() == .hold(1))
    #expect(machine.wantsMore() == .none)
    #expect(machine.resume() == .release(1))
    #expect(machine.wantsMore() == .release(1))
  }

  @Test func `suspensions are counted`() {
    var machine = Machine()
    #expect(machine.suspend() == .none)
    #expect(machine.resume() == .none)
    #expect(machine.isIdle)
    #expect(machine.resume() == .begin)
    _ = machine.send(1)
    machine.deliver()
    _ = machine.suspend()
    _ = machine.suspend()
    #expect(machine.resume() == .none)
    #expect(machine.isSuspended)
    #expect(machine.resume() == .release(1))
    #expect(machine.resume() == .none)
    _ = machine.suspend()
    #expect(machine.isSuspended)
  }

  @Test(arguments: [true, false])
  func `a transfer is held when its task is suspended, before and after its head`(hasHead: Bool) {
    var machine = exchanging()
    if hasHead { machine.deliver() }
    #expect(machine.suspend() == .hold(1))
    #expect(machine.actionAfterHolding() == .none)
    #expect(machine.actionAfterReleasing() == .hold(1))
    #expect(machine.resume() == .release(1))
    #expect(machine.actionAfterReleasing() == .none)
    #expect(machine.actionAfterHolding() == .release(1))
  }

  @Test func `a hold that is performed after a resume is released, also after the head`() {
    var machine = exchanging()
    #expect(machine.suspend() == .hold(1))
    machine.deliver()
    #expect(machine.resume() == .release(1))
    // Only now, another thread performs the first action.
    #expect(machine.actionAfterHolding() == .release(1))
  }

  @Test func `a task that is suspended and resumed while it prepares begins once`() {
    var machine = Machine()
    _ = machine.resume()
    #expect(machine.suspend() == .none)
    #expect(machine.resume() == .none)
    #expect(machine.isPreparing)
  }

  @Test func `a failure before the head completes the task`() {
    var machine = exchanging()
    #expect(machine.transferEnded(failed: true) == .complete)
    #expect(machine.isCompleted)
  }

  @Test func `a failure inside the body closes the sink first`() {
    var machine = exchanging()
    machine.deliver()
    #expect(machine.transferEnded(failed: true) == .finishSink)
    #expect(machine.sinkFinished() == .complete)
  }

  @Test func `a redirect is followed when its transfer has ended`() {
    var machine = exchanging()
    machine.follow()
    #expect(machine.isDiscarding && machine.reception == .discard)
    #expect(machine.transferEnded(failed: false) == .begin)
    let isWanted = machine.send(2)
    #expect(isWanted && machine.expectsHead)
    #expect(machine.wantsMore() == .release(2))
  }

  @Test func `the rest of a discarded response can be cut off, and its timer ends with it`() {
    var machine = exchanging()
    #expect(machine.stopDiscarding() == .none)
    machine.discard(with: "early")
    #expect(machine.timer == nil)
    machine.follow()
    machine.discard(with: "first")
    machine.discard(with: "second")
    #expect(machine.timer == "first" && machine.stopDiscarding() == .cancel(1))
    #expect(machine.transferEnded(failed: false) == .begin)
    #expect(machine.timer == nil && machine.stopDiscarding() == .none)
  }

  @Test func `an answer before the end of the transfer resumes it`() {
    var machine = exchanging()
    machine.ask()
    #expect(machine.reception == .wait)
    #expect(machine.answeredDeliver() == .release(1))
    #expect(machine.reception == .deliver)

    machine = exchanging()
    machine.ask()
    #expect(machine.answeredFollow() == .release(1))
    #expect(machine.isDiscarding)
  }

  @Test func `an answer after the end of the transfer continues from there`() {
    var machine = exchanging()
    machine.ask()
    #expect(machine.transferEnded(failed: false) == .none)
    #expect(machine.reception == .wait)
    #expect(machine.answeredDeliver() == .finishSink)

    machine = exchanging()
    machine.ask()
    #expect(machine.transferEnded(failed: false) == .none)
    #expect(machine.answeredFollow() == .begin)
  }

  @Test func `only a question whose transfer has ended needs a timer`() {
    var machine = exchanging()
    #expect(!machine.needsTimer)
    machine.ask()
    #expect(!machine.needsTimer)
    _ = machine.transferEnded(failed: false)
    #expect(machine.needsTimer)
    machine.wait(with: "timer")
    #expect(!machine.needsTimer)
    _ = machine.answeredDeliver()
    #expect(!machine.needsTimer)
  }

  @Test func `a timer that comes after the answer is dropped`() {
    final class Timer: Sendable {}
    var machine = TaskStateMachine<Int, Timer>()
    _ = machine.resume()
    _ = machine.send(1)
    machine.ask()
    _ = machine.answeredDeliver()
    weak var late: Timer?
    do {
      let timer = Timer()
      late = timer
      machine.wait(with: timer)
    }
    #expect(late == nil)
  }

  @Test func `a timer is released with the end of its question`() {
    final class Timer: Sendable {}
    for ends in [true, false] {
      var machine = TaskStateMachine<Int, Timer>()
      _ = machine.resume()
      _ = machine.send(1)
      machine.ask()
      _ = machine.transferEnded(failed: false)
      weak var kept: Timer?
      do {
        let timer = Timer()
        kept = timer
        machine.wait(with: timer)
      }
      #expect(kept != nil)
      _ = ends ? machine.abort(awaitsTransfer: true) : machine.answeredFollow()
      #expect(kept == nil)
    }
  }

  @Test func `a time-out does not wait for an answer`() {
    var machine = exchanging()
    machine.ask()
    #expect(machine.transferEnded(failed: true, isFinal: true) == .complete)
    #expect(machine.answeredDeliver() == .none)
    #expect(machine.answeredFollow() == .none)
  }

  @Test func `a second answer changes nothing`() {
    var machine = exchanging()
    machine.ask()
    _ = machine.answeredDeliver()
    #expect(machine.answeredDeliver() == .none)
    #expect(machine.answeredFollow() == .none)
    #expect(machine.reception == .deliver)
  }

  @Test func `a suspended task does not send the next request`() {
    var machine = exchanging()
    machine.follow()
    _ = machine.suspend()
    #expect(machine.transferEnded(failed: false) == .none)
    #expect(!machine.isPreparing && machine.reception == .stop)
    #expect(machine.resume() == .begin)
  }

  @Test func `an answer to a suspended task leaves it suspended`() {
    var machine = exchanging()
    machine.ask()
    #expect(machine.suspend() == .none)
    #expect(machine.answeredDeliver() == .hold(1))
    #expect(machine.reception == .deliver)
    #expect(machine.resume() == .release(1))
  }

  @Test func `aborting is effective once`() {
    var machine = Machine()
    #expect(machine.abort(awaitsTransfer: true) == .complete)
    #expect(machine.abort(awaitsTransfer: true) == .none)
    #expect(machine.resume() == .none)
    #expect(machine.transferEnded(failed: false) == .none)
    #expect(machine.sinkFinished() == .none)
    #expect(machine.suspend() == .none)
    #expect(machine.isCompleted)
  }

  @Test func `a task that was cancelled while it prepared sends nothing`() {
    var machine = Machine()
    _ = machine.resume()
    #expect(machine.abort(awaitsTransfer: false) == .complete)
    let isWanted = machine.send(1)
    #expect(!isWanted)
  }

  @Test func `an aborted task completes immediately if it does not wait for its transfer`() {
    var machine = exchanging()
    #expect(machine.abort(awaitsTransfer: false) == .cancelAndComplete(1))
    #expect(machine.isCompleted)
    #expect(machine.transferEnded(failed: true) == .none)
  }

  @Test func `an aborted task that waits for its transfer completes when the transfer ends`() {
    var machine = exchanging()
    #expect(machine.abort(awaitsTransfer: true) == .cancel(1))
    #expect(machine.isAborting)
    #expect(machine.abort(awaitsTransfer: true) == .none)
    #expect(machine.resume() == .none)
    #expect(machine.answeredFollow() == .none)
    #expect(machine.transferEnded(failed: true) == .complete)
    #expect(machine.transferEnded(failed: true) == .none)
  }

  /// A task completes exactly once for any order of events, and no transfer begins while another one runs.
  @Test(arguments: 0..<64) func `any order of events completes once`(seed: UInt64) {
    var machine = Machine()
    var completions = 0
    var transfers = 0
    var isPreparing = false
    var isTransferring = false
    SeededRandom.draw(300, eventsOf: 12, seed: seed) { kind, random in
      var action = Machine.Action.none
      switch kind {
      case 0, 1: action = machine.resume()
      case 2: action = machine.suspend()
      case 3 where isTransferring: machine.deliver()
      case 4 where isTransferring: machine.follow()
      case 5 where isTransferring: machine.ask()
      case 6: action = machine.answeredDeliver()
      case 7: action = machine.answeredFollow()
      case 8 where isTransferring:
        isTransferring = false
        action = machine.transferEnded(failed: Bool.random(using: &random))
        if machine.needsTimer { machine.wait(with: "timer") }
      case 9: action = machine.sinkFinished()
      case 10 where isPreparing:
        isPreparing = false
        let wasEnding = machine.isEnding
        let isWanted = machine.send(transfers + 1)
        #expect(isWanted != wasEnding)
        if isWanted {
          transfers += 1
          isTransferring = true
        }
      case 11 where Int.random(in: 0..<30, using: &random) == 0:
        action = machine.abort(awaitsTransfer: Bool.random(using: &random))
      default: break
      }
      switch action {
      case .begin:
        #expect(!isTransferring && !isPreparing)
        isPreparing = true
      case .complete: completions += 1
      case .cancelAndComplete(let transfer):
        #expect(isTransferring && transfer == transfers)
        completions += 1
      case .cancel(let transfer), .hold(let transfer), .release(let transfer):
        #expect(isTransferring && transfer == transfers)
      case .none, .finishSink: break
      }
    }
    #expect(completions <= 1)
    #expect(machine.isCompleted == (completions == 1))
  }
}
#endif
