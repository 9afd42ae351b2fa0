import Foundation
import RetrieverBridges
import TestSupport
import Testing

/// Tests calling async code with a completion handler.
@Suite(.timeLimit(.minutes(5))) struct StartTaskTests {
  @Test func theHandlerGetsTheResultOnce() async {
    let (calls, ending, done) = (Counter(), Box<Ending>(), Gate())
    startTask {
      5
    } completion: { (result: Result<Int, any Error>) in
      calls.increment()
      ending.put(Ending(result))
      done.open()
    }
    await done.wait()
    #expect(ending.current == .value(5) && calls.value == 1)
  }

  @Test func theOtherHandlerGetsAValueOrAnError() async {
    for isGood in [true, false] {
      let (ending, done) = (Box<Ending>(), Gate())
      startTask {
        if !isGood { throw Failure(number: 2) }
        return 1
      } completion: { (value: Int?, error: (any Error)?) in
        #expect((value == nil) != (error == nil))
        ending.put(value.map(Ending.value) ?? error.map { Ending(.failure($0)) })
        done.open()
      }
      await done.wait()
      #expect(ending.current == (isGood ? .value(1) : .failure(2)))
    }
  }

  @Test func cancellingReachesTheOperationAndTheHandlerIsStillCalled() async {
    let (started, done, ending) = (Gate(), Gate(), Box<Ending>())
    let handle = startTask {
      started.open()
      return try await withCancellableContinuation(of: Int.self) { continuation in
        let kept = Box(continuation)
        return { _ = kept }
      }
    } completion: { (result: Result<Int, any Error>) in
      ending.put(Ending(result))
      done.open()
    }
    await started.wait()
    #expect(!handle.isCancelled)
    handle.cancel()
    handle.cancel()
    await done.wait()
    #expect(ending.current == .cancelled && handle.isCancelled)
  }

  @Test func lettingGoOfTheHandleDoesNotCancel() async {
    let (release, done, ending) = (Gate(), Gate(), Box<Ending>())
    do {
      let handle = startTask {
        await release.wait()
        return Task.isCancelled ? 0 : 1
      } completion: { (result: Result<Int, any Error>) in
        ending.put(Ending(result))
        done.open()
      }
      _ = handle
    }
    release.open()
    await done.wait()
    #expect(ending.current == .value(1))
  }

  @Test func theHandlerIsCalledOnTheQueueItWasGiven() async {
    let queue = DispatchQueue(label: "handlers")
    let key = DispatchSpecificKey<Bool>()
    queue.setSpecific(key: key, value: true)
    let (isOnQueue, done) = (Box<Bool>(), Gate())
    startTask(callbackOn: queue) {
      1
    } completion: { (_: Result<Int, any Error>) in
      isOnQueue.put(DispatchQueue.getSpecific(key: key))
      done.open()
    }
    await done.wait()
    #expect(isOnQueue.current == true)
  }
}
