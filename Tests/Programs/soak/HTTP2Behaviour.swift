import Foundation
import TestSupport

/// The server side of HTTP/2 on one connection. It handles each request as planned for its load.
struct HTTP2Behaviour {
  /// A request while it is received and answered.
  private struct Stream {
    var target: String?
    var hasEnded = false
    var body: [UInt8] = []
    var window: Int
    var unsent: [UInt8] = []
    /// What happens after the last byte of the body.
    var ending = Ending.endStream
  }

  private enum Ending {
    case endStream, reset(UInt32), cut, badFrame, nothing
  }

  private struct Broken: Error {}

  private static let maximumFrame = 16_384

  let seed: UInt64
  let runLog: RunLog
  let connection: HTTP2Connection

  private var streams: [UInt32: Stream] = [:]
  private var window = 65_535
  private var initialWindow = 65_535
  private var lastStream: UInt32 = 0
  private var isGoingAway = false

  init(seed: UInt64, runLog: RunLog, connection: HTTP2Connection) {
    (self.seed, self.runLog, self.connection) = (seed, runLog, connection)
  }

  mutating func serve() throws {
    try connection.handshake()
    do {
      while let frame = try connection.nextFrame() {
        try take(frame)
        try sendWhatFits()
        // All requests that started before GOAWAY have been answered.
        if isGoingAway, streams.isEmpty { return }
      }
    } catch is Broken {}
  }

  private mutating func take(_ frame: HTTP2Frame) throws {
    switch frame.kind {
    case .settings where frame.flags & HTTP2Frame.acknowledgement == 0: takeSettings(frame)
    case .windowUpdate:
      let count = frame.windowIncrement
      if frame.stream == 0 { window += count } else { streams[frame.stream]?.window += count }
    case .headers:
      guard !isGoingAway else { return }
      lastStream = max(lastStream, frame.stream)
      streams[frame.stream] = Stream(target: FieldSection.path(of: frame), window: initialWindow)
    case .data:
      streams[frame.stream]?.body += frame.payload
      if !frame.payload.isEmpty {
        try connection.openWindow(stream: 0, by: UInt32(frame.payload.count))
        if frame.flags & HTTP2Frame.endStream == 0 {
          try connection.openWindow(stream: frame.stream, by: UInt32(frame.payload.count))
        }
      }
    case .resetStream: streams[frame.stream] = nil
    default: break
    }
    let endsStream = frame.kind == .headers || frame.kind == .data
    if endsStream, frame.flags & HTTP2Frame.endStream != 0, streams[frame.stream]?.hasEnded == false {
      streams[frame.stream]?.hasEnded = true
      try answer(frame.stream)
    }
  }

  private mutating func takeSettings(_ frame: HTTP2Frame) {
    guard let size = frame.initialWindow else { return }
    for stream in streams.keys { streams[stream]?.window += size - initialWindow }
    initialWindow = size
  }

  private mutating func answer(_ stream: UInt32) throws {
    guard let target = streams[stream]?.target, let (number, hop) = LoadPlan.parse(target) else {
      runLog.violation("request line", "an HTTP/2 server received \(streams[stream]?.target ?? "no path")")
      return try end(stream, reset: 1)
    }
    let plan = LoadPlan(seed: seed, number: number)
    let kind = plan.behaviour.kind
    let isLast = hop == plan.redirects.count
    if isLast, kind == .refusedOnce, runLog.refuse(number) { return try end(stream, reset: 7) }
    // Only the newest stream: later streams would be refused too, and may already have a response.
    if isLast, kind == .goAway, stream == lastStream, runLog.refuse(number) {
      streams[stream] = nil
      try connection.goAway(lastStream: stream > 1 ? stream - 2 : 0, code: 0)
      isGoingAway = true
      return
    }
    let count = runLog.received(number, hop: hop)
    if plan.method(hop: hop) == "POST", count > 1 {
      runLog.violation("sent twice", "an HTTP/2 server received \(plan), hop \(hop), \(count) times")
    } else if count > 3 {
      runLog.violation("sent too often", "an HTTP/2 server received \(plan), hop \(hop), \(count) times")
    }
    let body = streams[stream]?.body ?? []
    let expected = Content.bytes(plan.number, plan.bodySize(hop: hop))
    if !expected.elementsEqual(body) {
      runLog.violation(
        "request body",
        "an HTTP/2 server received \(body.count) bytes, not \(expected.count), for hop \(hop) of \(plan)")
    }
    guard isLast else {
      let location = LoadPlan.path(number, hop: hop + 1)
      try connection.sendHead(
        stream: stream, status: plan.redirects[hop].status, fields: [("location", location)], isLast: true)
      streams[stream] = nil
      return
    }
    try reply(plan, on: stream)
  }

  private mutating func reply(_ plan: LoadPlan, on stream: UInt32) throws {
    let behaviour = plan.behaviour
    let isHead = plan.method(hop: plan.redirects.count) == "HEAD"
    var body = Content.bytes(plan.number, behaviour.size)
    var fields = [("content-length", "\(behaviour.size)")]
    switch behaviour.kind {
    case .stall: return
    case .resetStream: return try end(stream, reset: 2)
    case .cutConnection where isHead, .badFrame where isHead: throw Broken()
    case .gzip: body = CompressedFixture.gzip(body)
    case .badGzip: body = CompressedFixture.corruptGzip
    case .chunked, .untilClose, .cutConnection, .badFrame: fields = []
    case .noContent: fields = []
    case .interim: try connection.sendHead(stream: stream, status: 103, fields: [("link", "</a>")])
    default: break
    }
    if behaviour.kind == .gzip || behaviour.kind == .badGzip {
      fields = [("content-encoding", "gzip"), ("content-length", "\(body.count)")]
    }
    if isHead || body.isEmpty {
      try connection.sendHead(stream: stream, status: behaviour.status, fields: fields, isLast: true)
      streams[stream] = nil
      return
    }
    try connection.sendHead(stream: stream, status: behaviour.status, fields: fields)
    let half = body.prefix(body.count / 2)
    var ending = Ending.endStream
    switch behaviour.kind {
    case .resetStreamInBody: (body, ending) = (half, .reset(2))
    case .cutConnection: (body, ending) = (half, .cut)
    case .badFrame: (body, ending) = (half, .badFrame)
    case .stallInBody: (body, ending) = (half, .nothing)
    default: break
    }
    streams[stream]?.unsent = Array(body)
    streams[stream]?.ending = ending
  }

  private mutating func end(_ stream: UInt32, reset code: UInt32) throws {
    streams[stream] = nil
    try connection.reset(stream: stream, code: code)
  }

  /// Sends bodies as far as the client's windows allow, one frame of each stream in turn.
  private mutating func sendWhatFits() throws {
    var hasSent = true
    while hasSent {
      hasSent = false
      for (number, stream) in streams where !stream.unsent.isEmpty {
        let room = min(stream.window, window, Self.maximumFrame)
        guard room > 0 else { continue }
        let piece = stream.unsent.prefix(room)
        let isAll = piece.count == stream.unsent.count
        var endsHere = false
        if isAll, case .endStream = stream.ending { endsHere = true }
        try connection.sendData(stream: number, piece, isLast: endsHere)
        window -= piece.count
        streams[number]?.window -= piece.count
        streams[number]?.unsent.removeFirst(piece.count)
        hasSent = true
        if isAll { try finish(number, stream.ending) }
      }
    }
  }

  private mutating func finish(_ number: UInt32, _ ending: Ending) throws {
    switch ending {
    case .endStream: streams[number] = nil
    case .reset(let code): try end(number, reset: code)
    case .cut: throw Broken()
    case .badFrame:
      // DATA must belong to a stream (RFC 9113, 6.1).
      try connection.sendData(stream: 0, "soak".utf8)
      try connection.raw.readUntilClosed()
      throw Broken()
    case .nothing: break
    }
  }
}
