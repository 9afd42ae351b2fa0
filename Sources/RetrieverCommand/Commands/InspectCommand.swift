import Foundation
import Retriever
import Synchronization
import TerminalProgram

/// `retriever inspect`: shows how long each phase of a request takes, hop by hop.
enum InspectCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let arguments = context.arguments
    let urls = try arguments.webURLs()
    let limit = try arguments.byteCount("max-size")
    let fields = try RequestFields.fields(arguments, warn: context.screen.warn)
    let body = try await RequestFields.body(arguments)
    let credentials = try await context.gatherCredentials(for: urls)
    return await context.forEach(urls, atOnce: 1) { url in
      do {
        // Each URL gets its own session. Connections left open by another one would distort the measurement.
        let session = try context.makeSession(credentials)
        let stopwatch = Stopwatch(SignIn(credentials, screen: context.screen, isVerbose: false))
        var problem: (any Error)?
        do {
          let request = context.makeRequest(url, fields: fields, body: body)
          let (bytes, _) = try await session.bytes(for: request, delegate: stopwatch)
          var count: Int64 = 0
          for try await piece in bytes.chunks {
            count += Int64(piece.count)
            if let limit, count > limit { throw Failure.tooLarge(limit) }
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
        if let problem { throw problem }
        return .success
      } catch {
        return await context.report(error, about: url.shown)
      }
    }
  }

  private static func show(_ hops: [Hop], _ context: CommandContext) async throws {
    if context.reports.isOn {
      for hop in hops { await context.reports.write(hop) }
      return
    }
    let isTerminal = Terminal.isTerminal(1)
    let width = isTerminal ? Terminal.size(1).width : 80
    let lines = HopChart.lines(hops, width: width, usesUnicode: context.screen.usesUnicode)
    try await context.output.write(lines.map { DisplayText.safe($0) + "\n" }.joined())
  }
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
