// Tests a client without a network: stubs answer its requests.
//
//   test-with-stubs
import Foundation
import Retriever
import RetrieverTesting

/// The code under test: it tries again while the server is busy.
struct WeatherClient {
  let session: URLSession

  func forecast(for city: String) async throws -> String {
    guard let url = URL(string: "https://weather.example.com/forecast?city=\(city)") else {
      throw URLError(.badURL)
    }
    while true {
      let (data, response) = try await session.data(from: url)
      if (response as? HTTPURLResponse)?.statusCode == 503 { continue }
      return String(decoding: data, as: UTF8.self)
    }
  }
}

func testThatABusyServerIsAskedAgain() async throws -> String {
  let stubs = HTTPStubs()
  stubs.when("GET https://weather.example.com/forecast", answers: [.status(503), .text("sunny")])
  let client = WeatherClient(session: stubs.session())
  let forecast = try await client.forecast(for: "Paris")
  try stubs.verify("GET /forecast?city=Paris", count: 2)
  return forecast
}

print(try await testThatABusyServerIsAskedAgain())

// A request without a stub fails with a message that says why, and never reaches the network.
do {
  let stubs = HTTPStubs()
  stubs.when("POST /forecast", answer: .status(201))
  _ = try await WeatherClient(session: stubs.session()).forecast(for: "Rome")
} catch {
  print(error.localizedDescription)
}
