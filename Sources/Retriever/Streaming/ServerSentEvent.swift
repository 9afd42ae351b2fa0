#if !canImport(Darwin)

/// An event of an event stream (`text/event-stream`), as the HTML standard defines it. Not part of Apple's API.
public struct ServerSentEvent: Sendable, Hashable {
  /// The event's type; "message" if the server does not specify it.
  public var event: String
  /// The content. Several `data` lines are joined by line feeds.
  public var data: String
  /// The last id that the server has sent so far, or empty: the value of `Last-Event-ID` when reconnecting.
  public var id: String
  /// The time to wait before reconnecting, if the server has sent one so far.
  public var retry: Duration?

  /// Creates an event.
  public init(event: String = "message", data: String, id: String = "", retry: Duration? = nil) {
    self.event = event
    self.data = data
    self.id = id
    self.retry = retry
  }
}

/// Parses lines into events.
package struct ServerSentEventParser: Sendable {
  private let maximumLength: Int
  private var event = ""
  private var data: String?
  private var id = ""
  private var retry: Duration?
  private var hasSeenLine = false

  package init(maximumLength: Int) {
    self.maximumLength = maximumLength
  }

  /// Adds a line without its terminator, and returns the event that a blank line completes.
  package mutating func consume(_ text: String) throws(StreamingError) -> ServerSentEvent? {
    var line = text[...]
    if !hasSeenLine {
      hasSeenLine = true
      // Scalars instead of characters, because the mark may have combined with the scalar after it.
      if line.unicodeScalars.first == "\u{FEFF}" { line = Substring(line.unicodeScalars.dropFirst()) }
    }
    if line.isEmpty { return dispatch() }
    // Bytes instead of characters, because a combining mark after the colon would hide it.
    let colon = line.utf8.firstIndex(of: UInt8(ascii: ":"))
    let name = line[..<(colon ?? line.endIndex)]
    var value = Substring()
    if let colon {
      value = Substring(line.utf8[colon...].dropFirst())
      if value.utf8.first == UInt8(ascii: " ") { value = Substring(value.utf8.dropFirst()) }
    }
    try setField(name, to: value)
    return nil
  }

  private mutating func setField(_ name: Substring, to value: Substring) throws(StreamingError) {
    switch name {
    case "event":
      event = String(value)
    case "data":
      guard (data?.utf8.count ?? 0) + value.utf8.count <= maximumLength else {
        throw StreamingError(.eventTooLong, limit: maximumLength)
      }
      if data == nil {
        data = String(value)
      } else {
        data?.append("\n")
        data?.append(contentsOf: value)
      }
    case "id":
      if !value.utf8.contains(0) { id = String(value) }
    case "retry":
      let isNumber = !value.isEmpty && value.utf8.allSatisfy { (0x30...0x39).contains($0) }
      if isNumber, let milliseconds = Int64(value) { retry = .milliseconds(milliseconds) }
    default:
      // Comments, whose name is empty, and unknown fields.
      break
    }
  }

  private mutating func dispatch() -> ServerSentEvent? {
    defer {
      event = ""
      data = nil
    }
    guard let data else { return nil }
    return ServerSentEvent(event: event.isEmpty ? "message" : event, data: data, id: id, retry: retry)
  }
}

#endif
