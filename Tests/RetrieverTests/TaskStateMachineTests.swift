#if !canImport(Darwin)
  import TestSupport
  import Testing

  @testable import Retriever

  @Suite struct TaskStateMachineTests {
    private func exchanging() -> TaskStateMachine {
      var machine = TaskStateMachine()
      _ = machine.resume()
      return machine
    }

    @Test func aPlainLoadGoesThroughItsPhases() {
      var machine = TaskStateMachine()
      #expect(machine.resume() == .begin)
      machine.deliver()
      #expect(machine.phase == .receiving)
      #expect(machine.transferEnded(failed: false) == .finishSink)
      #expect(machine.sinkFinished() == .complete)
      #expect(machine.phase == .completed)
    }

    @Test func resumingTwiceBeginsOnce() {
      var machine = TaskStateMachine()
      #expect(machine.resume() == .begin)
      #expect(machine.resume() == .none)
    }

    @Test func `a suspended task continues where it stopped`() {
      var machine = exchanging()
      machine.deliver()
      machine.suspend()
      #expect(!machine.mayReceive)
      #expect(machine.resume() == .resumeReceiving)
      #expect(machine.mayReceive)
    }

    @Test func suspensionsAreCounted() {
      var machine = TaskStateMachine()
      machine.suspend()
      #expect(machine.resume() == .none)
      #expect(machine.phase == .idle)
      #expect(machine.resume() == .begin)
      machine.deliver()
      machine.suspend()
      machine.suspend()
      #expect(machine.resume() == .none)
      #expect(!machine.mayReceive)
      #expect(machine.resume() == .resumeReceiving)
      #expect(machine.resume() == .none)
      machine.suspend()
      #expect(machine.isSuspended)
    }

    @Test func aFailureBeforeTheHeadCompletesTheTask() {
      var machine = exchanging()
      #expect(machine.transferEnded(failed: true) == .complete)
      #expect(machine.phase == .completed)
    }

    @Test func aFailureInsideTheBodyClosesTheSinkFirst() {
      var machine = exchanging()
      machine.deliver()
      #expect(machine.transferEnded(failed: true) == .finishSink)
      #expect(machine.sinkFinished() == .complete)
    }

    @Test func aRedirectIsFollowedWhenItsTransferHasEnded() {
      var machine = exchanging()
      machine.follow()
      #expect(machine.phase == .discarding)
      #expect(machine.transferEnded(failed: false) == .begin)
      #expect(machine.phase == .exchanging)
    }

    @Test func `an answer before the end of the transfer resumes it`() {
      var machine = exchanging()
      machine.ask()
      #expect(machine.answeredDeliver() == .resumeReceiving)
      #expect(machine.phase == .receiving)

      machine = exchanging()
      machine.ask()
      #expect(machine.answeredFollow() == .resumeReceiving)
      #expect(machine.phase == .discarding)
    }

    @Test func `an answer after the end of the transfer continues from there`() {
      var machine = exchanging()
      machine.ask()
      #expect(machine.transferEnded(failed: false) == .none)
      #expect(machine.answeredDeliver() == .finishSink)

      machine = exchanging()
      machine.ask()
      #expect(machine.transferEnded(failed: false) == .none)
      #expect(machine.answeredFollow() == .begin)
    }

    @Test func `a time-out does not wait for an answer`() {
      var machine = exchanging()
      machine.ask()
      #expect(machine.transferEnded(failed: true, isFinal: true) == .complete)
      #expect(machine.answeredDeliver() == .none)
      #expect(machine.answeredFollow() == .none)
    }

    @Test func aSecondAnswerChangesNothing() {
      var machine = exchanging()
      machine.ask()
      _ = machine.answeredDeliver()
      #expect(machine.answeredDeliver() == .none)
      #expect(machine.answeredFollow() == .none)
      #expect(machine.phase == .receiving)
    }

    @Test func `a suspended task does not send the next request`() {
      var machine = exchanging()
      machine.follow()
      machine.suspend()
      #expect(machine.transferEnded(failed: false) == .none)
      #expect(machine.phase == .holding)
      #expect(machine.resume() == .begin)
    }

    @Test func anAnswerToASuspendedTaskLeavesItSuspended() {
      var machine = exchanging()
      machine.ask()
      machine.suspend()
      #expect(machine.answeredDeliver() == .none)
      #expect(machine.phase == .receiving)
      #expect(machine.resume() == .resumeReceiving)
    }

    @Test func abortingIsEffectiveOnceInEveryPhase() {
      var machine = TaskStateMachine()
      #expect(machine.abort(awaitsTransfer: false) == (true, .complete))
      #expect(machine.abort(awaitsTransfer: false) == (false, .none))
      #expect(machine.resume() == .none)
      #expect(machine.transferEnded(failed: false) == .none)
      #expect(machine.sinkFinished() == .none)
      machine.suspend()
      #expect(machine.phase == .completed)
    }

    @Test func anAbortedTaskWhoseTransferIsAwaitedCompletesWithIt() {
      var machine = exchanging()
      #expect(machine.abort(awaitsTransfer: true) == (true, .none))
      #expect(machine.phase == .aborting)
      #expect(machine.abort(awaitsTransfer: true) == (false, .none))
      #expect(machine.resume() == .none)
      #expect(machine.answeredFollow() == .none)
      #expect(machine.transferEnded(failed: true) == .complete)
      #expect(machine.transferEnded(failed: true) == .none)
    }

    /// A task completes exactly once for any order of events, and no transfer begins while another one runs.
    @Test(arguments: 0..<64) func anyOrderOfEventsCompletesOnce(seed: UInt64) {
      var machine = TaskStateMachine()
      var completions = 0
      var isTransferring = false
      SeededRandom.draw(300, eventsOf: 11, seed: seed) { kind, random in
        var action = TaskStateMachine.Action.none
        switch kind {
        case 0, 1: action = machine.resume()
        case 2: machine.suspend()
        case 3 where isTransferring: machine.deliver()
        case 4 where isTransferring: machine.follow()
        case 5 where isTransferring: machine.ask()
        case 6: action = machine.answeredDeliver()
        case 7: action = machine.answeredFollow()
        case 8 where isTransferring:
          isTransferring = false
          action = machine.transferEnded(failed: Bool.random(using: &random))
        case 9: action = machine.sinkFinished()
        case 10 where Int.random(in: 0..<30, using: &random) == 0:
          action = machine.abort(awaitsTransfer: isTransferring).action
        default: break
        }
        if action == .begin {
          #expect(!isTransferring)
          isTransferring = true
        }
        if action == .complete { completions += 1 }
      }
      #expect(completions <= 1)
      #expect((machine.phase == .completed) == (completions == 1))
    }
  }
#endif
