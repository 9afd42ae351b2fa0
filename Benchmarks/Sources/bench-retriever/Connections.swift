// Opens a new TLS connection for each load, one after the other. The server closes each connection after its response.
import Foundation
import Retriever

struct Connections {
  private let options: Options

  init(_ options: Options) { self.options = options }

  /// Reports how many loads resumed a TLS session. The server reports this in `TLS-Session`.
  func open() async throws -> Report {
    let session = options.session(connections: nil)
    let resident = Memory.resident
    let started = monotonicNanoseconds()
    let deadline = started + Int(options.seconds * 1e9)
    var (requests, bytes, resumed) = (0, 0, 0)
    repeat {
      let (data, response) = try await session.data(from: options.url)
      try Client.require(response)
      requests += 1
      bytes += data.count
      if (response as? HTTPURLResponse)?.value(forHTTPHeaderField: "TLS-Session") == "r" { resumed += 1 }
    } while monotonicNanoseconds() < deadline
    let seconds = Double(monotonicNanoseconds() - started) / 1e9
    return Report(
      requests: requests, seconds: seconds, bytes: bytes, residentAtStart: resident,
      figures: [("resumed", Double(resumed))])
  }
}
