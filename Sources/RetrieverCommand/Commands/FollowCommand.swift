import Foundation
import Glibc
import Retriever
import TerminalProgram

/// `retriever lines` and `retriever events`: print streams as they arrive, and reconnect when they break.
enum FollowCommand {
  enum Kind: Sendable {
    case lines
    case events
  }

  static func run(_ context: CommandContext, _ kind: Kind) async throws -> ExitStatus {
    let arguments = context.arguments
    let urls = try arguments.webURLs()
    let delay = try arguments.seconds("reconnect-delay")
    let limit = try arguments.byteCount("max-size")
    let destination = try Destination(arguments.value("output"), count: 1, usual: .standardOutput)
    let fields = try RequestFields.fields(arguments, warn: context.screen.warn)
    let body = try await RequestFields.body(arguments)
    if case .directory(let path) = destination {
      throw UsageError("--output must be a file, but \(path) is a directory.")
    }
    let writer = try await context.open(destination)
    // A stream can be silent for hours.
    let session = try context.makeSession(
      try await context.gatherCredentials(for: urls), usualTimeout: nil)
    let status = await context.forEach(urls, atOnce: urls.count) { url in
      var request = context.makeRequest(url, fields: fields, body: body)
      if kind == .events {
        request.setValue("text/event-stream", forHTTPHeaderField: "Accept")
        request.setValue("no-cache", forHTTPHeaderField: "Cache-Control")
      }
      var stream = FollowedStream(
        kind: kind, url: url, request: request, session: session, context: context, writer: writer,
        limit: limit, backoff: Backoff(first: .seconds(delay ?? (kind == .events ? 3 : 1))))
      stream.lastEventID = arguments.value("last-event-id") ?? ""
      do {
        try await stream.follow()
        return .success
      } catch {
        return await context.report(error, about: url.shown)
      }
    }
    if destination != .standardOutput { try await writer.close() }
    return status
  }
}

/// One stream, over any number of connections.
struct FollowedStream {
  let kind: FollowCommand.Kind
  let url: URL
  let request: URLRequest
  let session: URLSession
  let context: CommandContext
  let writer: DescriptorWriter
  let limit: Int64?
  var backoff: Backoff
  var lastEventID = ""
  private var hasBegun = false
  private var count: Int64 = 0

  init(
    kind: FollowCommand.Kind, url: URL, request: URLRequest, session: URLSession, context: CommandContext,
    writer: DescriptorWriter, limit: Int64?, backoff: Backoff
  ) {
    self.kind = kind
    self.url = url
    self.request = request
    self.session = session
    self.context = context
    self.writer = writer
    self.limit = limit
    self.backoff = backoff
  }

  private enum Ending {
    /// The stream has ended permanently.
    case forGood
    /// The server closed a stream that can be continued with a new connection.
    case forNow
  }

  mutating func follow() async throws {
    while true {
      var problem: Failure?
      do {
        if case .forGood = try await connect() { return }
      } catch {
        let failure = Failure(error)
        guard mayPass(failure) else { throw failure }
        problem = failure
      }
      if context.arguments.has("no-reconnect") {
        if let problem { throw problem }
        return
      }
      let pause = backoff.next(jitter: Double.random(in: 0...1))
      let reason = problem?.message ?? "The server closed the stream."
      context.screen.say("\(url.shown): \(reason) Reconnecting in \(ByteText.duration(pause.inSeconds)).")
      try await Task.sleep(for: pause)
    }
  }

  /// Before the first success, every failure is reported immediately, because a mistake in the URL is its likely
  /// cause.
  private func mayPass(_ failure: Failure) -> Bool {
    hasBegun && [.connection, .hostNotFound, .timedOut].contains(failure.status)
  }

  private mutating func connect() async throws -> Ending {
    var request = request
    if kind == .events, !lastEventID.isEmpty {
      request.setValue(lastEventID, forHTTPHeaderField: "Last-Event-ID")
    }
    let (bytes, answer) = try await session.bytes(for: request)
    guard let response = answer as? HTTPURLResponse else {
      throw Failure(.connection, "The response is not an HTTP response.")
    }
    if hasBegun, [429, 500, 502, 503, 504].contains(response.statusCode) {
      throw Failure(.connection, Failure.httpStatus(response).message)
    }
    // A server sends 204 to ask clients not to reconnect.
    if response.statusCode == 204 { return .forGood }
    guard (200..<300).contains(response.statusCode) else { throw Failure.httpStatus(response) }
    switch kind {
    case .lines:
      hasBegun = true
      try await showLines(bytes)
      return .forGood
    case .events:
      guard response.mimeType?.lowercased() == "text/event-stream" else {
        throw Failure(
          .httpStatus, "The response is not an event stream. Its type is \(response.mimeType ?? "unknown").")
      }
      hasBegun = true
      try await showEvents(bytes)
      return .forNow
    }
  }

  private struct LineReport: Encodable {
    var url: String
    var line: String
  }

  private mutating func showLines(_ bytes: URLSession.AsyncBytes) async throws {
    let isJSON = context.reports.isOn
    for try await line in bytes.lines(omittingEmptyLines: false) {
      backoff.reset()
      let report = try isJSON ? ReportWriter.line(LineReport(url: url.shown, line: line)) : line
      try await put(report)
    }
    try Task.checkCancellation()
  }

  private struct EventReport: Encodable {
    var url: String
    var event: String
    var id: String?
    var data: String
  }

  private mutating func showEvents(_ bytes: URLSession.AsyncBytes) async throws {
    let isJSON = context.reports.isOn
    for try await event in bytes.serverSentEvents {
      backoff.reset()
      // The user's delay takes precedence over the server's.
      if let retry = event.retry, !context.arguments.has("reconnect-delay") { backoff.first = retry }
      // A connection that has not sent an ID does not reset the last one.
      if !event.id.isEmpty { lastEventID = event.id }
      if isJSON {
        let report = EventReport(
          url: url.shown, event: event.event, id: event.id.isEmpty ? nil : event.id, data: event.data)
        try await put(ReportWriter.line(report))
      } else {
        let name = event.event == "message" ? "" : event.event + ": "
        try await put(
          name + event.data.split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
        )
      }
    }
    try Task.checkCancellation()
  }

  private mutating func put(_ line: String) async throws {
    count += Int64(line.utf8.count) + 1
    if let limit, count > limit { throw Failure.tooLarge(limit) }
    let isShown = Terminal.isTerminal(STDOUT_FILENO) && writer === context.output
    try await writer.write((isShown ? DisplayText.safeLines(line) : line) + "\n")
  }
}

extension DisplayText {
  /// Like ``safe(_:)``, but keeps the line breaks.
  static func safeLines(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { safe(String($0)) }
      .joined(separator: "\n")
  }
}
