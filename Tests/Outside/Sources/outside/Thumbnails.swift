import Foundation
import Retriever

enum FetchError: Error {
  case badID
  case badImage
}

func thumbnailURLRequest(for id: String, _ base: URL) -> URLRequest {
  var components = URLComponents(url: base.appendingPathComponent("thumbnail"), resolvingAgainstBaseURL: true)
  components?.queryItems = [URLQueryItem(name: "id", value: id)]
  return URLRequest(url: components?.url ?? base)
}

/// With a callback.
func fetchThumbnail(
  for id: String, _ base: URL, completion: @escaping @Sendable (Int?, (any Error)?) -> Void
) {
  let request = thumbnailURLRequest(for: id, base)
  let task = URLSession.shared.dataTask(with: request) { data, response, error in
    if let error = error {
      completion(nil, error)
    } else if (response as? HTTPURLResponse)?.statusCode != 200 {
      completion(nil, FetchError.badID)
    } else {
      guard let data = data, !data.isEmpty else {
        completion(nil, FetchError.badImage)
        return
      }
      completion(data.count, nil)
    }
  }
  task.resume()
}

/// With a result.
func fetchThumbnail(
  for id: String, _ base: URL, completion: @escaping @Sendable (Result<Int, any Error>) -> Void
) {
  let request = thumbnailURLRequest(for: id, base)
  let task = URLSession.shared.dataTask(with: request) { data, response, error in
    if let error = error {
      completion(.failure(error))
    } else if (response as? HTTPURLResponse)?.statusCode != 200 {
      completion(.failure(FetchError.badID))
    } else {
      guard let data = data, !data.isEmpty else {
        completion(.failure(FetchError.badImage))
        return
      }
      completion(.success(data.count))
    }
  }
  task.resume()
}

/// The six lines.
func fetchThumbnail(for id: String, _ base: URL) async throws -> Int {
  let request = thumbnailURLRequest(for: id, base)
  let (data, response) = try await URLSession.shared.data(for: request)
  guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw FetchError.badID }
  guard let thumbnail = await data.thumbnail else { throw FetchError.badImage }
  return thumbnail
}

extension Data {
  /// An async read-only property; the number of bytes stands for the thumbnail.
  var thumbnail: Int? {
    get async {
      await Task.yield()
      return isEmpty ? nil : count
    }
  }
}

/// The callback form, made awaitable.
func fetchThumbnailByContinuation(for id: String, _ base: URL) async throws -> Int {
  try await withCheckedThrowingContinuation { continuation in
    fetchThumbnail(for: id, base) { (size: Int?, error: (any Error)?) in
      if let error {
        continuation.resume(throwing: error)
      } else {
        continuation.resume(returning: size ?? 0)
      }
    }
  }
}

private func expectBadID(_ load: () async throws -> Int) async throws {
  do {
    _ = try await load()
    throw Unexpected(description: "a cat's thumbnail was fetched")
  } catch FetchError.badID {}
}

func thumbnailChecks(_ base: URL) -> [Check] {
  [
    Check("a data task calls its handler once") {
      let size = try await fetchThumbnailByContinuation(for: "rex", base)
      try expectEqual(size, 1600, "the thumbnail")
    },
    Check("a data task's handler hears of a bad identifier") {
      try await expectBadID { try await fetchThumbnailByContinuation(for: "cat", base) }
    },
    Check("a thumbnail is fetched in the Result form") {
      let size = try await withCheckedThrowingContinuation { continuation in
        fetchThumbnail(for: "momo", base) { result in continuation.resume(with: result) }
      }
      try expectEqual(size, 1600, "the thumbnail")
    },
    Check("a thumbnail is fetched in the async form") {
      try expectEqual(try await fetchThumbnail(for: "bella", base), 1600, "the thumbnail")
    },
    Check("the async form throws for a bad identifier") {
      try await expectBadID { try await fetchThumbnail(for: "cat", base) }
    },
    Check("many thumbnails are fetched at once") {
      let sizes = try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<100 { group.addTask { try await fetchThumbnail(for: "rex", base) } }
        return try await group.reduce(0, +)
      }
      try expectEqual(sizes, 160_000, "all of them together")
    },
  ]
}
