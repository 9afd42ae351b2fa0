import Foundation
import Glibc
import Retriever
import Synchronization
import TerminalProgram

/// What all commands share: the arguments, the output and the sessions.
final class CommandContext: Sendable {
  let arguments: ParsedArguments
  let environment: [String: String]
  let screen: Screen
  let progress: ProgressDisplay
  let output: DescriptorWriter
  let reports: ReportWriter
  private let archives = Mutex<[TrafficArchive]>([])
  /// The path given with `--har`. It is checked before anything is fetched.
  private let archivePath: String?

  init(_ arguments: ParsedArguments, environment: [String: String], bodyTakesOutput: Bool) {
    self.arguments = arguments
    self.environment = environment
    screen = Screen(STDERR_FILENO, isQuiet: arguments.has("quiet"), environment: environment)
    progress = ProgressDisplay(screen)
    output = DescriptorWriter(STDOUT_FILENO, name: "standard output", closes: false)
    reports = ReportWriter(
      isOn: arguments.has("json"), bodyTakesOutput: bodyTakesOutput, output: output, screen: screen)
    archivePath = arguments.value("har")
  }

  var isVerbose: Bool { arguments.has("verbose") }

  // MARK: Sessions

  /// Creates a session with the connection options of the command line.
  ///
  /// - Parameter usualLimit: The maximum size of a body in memory without `--max-size`; nil for that of the library.
  func makeSession(
    _ credentials: Credentials, usualTimeout: TimeInterval? = 60, usualLimit: Int64? = nil
  ) throws -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    // Delegates answer with passwords only.
    configuration.asksDelegatesAboutServers = false
    try configure(configuration, usualTimeout: usualTimeout, usualLimit: usualLimit)
    let session = URLSession(
      configuration: configuration,
      delegate: SignIn(credentials, screen: screen, isVerbose: isVerbose))
    record(session.archive)
    return session
  }

  func configure(
    _ configuration: URLSessionConfiguration, usualTimeout: TimeInterval?, usualLimit: Int64? = nil
  ) throws {
    // A timeout of more than a billion seconds means no timeout.
    configuration.timeoutIntervalForRequest = try arguments.seconds("timeout") ?? usualTimeout ?? 2e9
    configuration.timeoutIntervalForResource = 2e9
    configuration.httpMaximumConnectionsPerHost = 64
    if let limit = try arguments.byteCount("max-size") ?? usualLimit {
      configuration.maximumBufferedBodySize = limit
    }
    if arguments.has("insecure") {
      configuration.trustedCertificates = .unverified
      screen.warn(
        "Warning: With --insecure, certificates are not verified. Others may read and change the data.")
    } else if let path = arguments.value("ca-file") {
      configuration.trustedCertificates = .file(URL(fileURLWithPath: path))
    }
  }

  /// Records the traffic of a session if `--har` was given.
  func record(_ archive: TrafficArchive) {
    guard archivePath != nil else { return }
    archive.isRecording = true
    archives.withLock { $0.append(archive) }
  }

  /// Writes the output that is due at the end, after success, failure and cancellation alike.
  ///
  /// - Parameter isCancelled: Whether the command was cancelled. It then does not wait until a process opens a pipe.
  func close(isCancelled: Bool) async throws(Failure) {
    await progress.stop()
    guard let archivePath else { return }
    do {
      guard let archive = try CombinedArchive.har(archives.withLock { $0 }) else { return }
      let place = try OutputPlace(archivePath)
      if let writer = try await DescriptorWriter.stream(
        archivePath, at: place, waitsForReader: !isCancelled)
      {
        try await writer.write(archive)
        try await writer.close()
      } else if case .file(let path) = place {
        try FileSystem.writePrivately(archive, to: path)
      }
    } catch {
      throw Failure(error)
    }
  }

  // MARK: Output

  /// Opens the output of a command that writes as data arrives, or that writes several results to one place.
  func open(_ destination: Destination) async throws(Failure) -> DescriptorWriter {
    guard case .file(let path) = destination else { return output }
    if let writer = try await DescriptorWriter.stream(path, at: try OutputPlace(path)) { return writer }
    if FileSystem.kind(path) == .regular, !arguments.has("force") { throw FileSystem.exists(path) }
    let descriptor = Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .file("Could not create \(path)", errno) }
    return DescriptorWriter(descriptor, name: path, closes: true)
  }

  // MARK: Requests

  func gatherCredentials(for urls: [URL]) async throws(Failure) -> Credentials {
    try await Credentials.gather(arguments, origins: urls, environment: environment, screen: screen)
  }

  /// Creates a request with the header fields, method and body of the command line.
  func makeRequest(_ url: URL, fields: [RequestFields.Field], body: Data?) -> URLRequest {
    var request = URLRequest(url: url)
    if let method = arguments.value("method") {
      request.httpMethod = method
    } else if body != nil {
      request.httpMethod = "POST"
    }
    request.httpBody = body
    if arguments.has("data-file") {
      request.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
    }
    request.add(fields)
    return request
  }

  // MARK: Reporting

  /// Reports the failure of one URL or file, and returns its status.
  func report(_ error: any Error, about subject: String) async -> ExitStatus {
    let failure = Failure(error)
    // After cancelling, or when the output is closed, nobody needs an error message.
    guard failure.status != .interrupted, failure.status != .outputClosed else { return failure.status }
    screen.warn("retriever: \(subject): \(failure.message)")
    do throws(Failure) {
      try await reports.write(FailureReport(subject, failure))
    } catch {
      // The status already says that something has failed. A closed output ends the command.
      if error.status == .outputClosed { return .outputClosed }
    }
    return failure.status
  }

  /// Processes several items, at most `limit` at the same time. The statuses are combined in the order of the items.
  func forEach<Item: Sendable>(
    _ items: [Item], atOnce limit: Int, _ work: @escaping @Sendable (Item) async -> ExitStatus
  ) async -> ExitStatus {
    let statuses = await withTaskGroup(of: (Int, ExitStatus).self) { group in
      var statuses = [ExitStatus](repeating: .interrupted, count: items.count)
      var next = 0
      func startNext() {
        guard next < items.count, !Task.isCancelled else { return }
        let (index, item) = (next, items[next])
        next += 1
        group.addTask { (index, await work(item)) }
      }
      for _ in 0..<max(1, limit) { startNext() }
      for await (index, status) in group {
        statuses[index] = status
        // If the output is closed, the remaining items are not needed either.
        if status != .outputClosed { startNext() }
      }
      return statuses
    }
    return .combined(statuses)
  }
}

extension URL {
  /// The URL as it may be displayed: the path of a file, or a URL without secrets.
  var shown: String { isFileURL ? path : Redaction.text(of: self) }
}
