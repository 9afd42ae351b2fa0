import HTTPService
import KennelModel
import KennelStorage

/// Streams events to listeners.
struct EventEndpoints: Sendable {
  let events: EventHub
  let gate: Gate
  let heartbeatTimer: HeartbeatTimer
  private let encoder = EventEncoder()

  init(events: EventHub, gate: Gate, heartbeatTimer: HeartbeatTimer) {
    self.events = events
    self.gate = gate
    self.heartbeatTimer = heartbeatTimer
  }

  func listen(_ call: Call) async throws -> HTTPResponse {
    let isSource = AcceptedTypes(call.request.fields).prefers("text/event-stream", to: "application/x-ndjson")
    let format: EventFormat = isSource ? .eventSource : .lines
    let after = try lastReceivedID(call)
    let visitor = try await gate.visitors.visitor(of: call)
    // Read before listening begins, so that an event in between is reported twice rather than never.
    let last = events.lastID
    let listener = try events.listen(after: after)
    let encoder = encoder
    let heartbeatTimer = heartbeatTimer
    let heartbeat = EventEncoder.heartbeat(format)
    let body = HTTPResponse.Body.stream(endsWhenStopping: true) { writer in
      try await writer.write(EventEncoder.hello(format, after: after ?? last))
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await heartbeatTimer.beat { try await writer.write(heartbeat) } }
        group.addTask {
          for try await delivery in listener {
            guard try await self.gate.stillAdmits(visitor) else { return }
            switch delivery {
            case .events(let all):
              // Hearts and comments are for people. Another kennel needs to know of new posts only.
              let events = visitor.peer == nil ? all : all.filter { $0.kind == .posted }
              if events.isEmpty { continue }
              let user = try await self.viewer(visitor, of: events)
              try await writer.write(
                encoder.data(events, format, for: user, isSelection: visitor.peer != nil))
            case .missed(let id): try await writer.write(EventEncoder.lost(format, through: id))
            }
          }
        }
        // The first task to end: the store was closed, or the client has disconnected.
        try await group.next()
        group.cancelAll()
      }
    }
    return HTTPResponse(
      fields: [
        "Content-Type": format.contentType, "Cache-Control": "no-store", "Vary": "Accept",
        // Proxies must not buffer the stream.
        "X-Accel-Buffering": "no",
      ], body: body)
  }

  /// Returns the listening user if some of the hearts are the user's. Returns nil if the user was signed out since.
  private func viewer(
    _ visitor: SiteVisitor, of events: [KennelEvent]
  ) async throws(KennelError) -> User.ID? {
    guard let user = visitor.user, events.contains(where: { $0.heart?.user == user.id }) else { return nil }
    return try await gate.isSignedIn(visitor) ? user.id : nil
  }

  /// Returns the last event that the client has received.
  private func lastReceivedID(_ call: Call) throws(Problem) -> Int64? {
    if let text = call.request.fields["Last-Event-ID"] {
      if text == "0" { return 0 }
      // The field is set by the client's library, so an invalid value is ignored.
      if let id = Int64(identifier: text) { return id }
    }
    return try call.queryID("after", orZero: true)
  }
}
