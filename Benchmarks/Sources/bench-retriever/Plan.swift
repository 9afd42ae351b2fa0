// Loads that decode JSON, and plans: files with a method and a URL in each line.
import Foundation

#if RETRIEVER
import Retriever
#else
import FoundationNetworking
#endif

/// A dog in the lists that the server sends.
struct Dog: Codable, Sendable {
  let id: Int
  let name: String
  let breed: String
  let weight: Double
  let vaccinated: Bool
  let tags: [String]
}

/// A request of a plan.
struct PlannedRequest: Sendable {
  let isPost: Bool
  let request: URLRequest

  static func all(in file: URL?) throws -> [PlannedRequest] {
    guard let file else { throw Failure("--plan is missing") }
    let requests = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
      try PlannedRequest(line: $0)
    }
    guard !requests.isEmpty else { throw Failure("the plan is empty") }
    return requests
  }

  private init(line: Substring) throws {
    let words = line.split(separator: " ")
    guard words.count == 2, ["GET", "POST"].contains(words[0]), let url = URL(string: String(words[1])) else {
      throw Failure("invalid line in the plan: \(line)")
    }
    var request = URLRequest(url: url)
    isPost = words[0] == "POST"
    if isPost {
      request.httpMethod = "POST"
      request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    }
    self.request = request
  }
}

extension Throughput {
  /// Decodes the body of each response as a list of dogs.
  func json() async throws -> Report {
    let (session, url) = (session, options.url)
    return try await repeating { _, _ in
      let (data, response) = try await session.data(from: url)
      try Client.require(response)
      return try Self.decodeList(data)
    }
  }

  /// Sends the requests of a plan in turn. Each task begins with another one, and pauses after every tenth.
  /// - Parameter decodes: Whether the bodies of all responses are JSON.
  func plan(decodes: Bool) async throws -> Report {
    let requests = try PlannedRequest.all(in: options.plan)
    let (session, concurrency, pause) = (session, concurrency, options.pause)
    return try await repeating { worker, step in
      if pause > .zero, step % 10 == 9 { try await Task.sleep(for: pause) }
      let planned = requests[(worker + step * concurrency) % requests.count]
      if planned.isPost { return try await Self.postDog(planned.request, session) }
      let (data, response) = try await session.data(for: planned.request)
      try Client.require(response)
      return decodes ? try Self.decodeList(data) : data.count
    }
  }

  private static func decodeList(_ data: Data) throws -> Int {
    guard try !JSONDecoder().decode([Dog].self, from: data).isEmpty else {
      throw Failure("the list is empty")
    }
    return data.count
  }

  /// Sends a dog, and decodes the dog in the response.
  private static func postDog(_ request: URLRequest, _ session: URLSession) async throws -> Int {
    let dog = Dog(id: 7, name: "Rex", breed: "Beagle", weight: 11.5, vaccinated: true, tags: ["calm", "old"])
    let (data, response) = try await session.upload(for: request, from: JSONEncoder().encode(dog))
    try Client.require(response)
    _ = try JSONDecoder().decode(Dog.self, from: data)
    return data.count
  }
}
