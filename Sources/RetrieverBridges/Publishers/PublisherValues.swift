extension ValuePublisher {
  /// All values of the publisher, asked for as they are read.
  ///
  /// - Parameters:
  ///   - prefetch: How many values may have come and not been read, at least 1: at most so many are asked for
  ///     beyond those read.
  ///   - fileID: The file that errors name: the caller's.
  ///   - line: The line that errors name: the caller's.
  public func values(
    prefetch: Int = 1, fileID: String = #fileID, line: Int = #line
  ) -> PublisherValues<Self> {
    PublisherValues(publisher: self, prefetch: max(prefetch, 1), site: CallSite(fileID: fileID, line: line))
  }
}

/// The values of a publisher, read at the reader's pace.
///
/// Every iterator is a subscription of its own, made when its first value is wanted and cancelled when the
/// iterator is let go of or its task is cancelled, which throws `CancellationError`. A publisher that gives
/// more than it was asked for has the sequence throw ``BridgeError/Code/bufferOverflow`` after the values
/// within the demand.
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

  /// A reader with a subscription of its own.
  public func makeAsyncIterator() -> Iterator {
    Iterator(publisher: publisher, prefetch: prefetch, site: site)
  }

  /// Reads the values in order.
  public struct Iterator: AsyncIteratorProtocol {
    /// Ends the subscription with the reader. The publisher's side does not keep it.
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

    /// The next value, nil when the publisher has finished.
    ///
    /// - Throws: The publisher's failure; `CancellationError`; ``BridgeError``.
    public mutating func next() async throws -> Upstream.Output? {
      try await next(isolation: nil)
    }

    /// The next value, nil when the publisher has finished, without leaving the caller's actor for it: the
    /// publisher is subscribed to there.
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
        // Cancelled, failed, or given too much: in no case is more wanted.
        reader.holder.cancel()
        throw error
      }
    }
  }
}

/// Puts what comes into the buffer.
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
