// Loads many thumbnails from a server, some of them concurrently, each with another URL. Prints "warm" when it starts
// the measurement.
import Foundation
import Retriever
import RetrieverImages
import Synchronization

struct Load {
  private static let atOnce = 4
  /// The number of loads before the measurement, so that work that is done only once does not count.
  private static let warmUp = 16

  private let prefix: String
  private let name: String
  private let size: PixelExtent
  private let seconds: Double
  private let first: Int
  private let count: Int
  private let session = URLSession(configuration: .ephemeral)

  init(_ options: Options) throws {
    guard let name = options.picture, let size = options.expected.flatMap(PixelExtent.init) else {
      throw Failure("--picture and --expected are missing")
    }
    prefix = options.subject
    self.name = name
    self.size = size
    seconds = options.seconds
    (first, count) = (options.first, options.count)
  }

  func report() async throws -> Report {
    let next = Counter()
    _ = try await run {
      next.take()
    } while: {
      $0 < Self.warmUp
    }
    FileHandle.standardOutput.write(Data("warm\n".utf8))
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let deadline = started + Int(seconds * 1e9)
    let done = try await run {
      next.take()
    } while: {
      $0 < count && monotonicNanoseconds() < deadline
    }
    return Report(
      requests: done.requests, seconds: Double(monotonicNanoseconds() - started) / 1e9, bytes: done.bytes,
      residentAtStart: resident)
  }

  private func run(
    number: @escaping @Sendable () -> Int, while isWanted: @escaping @Sendable (Int) -> Bool
  ) async throws -> (requests: Int, bytes: Int) {
    try await withThrowingTaskGroup(of: (requests: Int, bytes: Int).self) { group in
      for _ in 0..<Self.atOnce {
        group.addTask {
          var (requests, bytes) = (0, 0)
          while true {
            let next = number()
            guard isWanted(next) else { return (requests, bytes) }
            bytes += try await self.fetch(next)
            requests += 1
          }
        }
      }
      return try await group.reduce(into: (requests: 0, bytes: 0)) {
        $0.requests += $1.requests
        $0.bytes += $1.bytes
      }
    }
  }

  /// Loads one thumbnail, and returns its number of bytes.
  private func fetch(_ number: Int) async throws -> Int {
    guard let url = URL(string: "\(prefix)/\(first + number)/\(name)") else {
      throw Failure("\(prefix) is not a valid URL")
    }
    let (data, response) = try await session.data(from: url)
    guard let status = (response as? HTTPURLResponse)?.statusCode, status == 200 else {
      throw Failure("\(url): \(String(decoding: data.prefix(200), as: UTF8.self))")
    }
    guard let image = UIImage(data: data), image.format == .jpeg,
      Int(image.size.width) == size.width, Int(image.size.height) == size.height
    else { throw Failure("\(url) is not a JPEG of \(size.width) by \(size.height) pixels") }
    return data.count
  }
}

/// Two numbers, separated by an x.
private struct PixelExtent {
  let width: Int
  let height: Int

  init?(_ text: String) {
    let sides = text.split(separator: "x").map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1] else { return nil }
    (self.width, self.height) = (width, height)
  }
}

private final class Counter: Sendable {
  private let count = Atomic(0)

  func take() -> Int { count.wrappingAdd(1, ordering: .relaxed).oldValue }
}
