import Foundation
import Retriever
import RetrieverImages

struct PhotoMetadata: Codable, Sendable {
  let photo: String
  let favorites: Int
}

/// The state of a view, used on the main actor only.
@MainActor
final class FavoritesView {
  private(set) var counts: [String: Int] = [:]

  func updateFavoriteCount(with photoMetadata: PhotoMetadata) {
    counts[photoMetadata.photo] = photoMetadata.favorites
  }

  func onAppear(_ eventStreamURL: URL, _ seenURL: URL) async throws {
    let (bytes, response) = try await URLSession.shared.bytes(from: eventStreamURL)
    guard let httpResponse = response as? HTTPURLResponse,
      httpResponse.statusCode == 200
    else {
      throw WoofError.invalidServerResponse
    }

    for try await line in bytes.lines {
      let photoMetadata = try JSONDecoder().decode(PhotoMetadata.self, from: Data(line.utf8))
      updateFavoriteCount(with: photoMetadata)
      // The server sends the next line only after this request, so a line that arrives late would block here.
      _ = try await URLSession.shared.data(from: seenURL)
    }
  }
}

/// Does the same without an actor, with an explicit switch to the main actor.
func follow(_ eventStreamURL: URL, seen seenURL: URL, on view: FavoritesView) async throws {
  let (bytes, _) = try await URLSession.shared.bytes(from: eventStreamURL)
  for try await line in bytes.lines {
    let photoMetadata = try JSONDecoder().decode(PhotoMetadata.self, from: Data(line.utf8))
    await view.updateFavoriteCount(with: photoMetadata)
    _ = try await URLSession.shared.data(from: seenURL)
  }
}

private func address(_ path: String, _ base: URL) throws -> URL {
  guard let url = URL(string: path, relativeTo: base) else { throw URLError(.badURL) }
  return url
}

func favoriteChecks(_ base: URL) -> [Check] {
  let wanted = ["bella": 1, "momo": 2, "rex": 3]
  return [
    Check("lines arrive one by one, on the main actor") {
      let view = FavoritesView()
      try await view.onAppear(try address("favorites?stream=a", base), try address("seen?stream=a", base))
      try expectEqual(await view.counts, wanted, "the view")
    },
    Check("lines update the main actor from elsewhere") {
      let view = FavoritesView()
      try await follow(
        try address("favorites?stream=b", base), seen: try address("seen?stream=b", base), on: view)
      try expectEqual(await view.counts, wanted, "the view")
    },
    Check("leaving the loop ends the stream, and the session stays usable") {
      let (bytes, _) = try await URLSession.shared.bytes(from: try address("favorites?stream=c", base))
      for try await line in bytes.lines {
        try expect(line.contains("bella"), "the first line is \(line)")
        break
      }
      try expectEqual(
        try await fetchPhoto(url: base.appendingPathComponent("photo")), 48_000, "a photo's size")
    },
    Check("url.lines returns the identifiers") {
      let collage = Collage(columns: 3, cell: 40, spacing: 0)
      for try await id in base.appendingPathComponent("ids").lines {
        collage.add(try await fetchThumbnail(for: id, base))
      }
      let picture = await collage.draw()
      try expectEqual(picture.size, CGSize(width: 120, height: 40), "the collage")
    },
  ]
}
