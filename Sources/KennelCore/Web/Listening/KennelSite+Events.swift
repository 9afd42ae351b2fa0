import Foundation
import HTTPService

extension KennelSite {
  func listenToEvents(_ call: Call) async throws -> HTTPResponse {
    let isSource = AcceptedTypes(call.request.fields).prefers("text/event-stream", to: "application/x-ndjson")
    let format: EventFormat = isSource ? .eventSource : .lines
    let after = try lastHeard(call)
    let visitor = try await visitor(call)
    // Before the listening begins: what happens in between is told rather twice than never.
    let last = store.events.lastID
    let listener = try store.events.listen(after: after)
    let text = eventText
    let pulse = pulse
    let heartbeat = EventText.heartbeat(format)
    let body = HTTPResponse.Body.stream(endsWhenStopping: true) { writer in
      try await writer.write(EventText.hello(format, after: after ?? last))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pulse.beat { try await writer.write(heartbeat) } }
        group.addTask {
          for try await delivery in listener {
            switch delivery {
            case .events(let events):
              let user = try await self.viewer(visitor, of: events)
              try await writer.write(text.data(events, format, for: user))
            case .missed(let id): try await writer.write(EventText.lost(format, through: id))
            }
          }
        }
        // Whichever ends first: the store was closed, or the client is gone.
        try await group.next()
        group.cancelAll()
      }
    }
    return HTTPResponse(
      fields: [
        "Content-Type": format.contentType, "Cache-Control": "no-store", "Vary": "Accept",
        // A proxy is not to wait until there is more.
        "X-Accel-Buffering": "no",
      ], body: body)
  }

  /// Who listens, when some of the hearts are theirs. A session that has ended since is nobody's.
  private func viewer(_ visitor: Visitor, of events: [KennelEvent]) async throws(KennelError) -> User.ID? {
    guard let user = visitor.user, events.contains(where: { $0.heart?.user == user.id }) else { return nil }
    guard let token = visitor.token else { return user.id }
    return try await store.accounts.user(of: token)?.id
  }

  /// The last event the client has heard of.
  private func lastHeard(_ call: Call) throws(Problem) -> Int64? {
    if let text = call.request.fields["Last-Event-ID"] {
      if text == "0" { return 0 }
      // Not the client's words but its library's: one that makes no sense is none.
      if let id = Int64(identifier: text) { return id }
    }
    return try call.queryID("after", orZero: true)
  }
}
