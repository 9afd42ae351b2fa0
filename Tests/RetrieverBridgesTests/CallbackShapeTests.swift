import RetrieverBridges
import TestSupport
import Testing

/// Tests every shape of callback with every combination of arguments.
@Suite(.timeLimit(.minutes(5))) struct CallbackShapeTests {
  private func ending(
    _ body: (CancellableContinuation<Int>) -> Void
  ) async -> Ending {
    do {
      let value = try await withCancellableContinuation { continuation in
        body(continuation)
        return nil
      }
      return .value(value)
    } catch {
      return Ending(.failure(error))
    }
  }

  private func voidEnding(_ body: (CancellableContinuation<Void>) -> Void) async -> Ending {
    do {
      try await withCancellableContinuation { continuation in
        body(continuation)
        return nil
      }
      return .value(0)
    } catch {
      return Ending(.failure(error))
    }
  }

  @Test func aValueOrAnError() async {
    #expect(await ending { $0.completionHandler(1, nil) } == .value(1))
    #expect(await ending { $0.completionHandler(nil, Failure(number: 2)) } == .failure(2))
    #expect(await ending { $0.completionHandler(1, Failure(number: 3)) } == .failure(3))
    #expect(await ending { $0.completionHandler(nil, nil) } == .bridge(.neitherValueNorError))
  }

  @Test func nilAndNilNamesTheLine() async throws {
    let line = #line + 2
    do {
      _ = try await withCancellableContinuation(of: Int.self) { continuation in
        continuation.resume(nil, nil)
        return nil
      }
      Issue.record("no error was thrown")
    } catch let error as BridgeError {
      #expect(error.description.contains("neither a value nor an error"))
      #expect(error.site?.line == line)
    }
  }

  @Test func twoValuesOrAnError() async throws {
    func load(_ first: Int?, _ second: String?, _ error: (any Error)?) async throws -> (Int, String) {
      try await withCancellableContinuation { continuation in
        continuation.resume(first, second, error)
        return nil
      }
    }
    let both = try await load(1, "one", nil)
    #expect(both == (1, "one"))
    #expect(await bridgeErrorCode { try await load(1, nil, nil) } == .neitherValueNorError)
    #expect(await bridgeErrorCode { try await load(nil, "one", nil) } == .neitherValueNorError)
    await #expect(throws: Failure()) { _ = try await load(1, "one", Failure()) }
  }

  @Test func aResult() async {
    #expect(await ending { $0.resultHandler(.success(1)) } == .value(1))
    #expect(await ending { $0.resultHandler(.failure(Failure(number: 2))) } == .failure(2))
    #expect(await ending { $0.resume(with: Result<Int, Failure>.failure(Failure(number: 3))) } == .failure(3))
  }

  @Test func aValue() async {
    #expect(await ending { $0.valueHandler(1) } == .value(1))
  }

  @Test func nothing() async {
    #expect(await voidEnding { $0.doneHandler() } == .value(0))
    #expect(await voidEnding { $0.errorHandler(nil) } == .value(0))
    #expect(await voidEnding { $0.errorHandler(Failure(number: 2)) } == .failure(2))
  }

  @Test func aClosureForSuccessAndOneForFailure() async {
    func load(_ isGood: Bool, success: (Int) -> Void, failure: (any Error) -> Void) {
      if isGood { success(1) } else { failure(Failure(number: 2)) }
    }
    for isGood in [true, false] {
      let ending = await ending { load(isGood, success: $0.valueHandler, failure: $0.failureHandler) }
      #expect(ending == (isGood ? .value(1) : .failure(2)))
    }
  }

  @Test func bothClosuresMustBeDroppedForTheCallToThrow() async {
    let success = Box<@Sendable (Int) -> Void>()
    let failure = Box<@Sendable (any Error) -> Void>()
    let started = Gate()
    let task = Task {
      try await withCancellableContinuation { continuation in
        success.put(continuation.valueHandler)
        failure.put(continuation.failureHandler)
        started.open()
        return nil
      }
    }
    await started.wait()
    success.put(nil)
    failure.take()?(Failure(number: 4))
    #expect(Ending(await task.result) == .failure(4))
  }
}
