import Foundation
import Retriever
import RetrieverImages

enum FetchError: Error {
  case badID
  case badImage
}

func thumbnailURLRequest(for id: String, _ base: URL) -> URLRequest {
  var components = URLComponents(url: base.appendingPathComponent("thumbnail"), resolvingAgainstBaseURL: true)
  components?.queryItems = [URLQueryItem(name: "id", value: id)]
  return URLRequest(url: components?.url ?? base)
}

/// With a completion handler.
func fetchThumbnail(
  for id: String, _ base: URL, completion: @escaping @Sendable (UIImage?, (any Error)?) -> Void
) {
  let request = thumbnailURLRequest(for: id, base)
  let task = URLSession.shared.dataTask(with: request) { data, response, error in
    if let error = error {
      completion(nil, error)
    } else if (response as? HTTPURLResponse)?.statusCode != 200 {
      completion(nil, FetchError.badID)
    } else {
      guard let image = UIImage(data: data!) else {
        completion(nil, FetchError.badImage)
        return
      }
      image.prepareThumbnail(of: CGSize(width: 40, height: 40)) { thumbnail in
        guard let thumbnail = thumbnail else {
          completion(nil, FetchError.badImage)
          return
        }
        completion(thumbnail, nil)
      }
    }
  }
  task.resume()
}

/// With a Result.
func fetchThumbnail(
  for id: String, _ base: URL, completion: @escaping @Sendable (Result<UIImage, any Error>) -> Void
) {
  let request = thumbnailURLRequest(for: id, base)
  let task = URLSession.shared.dataTask(with: request) { data, response, error in
    if let error = error {
      completion(.failure(error))
    } else if (response as? HTTPURLResponse)?.statusCode != 200 {
      completion(.failure(FetchError.badID))
    } else {
      guard let image = UIImage(data: data!) else {
        completion(.failure(FetchError.badImage))
        return
      }
      image.prepareThumbnail(of: CGSize(width: 40, height: 40)) { thumbnail in
        guard let thumbnail = thumbnail else {
          completion(.failure(FetchError.badImage))
          return
        }
        completion(.success(thumbnail))
      }
    }
  }
  task.resume()
}

/// In six lines, with async/await.
func fetchThumbnail(for id: String, _ base: URL) async throws -> UIImage {
  let request = thumbnailURLRequest(for: id, base)
  let (data, response) = try await URLSession.shared.data(for: request)
  guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw FetchError.badID }
  let maybeImage = UIImage(data: data)
  guard let thumbnail = await maybeImage?.thumbnail else { throw FetchError.badImage }
  return thumbnail
}

extension UIImage {
  /// An async read-only property.
  var thumbnail: UIImage? {
    get async {
      let size = CGSize(width: 40, height: 40)
      return await self.byPreparingThumbnail(ofSize: size)
    }
  }
}

/// Wraps the completion-handler form with a continuation.
func fetchThumbnailByContinuation(for id: String, _ base: URL) async throws -> UIImage {
  try await withCheckedThrowingContinuation { continuation in
    fetchThumbnail(for: id, base) { (thumbnail: UIImage?, error: (any Error)?) in
      if let thumbnail {
        continuation.resume(returning: thumbnail)
      } else {
        continuation.resume(throwing: error ?? FetchError.badImage)
      }
    }
  }
}

private func expectBadID(_ load: () async throws -> UIImage) async throws {
  do {
    _ = try await load()
    throw Unexpected(description: "a cat's thumbnail was fetched")
  } catch FetchError.badID {}
}

private func expectThumbnail(_ image: UIImage) async throws {
  try expectEqual(image.size, CGSize(width: 40, height: 40), "the thumbnail's size")
  let pixels = try await image.pixels()
  guard let left = pixels[0, 20], let right = pixels[39, 20] else {
    throw Unexpected(description: "the thumbnail has no pixels")
  }
  try expect(left.red < 20 && right.red > 230, "the thumbnail goes from \(left) to \(right)")
}

func thumbnailChecks(_ base: URL) -> [Check] {
  [
    Check("a data task calls its handler once") {
      try await expectThumbnail(try await fetchThumbnailByContinuation(for: "rex", base))
    },
    Check("a data task's handler gets an error for a bad identifier") {
      try await expectBadID { try await fetchThumbnailByContinuation(for: "cat", base) }
    },
    Check("a thumbnail is fetched in the Result form") {
      let thumbnail = try await withCheckedThrowingContinuation { continuation in
        fetchThumbnail(for: "momo", base) { result in continuation.resume(with: result) }
      }
      try await expectThumbnail(thumbnail)
    },
    Check("a thumbnail is fetched in the async form") {
      try await expectThumbnail(try await fetchThumbnail(for: "bella", base))
    },
    Check("the async form throws for a bad identifier") {
      try await expectBadID { try await fetchThumbnail(for: "cat", base) }
    },
    Check("many thumbnails are fetched concurrently") {
      let images = try await withThrowingTaskGroup(of: UIImage.self) { group in
        for _ in 0..<100 { group.addTask { try await fetchThumbnail(for: "rex", base) } }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for image in images { try await expectThumbnail(image) }
    },
  ]
}
