// Measures thumbnails that are cancelled when they are half done.
import CMalloc
import Foundation
import Glibc
import RetrieverImages

struct Cancelled {
  /// The number of bytes that may remain: the internal data of a task, but not the rows of an image.
  private static let slack = 128 << 10
  private let options: Options
  private let data: Data

  init(_ options: Options) throws {
    self.options = options
    data = try options.data()
  }

  /// Reports the median time from a cancellation until the memory is free.
  func report() async throws -> Report {
    let resident = Memory.resident
    var fullDuration = 0
    for _ in 0..<3 {
      let started = monotonicNanoseconds()
      _ = try await Self.thumbnail(data, options.target)
      fullDuration = monotonicNanoseconds() - started
    }
    var times: [Int] = []
    let deadline = monotonicNanoseconds() + Int(options.seconds * 1e9)
    repeat {
      if let time = try await time(cancelledAfter: fullDuration / 2) { times.append(time) }
    } while monotonicNanoseconds() < deadline
    guard !times.isEmpty else { throw Failure("every thumbnail was complete before its cancellation") }
    let median = times.sorted()[times.count / 2]
    return Report(
      requests: times.count, seconds: Double(median) / 1e9, bytes: 0, residentAtStart: resident)
  }

  /// Returns nil if the thumbnail was complete before the cancellation.
  private func time(cancelledAfter delay: Int) async throws -> Int? {
    let (data, target) = (data, options.target)
    let before = allocated()
    let task = Task { try await Self.thumbnail(data, target) }
    try await Task.sleep(nanoseconds: UInt64(delay))
    let cancelled = monotonicNanoseconds()
    task.cancel()
    if case .success = await task.result { return nil }
    while allocated() > before + Self.slack {
      guard monotonicNanoseconds() - cancelled < 5_000_000_000 else {
        throw Failure(
          "\(allocated() - before) bytes were still allocated five seconds after the cancellation")
      }
      sched_yield()
    }
    return monotonicNanoseconds() - cancelled
  }

  private static func thumbnail(_ data: Data, _ target: ThumbnailTarget) async throws -> Int {
    guard let image = UIImage(data: data) else { throw Failure("the file is not a supported image") }
    return try await image.thumbnail(target).size.width > 0 ? 1 : 0
  }

  /// The number of bytes that the program has allocated and not freed.
  private func allocated() -> Int {
    let memory = mallinfo2()
    return Int(memory.uordblks) + Int(memory.hblkhd)
  }
}
