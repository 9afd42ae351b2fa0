import Foundation
import Retriever
import RetrieverTesting

// Tests of a client without a server.

func stubChecks() -> [Check] {
  [
    Check("stubs answer the requests of a session") {
      let clock = ManualClock()
      let stubs = HTTPStubs(clock: clock)
      stubs.when("GET /photo", answer: .data(Data(count: 48_000)).after(.seconds(60)))
      guard let url = URL(string: "https://photos.example.com/photo") else { return }
      let session = stubs.session()
      async let photo = session.data(from: url)
      try expectEqual(try await stubs.request().path, "/photo", "the path")
      clock.advance(by: .seconds(60))
      try expectEqual(try await photo.0.count, 48_000, "the size")
      try stubs.verifyAll()
    }
  ]
}
