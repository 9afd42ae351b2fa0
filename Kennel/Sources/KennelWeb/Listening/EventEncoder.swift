import Foundation
import KennelModel
import Synchronization

/// The format of an event stream.
enum EventFormat: Int, Sendable, CaseIterable {
  /// One JSON object per line.
  case lines
  /// Server-sent events, for `EventSource` in browsers.
  case eventSource

  var contentType: String {
    self == .lines ? "application/x-ndjson" : "text/event-stream"
  }
}

/// Encodes events. Each group of events is encoded once, and thousands of listeners share the bytes.
final class EventEncoder: Sendable {
  private struct Key: Sendable, Hashable {
    var first: Int64
    var last: Int64
    var format: EventFormat
  }

  /// The latest encoded groups. Nearly all listeners need the same one.
  private let latest = Mutex<[(key: Key, data: Data)]>([])
  private static let limit = 8

  /// Returns the bytes of consecutive events.
  ///
  /// - Parameter user: the user whose own hearts are marked, for this user only; nil if none of the hearts are the
  ///   user's.
  /// - Parameter isSelection: whether events between them were left out.
  func data(
    _ events: [KennelEvent], _ format: EventFormat, for user: User.ID? = nil, isSelection: Bool = false
  ) -> Data {
    if user != nil || isSelection {
      return events.reduce(into: Data()) { $0.append(Self.data($1, format, for: user)) }
    }
    guard let first = events.first?.id, let last = events.last?.id else { return Data() }
    let key = Key(first: first, last: last, format: format)
    if let data = latest.withLock({ pieces in pieces.last { $0.key == key }?.data }) { return data }
    var data = Data()
    for event in events { data.append(Self.data(event, format)) }
    latest.withLock { pieces in
      if pieces.count == Self.limit { pieces.removeFirst() }
      pieces.append((key, data))
    }
    return data
  }

  static func data(_ event: KennelEvent, _ format: EventFormat, for user: User.ID? = nil) -> Data {
    let kind = event.kind.name
    return data(format, id: event.id, kind: kind) { json in
      json.member("id", event.id)
      json.member("kind", kind)
      if case .albumChanged(let album) = event.kind {
        json.member("album", album)
      } else {
        json.member("post", event.post)
      }
      switch event.kind {
      case .favourites(let count):
        json.member("count", count)
        if let heart = event.heart, heart.user == user { json.member("isFavourite", heart.isGiven) }
      case .commented(let comment, let count), .commentDeleted(let comment, let count):
        json.member("comment", comment)
        json.member("count", count)
      case .posted, .edited, .dated, .deleted, .photoChanged, .albumChanged: break
      }
      json.member("date", event.date.iso8601)
    }
  }

  /// Returns the first message to a listener. Events after this id follow.
  static func hello(_ format: EventFormat, after id: Int64) -> Data {
    // The time in milliseconds before a browser reconnects.
    let retry = format == .eventSource ? "retry: 3000\n" : ""
    return Data(retry.utf8) + notice(format, id: id, "hello")
  }

  /// Returns the message that events were lost. The listener has to load everything again.
  static func lost(_ format: EventFormat, through id: Int64) -> Data { notice(format, id: id, "lost") }

  /// Returns the message that keeps the connection open.
  static func heartbeat(_ format: EventFormat) -> Data { notice(format, id: nil, "heartbeat") }

  private static func notice(_ format: EventFormat, id: Int64?, _ kind: String) -> Data {
    data(format, id: id, kind: kind) { json in
      if let id { json.member("id", id) }
      json.member("kind", kind)
    }
  }

  private static func data(
    _ format: EventFormat, id: Int64?, kind: String, _ members: (inout JSONText) -> Void
  ) -> Data {
    var json = JSONText()
    json.object(members)
    switch format {
    case .lines: return json.data + Data("\n".utf8)
    case .eventSource:
      let head = (id.map { "id: \($0)\n" } ?? "") + "event: \(kind)\ndata: "
      return Data(head.utf8) + json.data + Data("\n\n".utf8)
    }
  }
}

extension KennelEvent.Kind {
  /// The name of the kind in event messages.
  fileprivate var name: String {
    switch self {
    case .posted: "post"
    case .favourites: "favourites"
    case .commented: "comment"
    case .commentDeleted: "comment-removed"
    case .edited: "post-changed"
    case .dated: "dates"
    case .deleted: "post-removed"
    case .photoChanged: "photo-changed"
    case .albumChanged: "album-changed"
    }
  }
}
