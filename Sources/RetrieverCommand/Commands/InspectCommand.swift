import Foundation
import Retriever
import RetrieverImages
import TerminalProgram

/// `retriever inspect`: shows the metadata of images, and how long each phase of a request takes, hop by hop.
enum InspectCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let arguments = context.arguments
    var subjects: [URL] = []
    for operand in arguments.operands { subjects.append(try subject(operand)) }
    let limit = try arguments.byteCount("max-size")
    let fields = try RequestFields.fields(arguments, warn: context.screen.warn)
    let body = try await RequestFields.body(arguments)
    let credentials = try await context.gatherCredentials(for: subjects.filter { !$0.isFileURL })
    return await context.forEach(subjects, atOnce: 1) { url in
      do {
        if url.isFileURL {
          try await show(PictureReport(url.relativePath, try await ImageMetadata(contentsOf: url)), context)
        } else {
          // Each URL gets its own session. Connections left open by another one would distort the measurement.
          let session = try context.makeSession(credentials)
          let stopwatch = Stopwatch(SignIn(credentials, screen: context.screen, isVerbose: false))
          let request = context.makeRequest(url, fields: fields, body: body)
          try await inspect(request, session, stopwatch, limit: limit, context)
        }
        return .success
      } catch {
        return await context.report(error, about: url.isFileURL ? url.relativePath : url.shown)
      }
    }
  }

  /// Returns a file or a URL. The name of an existing file is a file, as is a text that cannot be a URL.
  private static func subject(_ text: String) throws(UsageError) -> URL {
    if text.hasPrefix("file:"), let url = URL(string: text), url.isFileURL { return url }
    let isPath = text.hasPrefix("/") || text.hasPrefix(".") || FileSystem.kind(text) != nil
    return isPath && !text.contains("://") ? URL(fileURLWithPath: text) : try ParsedArguments.webURL(text)
  }

  private static func inspect(
    _ request: URLRequest, _ session: URLSession, _ stopwatch: Stopwatch, limit: Int64?,
    _ context: CommandContext
  ) async throws {
    var problem: (any Error)?
    var picture = ReceivedPicture()
    do {
      let (bytes, _) = try await session.bytes(for: request, delegate: stopwatch)
      var count: Int64 = 0
      for try await piece in bytes.chunks {
        count += Int64(piece.count)
        if let limit, count > limit { throw Failure.tooLarge(limit) }
        picture.take(piece)
      }
      try Task.checkCancellation()
    } catch {
      problem = error
    }
    if Failure(problem ?? Failure.cancelled).status == .interrupted, problem != nil {
      throw Failure.cancelled
    }
    let hops = (await stopwatch.metrics()?.transactionMetrics ?? []).map(Hop.init)
    try await show(hops, context)
    if let metadata = picture.metadata() {
      try await show(PictureReport(request.url?.shown ?? "", metadata), context)
    }
    if let problem { throw problem }
  }

  private static func show(_ hops: [Hop], _ context: CommandContext) async throws {
    if context.reports.isOn {
      for hop in hops { try await context.reports.write(hop) }
      return
    }
    let isTerminal = Terminal.isTerminal(1)
    let width = isTerminal ? Terminal.size(1).width : 80
    try await write(HopChart.lines(hops, width: width, usesUnicode: context.screen.usesUnicode), context)
  }

  private static func show(_ picture: PictureReport, _ context: CommandContext) async throws {
    if context.reports.isOn { return try await context.reports.write(picture) }
    try await write(picture.lines(usesUnicode: context.screen.usesUnicode), context)
  }

  private static func write(_ lines: [String], _ context: CommandContext) async throws {
    try await context.output.write(lines.map { DisplayText.safe($0) + "\n" }.joined())
  }
}

/// The beginning of a body that may be an image.
struct ReceivedPicture: Sendable {
  /// The number of bytes after which it is certain whether a body is an image.
  private static let signatureLength = 64
  /// The maximum number of bytes that are kept. Metadata after these is not shown.
  private static let maximumBytes = 64 << 20

  private var data = Data()
  private var isPicture = true

  mutating func take(_ piece: Data) {
    guard isPicture else { return }
    let wasKnown = data.count >= Self.signatureLength
    data.append(piece.prefix(Self.maximumBytes - data.count))
    guard !wasKnown, data.count >= Self.signatureLength else { return }
    do {
      _ = try ImageMetadata(data: data.prefix(Self.signatureLength))
    } catch  where error.code == .unknownFormat {
      isPicture = false
      data = Data()
    } catch {}
  }

  /// Returns the metadata; nil if the body is not an image.
  func metadata() -> ImageMetadata? { isPicture ? try? ImageMetadata(data: data) : nil }
}

/// Collects the metrics of one task.
final class Stopwatch: NSObject, URLSessionTaskDelegate {
  private let signIn: SignIn
  private let stream: AsyncStream<URLSessionTaskMetrics>
  private let continuation: AsyncStream<URLSessionTaskMetrics>.Continuation

  init(_ signIn: SignIn) {
    self.signIn = signIn
    (stream, continuation) = AsyncStream.makeStream()
  }

  /// Returns the metrics when the task has ended.
  func metrics() async -> URLSessionTaskMetrics? {
    for await metrics in stream { return metrics }
    return nil
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await signIn.urlSession(session, task: task, didReceive: challenge)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
  ) {
    continuation.yield(metrics)
    continuation.finish()
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    // A task that never started has no metrics.
    continuation.finish()
  }
}
