import Foundation
import Glibc
import Retriever
import TerminalProgram

/// `retriever get`: writes bodies to standard output in order, or to files.
enum GetCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let arguments = context.arguments
    let urls = try arguments.webURLs()
    let limit = try arguments.byteCount("max-size")
    let parallel = try arguments.integer("parallel", in: 1...64, default: 1)
    let destination = try Destination(arguments.value("output"), count: urls.count, usual: .standardOutput)
    let fields = try RequestFields.fields(arguments, warn: context.screen.warn)
    let body = try await RequestFields.body(arguments)
    try destination.prepare()
    let session = try context.makeSession(try await context.gatherCredentials(for: urls))
    // Bodies for standard output are fetched one after the other, in the order of the URLs.
    let atOnce = destination == .standardOutput ? 1 : parallel
    return await context.forEach(urls, atOnce: atOnce) { url in
      let request = context.makeRequest(url, fields: fields, body: body)
      do {
        let report =
          destination == .standardOutput
          ? try await show(request, url, session, context, limit)
          : try await BodyDownload(
            context: context, session: session, request: request, url: url, destination: destination,
            replaces: arguments.has("force"), resumes: false, keepsPart: false, limit: limit
          ).run()
        try await context.reports.write(report)
        return .success
      } catch {
        return await context.report(error, about: url.shown)
      }
    }
  }

  private static func show(
    _ request: URLRequest, _ url: URL, _ session: URLSession, _ context: CommandContext, _ limit: Int64?
  ) async throws -> TransferReport {
    let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
    // Progress is shown only if standard output is a file. On a terminal or in a pager it would disturb the body.
    let output = BodyOutput(
      context: context, session: session, request: request, url: url, limit: limit,
      showsProgress: FileSystem.isFile(STDOUT_FILENO))
    let (shown, response) = try await output.run(check: { piece in
      guard isTerminal, piece.prefix(1024).contains(0) else { return }
      throw Failure(
        .usage, "The body is not text. Use --output FILE to write it to a file instead of the terminal.")
    })
    // The body is written even so, because it often contains the reason.
    if response.statusCode >= 400 { throw Failure.httpStatus(response) }
    var report = shown
    report.finalURL = response.url.flatMap { $0 == url ? nil : $0.shown }
    return report
  }
}
