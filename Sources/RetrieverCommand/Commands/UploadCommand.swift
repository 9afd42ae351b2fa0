import Foundation
import HTTPSyntax
import Retriever
import Synchronization
import TerminalProgram

/// `retriever upload`: sends files to a URL.
enum UploadCommand {
  /// The maximum size of a response (default for `--max-size`).
  private static let usualLimit: Int64 = 64 << 20

  static func run(_ context: CommandContext) async throws -> ExitStatus {
    let arguments = context.arguments
    let files = Array(arguments.operands.dropLast())
    let url = try ParsedArguments.webURL(arguments.operands.last ?? "")
    let appendsNames = url.absoluteString.hasSuffix("/")
    if files.count > 1, !appendsNames {
      throw UsageError(
        "To upload several files, use a URL that ends in /, to which their names are appended.")
    }
    if files.contains("-"), appendsNames {
      throw UsageError("Standard input has no name to append to \(url.shown). Give the complete URL.")
    }
    let parallel = try arguments.integer("parallel", in: 1...64, default: 2)
    let destination = try Destination(arguments.value("output"), count: 1, usual: .standardOutput)
    if case .directory = destination { throw UsageError("--output must be one file for all responses.") }
    let fields = try RequestFields.fields(arguments, warn: context.screen.warn)
    let credentials = try await context.gatherCredentials(for: [url])
    let session = try context.makeSession(credentials, usualLimit: usualLimit)
    let answers = try await context.open(destination)
    let status = await context.forEach(files, atOnce: parallel) { file in
      let target =
        appendsNames ? url.appendingPathComponent(URL(fileURLWithPath: file).lastPathComponent) : url
      do {
        let report = try await send(
          file, to: target, fields, session, credentials, context, into: answers)
        try await context.reports.write(report)
        return .success
      } catch {
        return await context.report(error, about: file)
      }
    }
    if destination != .standardOutput { try await answers.close() }
    return status
  }

  private static func send(
    _ file: String, to url: URL, _ fields: [RequestFields.Field], _ session: URLSession,
    _ credentials: Credentials, _ context: CommandContext, into answers: DescriptorWriter
  ) async throws -> TransferReport {
    let start = ContinuousClock.now
    var request = URLRequest(url: url)
    request.httpMethod = context.arguments.value("method") ?? "PUT"
    request.setValue(
      MediaType.type(ofFile: file) ?? "application/octet-stream", forHTTPHeaderField: "Content-Type")
    request.add(fields)
    let progress = context.progress.begin(
      file == "-" ? "standard input" : URL(fileURLWithPath: file).lastPathComponent,
      total: file == "-" ? nil : FileSystem.size(file))
    defer { progress.end() }
    let watcher = UploadWatcher(
      SignIn(credentials, screen: context.screen, isVerbose: context.isVerbose), progress)
    let data: Data
    let answer: URLResponse
    if file == "-" {
      let chunks = try InputFile.open(file).bytes.chunks
      // The server gets the length that the user states, and the input must have it.
      let length = request.value(forHTTPHeaderField: "Content-Length").flatMap { Int64($0) }
      (data, answer) = try await session.upload(
        for: request, from: chunks, length: length.flatMap { $0 < 0 ? nil : $0 }, delegate: watcher)
    } else {
      (data, answer) = try await session.upload(
        for: request, fromFile: URL(fileURLWithPath: file), delegate: watcher)
    }
    guard let response = answer as? HTTPURLResponse else {
      throw Failure(.connection, "The response is not an HTTP response.")
    }
    if !data.isEmpty { try await answers.write(data) }
    guard (200..<300).contains(response.statusCode) else { throw Failure.httpStatus(response) }
    let seconds = (.now - start).inSeconds
    let sent = watcher.sentBytes
    context.screen.say(
      "\(file): \(ByteText.short(sent)) sent to \(url.shown) in \(ByteText.duration(seconds)), "
        + Conversation.status(of: response))
    return TransferReport(
      url: url.shown, finalURL: nil, status: response.statusCode, contentType: response.mimeType, file: file,
      bytes: sent, resumedFrom: nil, seconds: seconds)
  }
}

/// Counts the bytes sent. Authentication challenges are forwarded to ``SignIn``.
final class UploadWatcher: NSObject, URLSessionTaskDelegate {
  private let signIn: SignIn
  private let progress: ProgressDisplay.Handle
  private let sent = Atomic<Int64>(0)

  init(_ signIn: SignIn, _ progress: ProgressDisplay.Handle) {
    self.signIn = signIn
    self.progress = progress
  }

  var sentBytes: Int64 { sent.load(ordering: .relaxed) }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
  ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
    await signIn.urlSession(session, task: task, didReceive: challenge)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    sent.store(totalBytesSent, ordering: .relaxed)
    progress.advance(to: totalBytesSent)
  }
}
