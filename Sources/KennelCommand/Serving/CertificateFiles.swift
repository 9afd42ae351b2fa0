import Foundation
import Glibc
import HTTPService
import TerminalProgram

/// The files of a certificate and its key, as the settings name them.
struct CertificateFiles: Sendable {
  private let certificate: Settings.Value
  private let key: Settings.Value

  /// Far more than a chain of certificates has.
  private static let sizeLimit = 1 << 20
  /// How long a pipe may take to give all it has.
  private static let patience = Duration.seconds(10)

  /// Nil when nobody asked for encryption.
  init?(_ settings: Settings) throws {
    switch (settings.value("tls-certificate"), settings.value("tls-key")) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      self.certificate = certificate
      self.key = key
    case (let one?, nil): throw UsageError("\(one.source) needs \(one.name(of: "tls-key")) too")
    case (nil, let one?): throw UsageError("\(one.source) needs \(one.name(of: "tls-certificate")) too")
    }
  }

  /// What is in them; read once, for a pipe gives it only once.
  func contents() async throws -> HTTPServerConfiguration.TLS {
    HTTPServerConfiguration.TLS(
      certificateChain: try await Self.read(certificate, holding: "CERTIFICATE", called: "certificate"),
      privateKey: try await Self.read(key, holding: "PRIVATE KEY", called: "key"))
  }

  /// - Parameter diagnostics: what the libraries of TLS said; the first of it has the reason.
  func refusal(_ diagnostics: [String]) -> Failure {
    // “GnuTLS failed to setup x509 certificate/key: The certificate and the given key do not match.”
    let reason = diagnostics.first?.split(separator: ": ", maxSplits: 1).last.map(String.init)
    return Failure(
      .failure,
      "the certificate \(certificate.text) and the key \(key.text) cannot be used"
        + (reason.map { ": " + Failure.withoutStop($0.prefix(1).lowercased() + $0.dropFirst()) } ?? ""))
  }

  /// False when time is up. A file is never waited for.
  private static func wait(
    for descriptor: Int32, until end: ContinuousClock.Instant
  ) async throws(Failure) -> Bool {
    while .now < end {
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      if poll(&ready, 1, 0) > 0 { return true }
      do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
    }
    return false
  }

  private static func read(
    _ value: Settings.Value, holding label: String, called name: String
  ) async throws(Failure) -> String {
    let subject = "\(value.source): \(value.text)"
    // A pipe is opened at once, whether somebody writes to it yet or not; `wait` waits for what is written.
    let descriptor = open(value.text, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file("\(subject) cannot be read", errno) }
    defer { close(descriptor) }
    let end = ContinuousClock.now + patience
    var bytes = [UInt8](repeating: 0, count: sizeLimit)
    var count = 0
    while count < bytes.count {
      guard try await wait(for: descriptor, until: end) else {
        throw Failure(
          .fileSystem,
          "\(subject) gives nothing, or has no end: whatever writes it has \(patience.components.seconds) seconds"
        )
      }
      let more = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      if more < 0, errno == EINTR || errno == EAGAIN { continue }
      guard more >= 0 else { throw .file("\(subject) cannot be read", errno) }
      if more == 0 { break }
      count += more
    }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    // An “EC PRIVATE KEY” is one too. Lines may end as Windows writes them, and text may stand before the first.
    let begins = text.split(whereSeparator: \.isNewline).contains {
      $0.hasPrefix("-----BEGIN ") && $0.contains("\(label)-----")
    }
    guard count < bytes.count, begins else {
      throw Failure(.fileSystem, "\(subject) has no \(name) in it (PEM)")
    }
    if text.contains("ENCRYPTED") {
      throw Failure(.fileSystem, "\(subject) is encrypted: take its password away with openssl pkey")
    }
    return text
  }
}
