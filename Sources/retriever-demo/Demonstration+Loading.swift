import Foundation
import Retriever
import TestSupport

// Complete bodies: into memory, from a file, into a file.
extension Demonstration {
  func fetch() async throws -> String {
    let (data, response) = try await session.data(from: server.url("/photo"))
    try expectStatus(200, of: response)
    guard data == DemoServer.photo else { throw Unexpected("The photo differs from the one that was sent.") }
    return "\(data.count.grouped) bytes of \(response.mimeType ?? "unknown type"), all as sent"
  }

  private struct Dog: Decodable {
    let name: String
    let age: Int
  }

  func decode() async throws -> String {
    let (data, response) = try await session.data(from: server.url("/dogs"))
    try expectStatus(200, of: response)
    let dogs = try JSONDecoder().decode([Dog].self, from: data)
    guard dogs.count == 3 else { throw Unexpected("There are \(dogs.count) dogs, not 3.") }
    return "JSON: " + dogs.map { "\($0.name) is \($0.age)" }.joined(separator: ", ")
  }

  func upload() async throws -> String {
    let file = try folder.write(DemoServer.photo, to: "bella.jpeg")
    var request = URLRequest(url: server.url("/photos"))
    request.httpMethod = "POST"
    let (data, response) = try await session.upload(for: request, fromFile: file)
    try expectStatus(201, of: response)
    guard String(decoding: data, as: UTF8.self) == "\(DemoServer.checksum(DemoServer.photo))" else {
      throw Unexpected("The server calculated another checksum for the file.")
    }
    let place = (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Location") ?? "nowhere"
    return "a file of \(DemoServer.photo.count.grouped) bytes: 201 Created, at \(place)"
  }

  func download() async throws -> String {
    let (location, response) = try await session.download(from: server.url("/photo"))
    try expectStatus(200, of: response)
    let place = folder.file("downloaded.jpeg")
    try FileManager.default.moveItem(at: location, to: place)
    guard try Data(contentsOf: place) == DemoServer.photo else {
      throw Unexpected("The file differs from the one that was sent.")
    }
    return "\(DemoServer.photo.count.grouped) bytes into a file, moved to \(place.lastPathComponent)"
  }

  func redirect() async throws -> String {
    let measurements = Measurements()
    let (data, response) = try await session.data(from: server.url("/old"), delegate: measurements)
    try expectStatus(200, of: response)
    guard String(decoding: data, as: UTF8.self) == "home", response.url == server.url("/new/home") else {
      throw Unexpected("The redirect led to \(response.url?.absoluteString ?? "nowhere").")
    }
    let count = try await measurements.metrics.redirectCount
    guard count == 1 else { throw Unexpected("\(count) redirects were counted, not 1.") }
    return "/old → /new/home, 1 redirect followed"
  }
}
