extension ValuePublisher {
  /// Returns the publisher's first value.
  ///
  /// ```swift
  /// func firstHeadline(of headlines: some ValuePublisher<String, any Error>) async throws -> String {
  ///   do {
  ///     return try await headlines.singleResult()
  ///   } catch is MissingOutputError {
  ///     return "No news"
  ///   }
  /// }
  /// ```
  ///
  /// The method requests one value. It cancels the subscription when the value arrives or when the task is cancelled.
  ///
  /// - Throws: The publisher's failure; ``MissingOutputError`` if the publisher finishes without a value;
  ///   `CancellationError`; ``BridgeError`` with ``BridgeError/Code/publisherWentAway`` if the publisher releases the
  ///   subscriber without completing.
  public func singleResult(
    isolation: isolated (any Actor)? = #isolation, fileID: String = #fileID, line: Int = #line
  ) async throws -> Output {
    let holder = SubscriptionHolder()
    do {
      return try await withCancellableContinuation(fileID: fileID, line: line) { continuation in
        subscribe(FirstValueSubscriber<Output, Failure>(holder: holder, continuation: continuation))
        return { [weak holder] in holder?.cancel() }
      }
    } catch let error as BridgeError where error.code == .neverCalled {
      throw BridgeError(.publisherWentAway, at: error.site)
    }
  }
}

/// Resumes its continuation with the first value, and ignores everything after it.
private final class FirstValueSubscriber<Input: Sendable, Failure: Error>: ValueSubscriber {
  private let holder: SubscriptionHolder
  private let continuation: CancellableContinuation<Input>

  init(holder: SubscriptionHolder, continuation: CancellableContinuation<Input>) {
    self.holder = holder
    self.continuation = continuation
  }

  func receive(subscription: any ValueSubscription) {
    holder.receive(subscription)
    holder.request(1)
  }

  func receive(_ value: Input) {
    guard holder.isOpen else { return }
    holder.cancel()
    continuation.resume(returning: value)
  }

  func receive(completion: Result<Void, Failure>) {
    guard holder.isOpen else { return }
    holder.complete()
    switch completion {
    case .success: continuation.resume(throwing: MissingOutputError())
    case .failure(let error): continuation.resume(throwing: error)
    }
  }
}
