import Foundation
import Retriever
import TerminalProgram

/// `retriever download`: downloads bodies into files, several at a time, with progress. Downloads can be resumed.
enum DownloadCommand {
  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let arguments = context.arguments
    let urls = try arguments.webURLs()
    let limit = try arguments.byteCount("max-size")
    let parallel = try arguments.integer("parallel", in: 1...64, default: 4)
    let destination = try Destination(arguments.value("output"), count: urls.count, usual: .directory("."))
    let fields = try RequestFields.fields(arguments, warn: context.screen.warn)
    let body = try await RequestFields.body(arguments)
    let isPlain = body == nil && !arguments.has("method")
    if arguments.has("resume"), !isPlain || destination == .standardOutput {
      throw UsageError("--resume cannot be used with a request body, --method or standard output.")
    }
    try destination.prepare()
    let session = try context.makeSession(try await context.gatherCredentials(for: urls))
    let atOnce = destination == .standardOutput ? 1 : parallel
    return await context.forEach(urls, atOnce: atOnce) { url in
      var request = context.makeRequest(url, fields: fields, body: body)
      // Asks for the file as it is stored. If the server compressed it, its size and the offsets would not match.
      request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
      do {
        let report =
          destination == .standardOutput
          ? try await stream(request, url, session, context, limit)
          : try await BodyDownload(
            context: context, session: session, request: request, url: url, destination: destination,
            replaces: arguments.has("force"), resumes: arguments.has("resume"), keepsPart: isPlain,
            limit: limit
          ).run()
        try await context.reports.write(report)
        if let file = report.file { context.screen.say(summary(report, file)) }
        return .success
      } catch {
        return await context.report(error, about: url.shown)
      }
    }
  }

  private static func stream(
    _ request: URLRequest, _ url: URL, _ session: URLSession, _ context: CommandContext, _ limit: Int64?
  ) async throws -> TransferReport {
    let output = BodyOutput(
      context: context, session: session, request: request, url: url, limit: limit, showsProgress: true)
    return try await output.run(accept: { response in
      guard (200..<300).contains(response.statusCode) else { throw Failure.httpStatus(response) }
    }).0
  }

  private static func summary(_ report: TransferReport, _ file: String) -> String {
    let fetched = report.bytes - (report.resumedFrom ?? 0)
    let rate = report.seconds > 0 ? ", \(ByteText.rate(Double(fetched) / report.seconds))" : ""
    let resumed = report.resumedFrom.map { ", of which \(ByteText.short($0)) existed already" } ?? ""
    return
      "\(file): \(ByteText.short(report.bytes))\(resumed), in \(ByteText.duration(report.seconds))\(rate)"
  }
}
