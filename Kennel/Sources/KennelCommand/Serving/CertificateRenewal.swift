import HTTPService
import KennelStorage
import Synchronization
import TerminalProgram

/// Reads the certificate and the key again after they were renewed: at SIGHUP, and when the files have changed.
///
/// A program that renews a certificate replaces two files one after the other. So changed files are read when they have been the
/// same for a minute.
struct CertificateRenewal: Sendable {
  /// How often the files are looked at.
  private static let interval = Duration.seconds(60)

  let files: CertificateFiles?
  let server: HTTPServer
  let log: AccessLog

  /// Serves while the files are watched.
  func watching<Value>(_ body: () async throws -> Value) async rethrows -> Value {
    // Several signals in a short time need one reading.
    let (requests, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let reading = Task { for await _ in requests { await read(isRequested: true) } }
    let watching = Task { await watch() }
    defer {
      continuation.finish()
      reading.cancel()
      watching.cancel()
    }
    return try await Interruption.handlingHangUp(with: { continuation.yield() }, body)
  }

  private func watch() async {
    guard let files, files.canBeReadAgain else { return }
    var change = FileChange(files.versions)
    while (try? await Task.sleep(for: Self.interval)) != nil {
      if change.isSettled(files.versions) { await read(isRequested: false) }
    }
  }

  private func read(isRequested: Bool) async {
    guard let files else {
      return log.note(problem: "There is no certificate to read again.")
    }
    guard files.canBeReadAgain else {
      return log.note(
        problem: "The certificate or the key is a pipe, which cannot be read again. Restart the server.")
    }
    do {
      try await server.replaceCertificate(try await files.contents())
      log.note(problem: "The certificate was read again. New connections use it.")
    } catch {
      if Task.isCancelled { return }
      let failure = (error as? HTTPServerError).map { files.refusal([$0.description]) } ?? Failure(error)
      log.note(problem: "\(failure.message) The earlier certificate stays in use.")
    }
  }
}

/// Finds out when files have changed and are not being changed any more. A pure value.
struct FileChange<Version: Equatable> {
  private var used: Version
  private var latest: Version

  init(_ version: Version) { (used, latest) = (version, version) }

  /// Returns whether the files differ from those that were used, and are as they were at the last call. Then they count as used.
  mutating func isSettled(_ version: Version) -> Bool {
    defer { latest = version }
    guard version != used, version == latest else { return false }
    used = version
    return true
  }
}
