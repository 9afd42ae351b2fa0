import Foundation
import KennelLoad
import Retriever
import Synchronization

/// What the events of one address report, in addition to their order.
struct Witness: Sendable, Equatable {
  var comments: Set<Int64> = []
  var posts: Set<Int64> = []
  /// The last reported number of hearts of each post.
  var counts: [Int64: Int] = [:]
}

/// Receives the events of one address, and checks them.
final class Listener: Sendable {
  private struct State: Sendable {
    var check: EventCheck?
    var last: Int64 = 0
    var witness = Witness()
    var hasEnded = false
  }

  struct Event: Decodable {
    var id: Int64?
    var kind: String
    var post: Int64?
    var count: Int?
    var comment: Int64?
  }

  let address: LoadAddress
  private let client: KennelClient
  private let isWitness: Bool
  private let state = Mutex(State())

  /// - Parameter isWitness: whether to remember what the events report. One listener of each address does.
  init(_ client: KennelClient, isWitness: Bool) {
    (self.client, self.isWitness) = (client, isWitness)
    address = client.address
  }

  var check: EventCheck? { state.withLock { $0.check } }
  var witness: Witness? { isWitness ? state.withLock { $0.witness } : nil }
  var hasEnded: Bool { state.withLock { $0.hasEnded } }
  /// The last event that the listener has received.
  var last: Int64 { state.withLock { $0.last } }

  /// Listens until the surrounding task is cancelled, or the stream ends.
  func listen() async {
    do {
      var request = try client.request("GET", "/events", ["Accept": "application/x-ndjson"])
      request.timeoutInterval = 600
      let (bytes, response) = try await client.session.bytes(for: request)
      guard (response as? HTTPURLResponse)?.statusCode == 200 else { throw URLError(.badServerResponse) }
      for try await line in bytes.lines {
        guard receive(try JSONDecoder().decode(Event.self, from: Data(line.utf8))) else { break }
      }
    } catch {
      // The end of the stream is what counts; see below.
    }
    if !Task.isCancelled { state.withLock { $0.hasEnded = true } }
  }

  /// Returns false if the listener must stop.
  private func receive(_ event: Event) -> Bool {
    state.withLock { state in
      switch event.kind {
      case "hello":
        state.check = EventCheck(after: event.id ?? 0)
        state.last = event.id ?? 0
      case "lost":
        state.check?.receiveLossNotice()
        state.last = max(state.last, event.id ?? 0)
      case "heartbeat": break
      default:
        guard let id = event.id else { return false }
        if isWitness { Self.note(event, &state.witness) }
        state.last = max(state.last, id)
        return state.check?.receive(id) ?? false
      }
      return true
    }
  }

  private static func note(_ event: Event, _ witness: inout Witness) {
    switch event.kind {
    case "comment": if let comment = event.comment { witness.comments.insert(comment) }
    case "post": if let post = event.post { witness.posts.insert(post) }
    case "favourites": if let post = event.post { witness.counts[post] = event.count }
    default: break
    }
  }
}
