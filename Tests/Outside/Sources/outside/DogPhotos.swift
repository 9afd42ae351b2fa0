import Foundation
import Retriever

enum WoofError: Error {
  case invalidServerResponse
  case unsupportedImage
}

/// Returns the number of bytes, in place of the image.
func fetchPhoto(url: URL) async throws -> Int {
  let (data, response) = try await URLSession.shared.data(from: url)

  guard let httpResponse = response as? HTTPURLResponse,
    httpResponse.statusCode == 200
  else {
    throw WoofError.invalidServerResponse
  }

  guard !data.isEmpty else {
    throw WoofError.unsupportedImage
  }

  return data.count
}

func upload(_ fileURL: URL, to url: URL) async throws -> Data {
  var request = URLRequest(url: url)
  request.httpMethod = "POST"

  let (data, response) = try await URLSession.shared.upload(for: request, fromFile: fileURL)
  guard let httpResponse = response as? HTTPURLResponse,
    httpResponse.statusCode == 201 /* Created */
  else {
    throw WoofError.invalidServerResponse
  }
  return data
}

func download(_ url: URL, to newLocation: URL) async throws {
  let (location, response) = try await URLSession.shared.download(from: url)
  guard let httpResponse = response as? HTTPURLResponse,
    httpResponse.statusCode == 200 /* OK */
  else {
    throw WoofError.invalidServerResponse
  }

  try FileManager.default.moveItem(at: location, to: newLocation)
}

func twoLoadsInARow(_ url1: URL, _ url2: URL) -> Task<[Data], any Error> {
  Task {
    let (data1, _) = try await URLSession.shared.data(from: url1)

    let (data2, _) = try await URLSession.shared.data(from: url2)

    return [data1, data2]
  }
}

/// Returns how often the server received a request for a path.
func requestCount(_ path: String, _ base: URL) async throws -> Int {
  guard let url = URL(string: "requests?path=\(path)", relativeTo: base) else {
    throw URLError(.badURL)
  }
  let (data, _) = try await URLSession.shared.data(from: url)
  return try JSONDecoder().decode(Int.self, from: data)
}

func expectCancelled(_ task: Task<[Data], any Error>) async throws {
  do {
    let loaded = try await task.value
    throw Unexpected(description: "\(loaded.count) loads succeeded although they were cancelled")
  } catch let error as URLError {
    try expectEqual(error.code, .cancelled, "the error")
  }
}

struct Receipt: Codable {
  let bytes: Int
  let sha256: String
}

func photoChecks(_ base: URL) -> [Check] {
  [
    Check("a photo is fetched") {
      try expectEqual(try await fetchPhoto(url: base.appendingPathComponent("photo")), 48_000, "its size")
    },
    Check("a status other than 200 is not an error of the session") {
      do {
        _ = try await fetchPhoto(url: base.appendingPathComponent("nothing"))
        throw Unexpected(description: "a missing photo was fetched")
      } catch WoofError.invalidServerResponse {}
    },
    Check("a redirect is followed") {
      let (data, response) = try await URLSession.shared.data(from: base.appendingPathComponent("moved"))
      try expectEqual(data.count, 48_000, "the size")
      try expectEqual(response.url?.path, "/photo", "the path of the response")
    },
    Check("a file is uploaded, and the server returns 201") {
      let file = FileManager.default.temporaryDirectory.appendingPathComponent("upload-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: file) }
      try Data(repeating: 0x61, count: 300_000).write(to: file)
      let answer = try await upload(file, to: base.appendingPathComponent("upload"))
      let receipt = try JSONDecoder().decode(Receipt.self, from: answer)
      try expectEqual(receipt.bytes, 300_000, "what the server got")
    },
    Check("data is uploaded") {
      var request = URLRequest(url: base.appendingPathComponent("echo"))
      request.httpMethod = "POST"
      request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
      let (data, _) = try await URLSession.shared.upload(for: request, from: Data("woof".utf8))
      try expectEqual(String(decoding: data, as: UTF8.self), "woof", "the echo")
    },
    Check("a download is moved to its destination") {
      let place = FileManager.default.temporaryDirectory.appendingPathComponent("litter-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: place) }
      try await download(base.appendingPathComponent("litter"), to: place)
      try expectEqual(try Data(contentsOf: place).count, 2_400_000, "the size of the file")
    },
    Check("two loads in a row are cancelled immediately") {
      let task = twoLoadsInARow(
        base.appendingPathComponent("hold"), base.appendingPathComponent("after-first"))
      task.cancel()
      try await expectCancelled(task)
      try expectEqual(try await requestCount("/after-first", base), 0, "the number of second loads")
    },
    Check("two loads in a row are cancelled while the first waits for its response") {
      let before = try await requestCount("/hold", base)
      let task = twoLoadsInARow(
        base.appendingPathComponent("hold"), base.appendingPathComponent("after-second"))
      while try await requestCount("/hold", base) == before { await Task.yield() }
      task.cancel()
      try await expectCancelled(task)
      try expectEqual(try await requestCount("/after-second", base), 0, "the number of second loads")
    },
  ]
}
