import Foundation
import RetrieverBridges
import Synchronization
import TestSupport
import Testing

/// Tests single calls. Other suites test orders of events and races.
@Suite(.timeLimit(.minutes(5))) struct CancellableContinuationTests {
  @Test func theCallbacksValueIsReturned() async throws {
    let value = try await withCancellableContinuation { continuation in
      continuation.resume(returning: 5)
      return nil
    }
    #expect(value == 5)
  }

  @Test func aValueThatIsNotSendableIsReturned() async throws {
    final class Photo { var name = "Rex" }
    let photo = try await withCancellableContinuation(of: Photo.self) { continuation in
      continuation.resume(returning: Photo())
      return nil
    }
    #expect(photo.name == "Rex")
  }

  @Test func whatTheStartThrowsIsThrown() async {
    await #expect(throws: Failure(number: 3)) {
      try await withCancellableContinuation(of: Int.self) { _ in throw Failure(number: 3) }
    }
  }

  @Test func aCallbackThatIsDroppedNamesTheLineThatMadeIt() async throws {
    var line = 0
    do {
      line = #line + 1
      _ = try await withCancellableContinuation(of: Int.self) { _ in nil }
      Issue.record("no error was thrown")
    } catch let error as BridgeError {
      #expect(error.code == .neverCalled)
      #expect(error.site?.line == line)
      #expect(error.description.contains("RetrieverBridgesTests/CancellableContinuationTests.swift:\(line)"))
    }
  }

  @Test func aSecondCallIsReportedWithTheLineAndHasNoEffect() async throws {
    let reports = Reports()
    let line = #line + 1
    let value = try await withCancellableContinuation(reporter: reports.reporter) { continuation in
      continuation.resume(returning: 1)
      continuation.resume(returning: 2)
      continuation.resume(throwing: Failure())
      return nil
    }
    #expect(value == 1)
    #expect(reports.all.map(\.kind) == [.calledAgain, .calledAgain])
    #expect(reports.all.first?.site.line == line)
    #expect(reports.all.first?.description.contains("more than once") == true)
  }

  @Test func nothingIsStartedForATaskThatIsCancelledAlready() async {
    let starts = Counter()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await withCancellableContinuation(of: Int.self) { _ in
        starts.increment()
        return nil
      }
    }
    #expect(Ending(await task.result) == .cancelled)
    #expect(starts.value == 0)
  }

  @Test func cancellingWhileTheWorkStartsCancelsItOnceItHas() async {
    let cancels = Counter()
    let callback = Box<CancellableContinuation<Int>>()
    let task = Task {
      try await withCancellableContinuation { continuation in
        callback.put(continuation)
        withUnsafeCurrentTask { $0?.cancel() }
        #expect(cancels.value == 0)
        return { cancels.increment() }
      }
    }
    #expect(Ending(await task.result) == .cancelled)
    #expect(await eventually { cancels.value == 1 })
  }

  @Test func cancellingTheTaskCancelsTheWorkAndALateCallIsNoMistake() async {
    let reports = Reports()
    let (cancels, started) = (Counter(), Gate())
    let callback = Box<CancellableContinuation<Int>>()
    let task = Task {
      try await withCancellableContinuation(reporter: reports.reporter) { continuation in
        callback.put(continuation)
        started.open()
        return { cancels.increment() }
      }
    }
    await started.wait()
    task.cancel()
    #expect(Ending(await task.result) == .cancelled)
    #expect(cancels.value == 1)
    callback.take()?.resume(returning: 1)
    #expect(reports.all.isEmpty)
  }

  @Test func aCallThatWaitsForTheCallbackGetsItsLastWord() async {
    let (cancelled, started) = (Gate(), Gate())
    let callback = Box<CancellableContinuation<Int>>()
    let task = Task {
      try await withCancellableContinuation(onCancel: .waitsForCallback) { continuation in
        callback.put(continuation)
        started.open()
        return { cancelled.open() }
      }
    }
    await started.wait()
    task.cancel()
    await cancelled.wait()
    callback.take()?.resume(throwing: Failure(number: 9))
    #expect(Ending(await task.result) == .failure(9))
  }

  @Test func theCancelFunctionIsLetGoOfAfterTheCallAndMayDoAnything() async throws {
    // If it were released under the lock, its deinitializer would deadlock.
    final class CallsBackWhenReleased: Sendable {
      let callback: CancellableContinuation<Int>
      init(_ callback: CancellableContinuation<Int>) { self.callback = callback }
      deinit { callback.resume(returning: 2) }
    }
    let reports = Reports()
    let started = Gate()
    let callback = Box<CancellableContinuation<Int>>()
    let task = Task {
      try await withCancellableContinuation(reporter: reports.reporter) { continuation in
        let owner = CallsBackWhenReleased(continuation)
        callback.put(continuation)
        started.open()
        return { _ = owner }
      }
    }
    await started.wait()
    callback.take()?.resume(returning: 1)
    #expect(try await task.value == 1)
    #expect(await eventually { reports.all.count == 1 })
  }

  @Test func theStartRunsOnTheCallersActor() async throws {
    try await startOnMainActor()
  }

  @MainActor private func startOnMainActor() async throws {
    var number = 0
    _ = try await withCancellableContinuation(of: Int.self) { continuation in
      MainActor.assertIsolated()
      number += 1
      continuation.resume(returning: 0)
      return nil
    }
    #expect(number == 1)
  }

  @Test func theStandardReporterIsUsedByBridgesMadeLater() async throws {
    let before = MisuseReporter.standard
    defer { MisuseReporter.standard = before }
    let reports = Reports()
    MisuseReporter.standard = reports.reporter
    _ = try await withCancellableContinuation(of: Int.self, fileID: "mine") { continuation in
      continuation.resume(returning: 1)
      continuation.resume(returning: 2)
      return nil
    }
    #expect(reports.all.contains { $0.site.fileID == "mine" })
  }

  #if DEBUG
  @Test func theFatalReporterEndsADebugBuild() async {
    await #expect(processExitsWith: .failure) {
      MisuseReporter.fatalInDebug(BridgeMisuse(kind: .calledAgain, site: CallSite()))
    }
  }
  #endif

  @Test func theReporterOnStandardErrorWritesTheSentence() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      MisuseReporter.standardError(BridgeMisuse(kind: .calledAgain, site: CallSite(fileID: "a", line: 1)))
      MisuseReporter.silent(BridgeMisuse(kind: .calledAgain, site: CallSite(fileID: "b", line: 2)))
    }
    let text = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(text.contains("made at a:1") && !text.contains("b:2"))
  }
}
