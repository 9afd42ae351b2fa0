import Foundation
import RetrieverBridges
import Synchronization

// The code examples of the documentation, so that they are known to compile. `DocumentationTests` compares the two
// and runs this code.

struct Photo: Sendable { var name: String }

struct Thumbnail: Sendable, Equatable { var name: String }

/// A callback-based loader. It calls back with a thumbnail or an error.
struct PhotoLoader: Sendable {
  struct Load: Sendable {
    let cancelCount: Counter
    func cancel() { cancelCount.increment() }
  }

  var answers = true
  let cancelCount = Counter()
  let kept = Box<@Sendable (Thumbnail?, (any Error)?) -> Void>()

  func load(_ photo: Photo, completion: @escaping @Sendable (Thumbnail?, (any Error)?) -> Void) -> Load {
    kept.put(completion)
    if answers { completion(Thumbnail(name: photo.name), nil) }
    return Load(cancelCount: cancelCount)
  }
}

/// A callback-based client. It calls back with three values.
struct OldClient: Sendable {
  struct Request: Sendable { func cancel() {} }

  var data: Data?

  func send(_ url: URL, completion: @escaping @Sendable (Data?, Int?, (any Error)?) -> Void) -> Request {
    completion(data, data == nil ? nil : 200, nil)
    return Request()
  }
}

struct Location: Sendable, Equatable { var name: String }

protocol LocationSourceDelegate: AnyObject, Sendable {
  func sourceDidFind(_ location: Location)
  func sourceDidFail(_ error: any Error)
}

struct LocationSource: Sendable {
  var location: Location?

  func requestLocation(for delegate: any LocationSourceDelegate) {
    if let location { delegate.sourceDidFind(location) } else { delegate.sourceDidFail(Failure(number: 5)) }
  }
}

final class LocationFinder: LocationSourceDelegate, Sendable {
  private let locations = ContinuationSlot<Location>()

  func currentLocation(from source: LocationSource) async throws -> Location {
    try await locations.next { source.requestLocation(for: self) }
  }

  func sourceDidFind(_ location: Location) { locations.send(location) }
  func sourceDidFail(_ error: any Error) { locations.send(throwing: error) }
}

struct Upload: Sendable {
  let attempts = Counter()

  func location() async throws -> URL? {
    attempts.increment()
    return attempts.value < 2 ? nil : URL(filePath: "/uploaded")
  }
}

struct DocumentationExamples: Sendable {
  func measure(_ name: String) async throws -> Int32 {
    if name.isEmpty { throw Failure() }
    return Int32(name.utf8.count)
  }

  func fetchName() async throws -> String { "Rex" }

  func thumbnail(for photo: Photo, from loader: PhotoLoader) async throws -> Thumbnail {
    try await withCancellableContinuation { continuation in
      let load = loader.load(photo, completion: continuation.completionHandler)
      return { load.cancel() }
    }
  }

  func load(_ url: URL, with client: OldClient) async throws -> (Data, Int) {
    try await withCancellableContinuation { continuation in
      let request = client.send(url) { data, status, error in
        continuation.resume(data, status, error)
      }
      return { request.cancel() }
    }
  }

  func stopAtMisuseInDebugBuilds() {
    MisuseReporter.standard = .fatalInDebug
  }

  func report(_ progress: ContinuationSlot<Double>) async throws -> [Double] {
    var seen: [Double] = []
    for try await fraction in progress.events(buffering: .droppingOldest(limit: 1)) {
      seen.append(fraction)
    }
    return seen
  }

  func firstHeadline(of headlines: some ValuePublisher<String, any Error>) async throws -> String {
    do {
      return try await headlines.singleResult()
    } catch is MissingOutputError {
      return "No news"
    }
  }

  func total(of prices: some ValuePublisher<Int, Never>) async throws -> Int {
    var total = 0
    for try await price in prices.values(prefetch: 8) { total += price }
    return total
  }

  func sizeForC(of name: String) -> Int32 {
    do {
      return try runBlocking { try await measure(name) }
    } catch {
      return -1
    }
  }

  func waitForUpload(_ upload: Upload) async throws -> URL {
    try await poll(.every(.milliseconds(200), timeLimit: .seconds(60))) { try await upload.location() }
  }

  @discardableResult
  func loadName(completion: @escaping @Sendable (Result<String, any Error>) -> Void) -> CancelHandle {
    startTask(operation: { try await fetchName() }, completion: completion)
  }
}
