import Synchronization

extension BlockingWorkQueue where Context == Void {
  /// Runs long work that regularly checks whether it has been cancelled.
  func runInterruptibly<Value: Sendable>(
    _ work:
      @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws(KennelError) -> Value
  ) async throws(KennelError) -> Value {
    let flag = RaisableFlag()
    let result: Result<Value, KennelError> = await withTaskCancellationHandler {
      do throws(KennelError) {
        return .success(try await run { () throws(KennelError) in try work { flag.isRaised } })
      } catch {
        return .failure(error)
      }
    } onCancel: {
      flag.raise()
    }
    return try result.get()
  }
}

private final class RaisableFlag: Sendable {
  private let state = Atomic(false)
  var isRaised: Bool { state.load(ordering: .relaxed) }
  func raise() { state.store(true, ordering: .relaxed) }
}
