import Foundation
import Retriever

// The same calls from all kinds of places in Swift concurrency.

/// A type with an async initialiser.
struct Album: Sendable {
  let names: [String]

  init(contentsOf url: URL) async throws {
    let (data, _) = try await URLSession.shared.data(from: url)
    names = try JSONDecoder().decode([String].self, from: data)
  }
}

extension URL {
  /// An async property that can throw.
  var text: String {
    get async throws {
      let (data, _) = try await URLSession.shared.data(from: self)
      return String(decoding: data, as: UTF8.self)
    }
  }
}

actor PhotoStore {
  private var sizes: [URL: Int] = [:]

  func size(of url: URL) async throws -> Int {
    if let size = sizes[url] { return size }
    let size = try await fetchPhoto(url: url)
    sizes[url] = size
    return size
  }

  func countLines(of url: URL) async throws -> Int {
    var count = 0
    for try await _ in url.lines { count += 1 }
    return count
  }
}

@MainActor
final class PhotoViewModel {
  private(set) var size: Int?

  func refresh(_ url: URL) async throws { size = try await fetchPhoto(url: url) }
}

/// A session delegate that stores the continuation and resumes it once.
final class DownloadOwner: NSObject, URLSessionDownloadDelegate {
  private let continuation: CheckedContinuation<Int, any Error>

  init(_ continuation: CheckedContinuation<Int, any Error>) {
    self.continuation = continuation
  }

  func urlSession(
    _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
  ) {
    downloadTask.taskDescription = (try? Data(contentsOf: location)).map { String($0.count) }
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error {
      continuation.resume(throwing: error)
    } else {
      continuation.resume(returning: task.taskDescription.flatMap { Int($0) } ?? 0)
    }
    session.finishTasksAndInvalidate()
  }
}

func everywhereChecks(_ base: URL) -> [Check] {
  let photo = base.appendingPathComponent("photo")
  return [
    Check("an async initialiser loads") {
      let album = try await Album(contentsOf: base.appendingPathComponent("names"))
      try expectEqual(album.names, ["bella", "momo", "rex"], "the album")
    },
    Check("an async property loads") {
      try expectEqual(try await base.appendingPathComponent("ids").text, "bella\nmomo\nrex\n", "the text")
    },
    Check("an actor loads") {
      let store = PhotoStore()
      try expectEqual(try await store.size(of: photo), 48_000, "the size")
      try expectEqual(try await store.size(of: photo), 48_000, "the cached size")
      try expectEqual(
        try await store.countLines(of: base.appendingPathComponent("ids")), 3, "the number of lines")
    },
    Check("the main actor loads") {
      let model = PhotoViewModel()
      try await model.refresh(photo)
      try expectEqual(await model.size, 48_000, "the size")
    },
    Check("a detached task loads") {
      let size = try await Task.detached { try await fetchPhoto(url: photo) }.value
      try expectEqual(size, 48_000, "the size")
    },
    Check("async let loads two concurrently") {
      async let first = fetchPhoto(url: photo)
      async let second = fetchPhoto(url: photo)
      try expectEqual(try await first + second, 96_000, "the sum of both")
    },
    Check("a session delegate resumes a continuation") {
      let size = try await withCheckedThrowingContinuation { continuation in
        let session = URLSession(
          configuration: .ephemeral, delegate: DownloadOwner(continuation), delegateQueue: nil)
        session.downloadTask(with: base.appendingPathComponent("litter")).resume()
      }
      try expectEqual(size, 2_400_000, "the size of the file")
    },
  ]
}
