import Foundation
import Retriever

// Bodies that are read while the server is still sending.
extension Demonstration {
  private struct Favourite: Decodable {
    let photo: String
    let favourites: Int
  }

  /// The pause before the request for the next line, so that a person can see the lines arrive one by one.
  private static let pause = Duration.milliseconds(120)

  func followLines() async throws -> String {
    let start = ContinuousClock.now
    let (bytes, response) = try await session.bytes(from: server.url("/favourites"))
    try expectStatus(200, of: response)
    var delays: [Duration] = []
    server.favourites.ask(for: 0)
    for try await line in bytes.lines {
      let delay = server.favourites.age(of: delays.count) ?? .zero
      let arrival = ContinuousClock.now - start
      let favourite = try JSONDecoder().decode(Favourite.self, from: Data(line.utf8))
      delays.append(delay)
      terminal.event(
        "after \(arrival.short): \(favourite.photo) has \(favourite.favourites) favourites",
        "\(delay.short) after the server sent it")
      if delays.count < server.favourites.pieces.count { try await Task.sleep(for: Self.pause) }
      server.favourites.ask(for: delays.count)
    }
    guard delays.count == server.favourites.pieces.count, let slowest = delays.max() else {
      throw Unexpected("\(delays.count) lines arrived, not \(server.favourites.pieces.count).")
    }
    return "\(delays.count) live lines; the slowest arrived \(slowest.short) after it was sent"
  }

  func followEvents() async throws -> String {
    let (bytes, response) = try await session.bytes(from: server.url("/barks"))
    try expectStatus(200, of: response)
    var events: [ServerSentEvent] = []
    server.barks.ask(for: 0)
    for try await event in bytes.serverSentEvents {
      let delay = server.barks.age(of: events.count) ?? .zero
      events.append(event)
      let text = event.data.split(separator: "\n").joined(separator: " ")
      terminal.event("event \(event.id), \(event.event): \(text)", "\(delay.short) after the server sent it")
      server.barks.ask(for: events.count)
    }
    guard events.map(\.id) == ["1", "2", "3"], let retry = events.last?.retry else {
      throw Unexpected("The events \(events.map(\.id)) arrived, not 1, 2 and 3.")
    }
    return "\(events.count) server-sent events; reconnect after \(retry.short), from event 3"
  }
}
