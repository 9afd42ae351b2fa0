import Foundation
import Glibc
import Retriever
import TerminalProgram

/// `retriever get`: bodies to standard output, one behind the other, or to files.
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
    // What goes to standard output goes there in the order of the URLs.
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
        await context.reports.write(report)
        return .success
      } catch {
        return await context.tell(error, about: url.shown)
      }
    }
  }

  private static func show(
    _ request: URLRequest, _ url: URL, _ session: URLSession, _ context: CommandContext, _ limit: Int64?
  ) async throws -> TransferReport {
    let isTerminal = Terminal.isTerminal(STDOUT_FILENO)
    // No bar where the body itself is seen, at a terminal or in a pager: only beside a file.
    let output = BodyOutput(
      context: context, session: session, request: request, url: url, limit: limit,
      showsProgress: FileSystem.isFile(STDOUT_FILENO))
    let (shown, response) = try await output.run(check: { piece in
      guard isTerminal, piece.prefix(1024).contains(0) else { return }
      throw Failure(.usage, "that is not text; --output FILE keeps it away from the terminal")
    })
    // The body is shown, since it often says why.
    if response.statusCode >= 400 { throw Failure.httpStatus(response) }
    var report = shown
    report.finalURL = response.url.flatMap { $0 == url ? nil : $0.shown }
    return report
  }
}
