// Loads a page and prints its size.
//
//   fetch-page URL
import Foundation
import Retriever

func fetch(_ url: URL) async throws -> Data {
  let (data, response) = try await URLSession.shared.data(from: url)
  guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
  return data
}

guard let text = CommandLine.arguments.dropFirst().first, let url = URL(string: text) else {
  print("usage: fetch-page URL")
  exit(2)
}
print("\(try await fetch(url).count) bytes")
