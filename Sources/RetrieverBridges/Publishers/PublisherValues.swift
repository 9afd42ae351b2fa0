extension ValuePublisher {
  /// Returns all values of the publisher as an async sequence. Values are requested as they are read.
  ///
  /// - Parameters:
  ///   - prefetch: The maximum number of values that are requested but not yet read, at least 1.
  ///   - fileID: The file that errors report (default: the caller's file).
  ///   - line: The line that errors report (default: the caller's line).
  public func values(
    prefetch: Int = 1, fileID: String = #fileID, line: Int = #line
  ) -> PublisherValues<Self> {
    PublisherValues(publisher: self, prefetch: max(prefetch, 1), site: CallSite(fileID: fileID, line: line))
  }
}

/// The values of a publisher as an async sequence. Values are requested as they are read.
///
/// Each iterator has its own subscription. The subscription starts with the first call of `next`. It is cancelled
/// when the iterator is released or its task is cancelled; a cancelled task throws `CancellationError`. If a
/// publisher sends more values than requested, the sequence throws ``BridgeError/Code/bufferOverflow`` after the
/// requested values.
///
/// ```swift
/// func total(of prices: some ValuePublisher<Int, Never>) async throws -> Int {
///   var total = 0
///   for try await price in prices.values(prefetch: 8) { total += price }
///   return total
/// }
/// ```
public struct PublisherValues<Upstream: ValuePublisher>: AsyncSequence {
  private let publisher: Upstream
  private let prefetch: Int
  private let site: CallSite

  init(publisher: Upstream, prefetch: Int, site: CallSite) {
    self.publisher = publisher
    self.prefetch = prefetch
    self.site = site
  }

  /// Creates an iterator with its own subscription.
  public func makeAsyncIterator() -> Iterator {
    Iterator(publisher: publisher, prefetch: prefetch, site: site)
  }

  /// Reads the values in order.
  public struct Iterator: AsyncIteratorProtocol {
    /// Ends the subscription when the iterator is released. The publisher does not keep this object alive.
    private final class Reader: Sendable {
      let buffer: EventBuffer<Upstream.Output>
      let holder = SubscriptionHolder()

      init(prefetch: Int, site: CallSite) {
        buffer = EventBuffer(buffering: .failing(limit: prefetch), site: site)
      }

      deinit {
        holder.cancel()
        buffer.cancel()
      }
    }

    private let reader: Reader
    private let prefetch: Int
    private let site: CallSite
    private var publisher: Upstream?

    fileprivate init(publisher: Upstream, prefetch: Int, site: CallSite) {
      self.publisher = publisher
      self.prefetch = prefetch
      self.site = site
      reader = Reader(prefetch: prefetch, site: site)
    }

    /// Returns the next value; nil when the publisher has finished.
    ///
    /// - Throws: The publisher's failure; `CancellationError`; ``BridgeError``.
    public mutating func next() async throws -> Upstream.Output? {
      try await next(isolation: nil)
    }

    /// Returns the next value; nil when the publisher has finished. The call stays on the caller's actor, and
    /// subscribes to the publisher there.
    ///
    /// - Throws: The publisher's failure; `CancellationError`; ``BridgeError``.
    public mutating func next(isolation: isolated (any Actor)?) async throws -> Upstream.Output? {
      let reader = reader
      if let publisher = publisher.take() {
        reader.holder.request(prefetch)
        publisher.subscribe(
          ValuesSubscriber<Upstream.Output, Upstream.Failure>(
            buffer: reader.buffer, holder: reader.holder, site: site))
      }
      do {
        let value = try await reader.buffer.next(isolation: isolation)
        if value != nil { reader.holder.request(1) }
        return value
      } catch {
        // After a cancellation, a failure or an overflow, no more values are needed.
        reader.holder.cancel()
        throw error
      }
    }
  }
}

/// Adds the received values to the buffer.
private final class ValuesSubscriber<Input: Sendable, Failure: Error>: ValueSubscriber {
  private let buffer: EventBuffer<Input>
  private let holder: SubscriptionHolder
  private let site: CallSite

  init(buffer: EventBuffer<Input>, holder: SubscriptionHolder, site: CallSite) {
    self.buffer = buffer
    self.holder = holder
    self.site = site
  }

  deinit {
    buffer.finish(throwing: BridgeError(.publisherWentAway, at: site))
  }

  func receive(subscription: any ValueSubscription) { holder.receive(subscription) }

  func receive(_ value: Input) {
    guard holder.isOpen else { return }
    if !buffer.append(value) { holder.cancel() }
  }

  func receive(completion: Result<Void, Failure>) {
    holder.complete()
    switch completion {
    case .success: buffer.finish()
    case .failure(let error): buffer.finish(throwing: error)
    }
  }
}
