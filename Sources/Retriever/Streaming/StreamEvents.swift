#if !canImport(Darwin)
import Foundation
import Synchronization

/// Calls a stream's delegate on the run loops in which the stream is scheduled.
///
/// `@unchecked Sendable`: the lock protects the list of run loops, which are only given timers: the run loop protects
/// its own timers.
final class StreamEvents: @unchecked Sendable {
  private struct Place {
    let loop: RunLoop
    let mode: RunLoop.Mode
  }

  private let lock = NSLock()
  private var places: [Place] = []
  private var pending: Stream.Event = []
  private weak var stream: Stream?

  func attach(to stream: Stream) { lock.withLock { self.stream = stream } }

  func schedule(in loop: RunLoop, _ mode: RunLoop.Mode) {
    let place = Place(loop: loop, mode: mode)
    let isPending = lock.withLock {
      places.append(place)
      return !pending.isEmpty
    }
    // Another run loop may have been removed before it delivered them.
    if isPending { deliver(in: place) }
  }

  func remove(from loop: RunLoop, _ mode: RunLoop.Mode) {
    lock.withLock { places.removeAll { $0.loop === loop && $0.mode == mode } }
  }

  /// Reports events. Events of the same kind that have not been delivered yet are combined.
  func report(_ events: Stream.Event) {
    let places = lock.withLock { () -> [Place] in
      guard !self.places.isEmpty else { return [] }
      let isFirst = pending.isEmpty
      pending.formUnion(events)
      // The first run loop that gets to it delivers them.
      return isFirst ? self.places : []
    }
    for place in places { deliver(in: place) }
  }

  private func deliver(in place: Place) {
    let timer = Timer(timeInterval: 0, repeats: false) { [weak self] _ in self?.deliver() }
    place.loop.add(timer, forMode: place.mode)
  }

  private func deliver() {
    let (events, stream) = lock.withLock {
      defer { pending = [] }
      return (pending, self.stream)
    }
    guard let stream else { return }
    let order: [Stream.Event] = [
      .openCompleted, .hasBytesAvailable, .hasSpaceAvailable, .errorOccurred, .endEncountered,
    ]
    // The delegate may close the stream.
    for event in order where events.contains(event) && stream.streamStatus != .closed {
      stream.delegate?.stream(stream, handle: event)
    }
  }
}
#endif
