import Foundation
import Glibc
import HTTPService
import KennelStorage
import SystemFiles
import TerminalProgram

/// The certificate file and the key file from the settings.
struct CertificateFiles: Sendable {
  private let certificate: Settings.Value
  private let key: Settings.Value

  /// The maximum size, much larger than any certificate chain.
  private static let maximumSize = 1 << 20
  /// The maximum time for reading a pipe to its end.
  private static let readTimeout = Duration.seconds(10)

  /// Creates the files from the settings; nil if TLS is not configured.
  init?(_ settings: Settings) throws {
    switch (settings.value("tls-certificate"), settings.value("tls-key")) {
    case (nil, nil): return nil
    case (let certificate?, let key?):
      self.certificate = certificate
      self.key = key
    case (let one?, nil): throw one.error("needs \(one.name(of: "tls-key")) too.")
    case (nil, let one?): throw one.error("needs \(one.name(of: "tls-certificate")) too.")
    }
  }

  /// Whether the files can be read again. A pipe can be read only once.
  var canBeReadAgain: Bool {
    [certificate.text, key.text].allSatisfy { [nil, .file].contains(FileCalls.kind(of: $0)) }
  }

  /// The versions of the files, which change when the files are replaced.
  var versions: [FileCalls.FileVersion?] {
    [certificate.text, key.text].map { FileCalls.version(of: $0) }
  }

  /// Reads both files. If one of them is a pipe, call this only once.
  func contents() async throws -> HTTPServerConfiguration.TLS {
    HTTPServerConfiguration.TLS(
      certificateChain: try await Self.read(certificate, holding: "CERTIFICATE", called: "certificate"),
      privateKey: try await Self.read(key, holding: "PRIVATE KEY", called: "key"))
  }

  /// Returns the failure for a certificate and key that the server refuses.
  ///
  /// - Parameter diagnostics: the messages of the TLS library; the first one contains the reason.
  func refusal(_ diagnostics: [String]) -> Failure {
    // “GnuTLS failed to setup x509 certificate/key: The certificate and the given key do not match.”
    let reason = diagnostics.first?.split(separator: ": ", maxSplits: 1).last
    let sentence = "The certificate \(certificate.text) and the key \(key.text) cannot be used."
    return Failure(
      .failure, sentence + (reason.map { $0.hasSuffix(".") ? " \($0)" : " \($0)." } ?? ""))
  }

  /// Waits until the descriptor is readable, which a regular file always is. Returns false when the time is over.
  private static func wait(
    for descriptor: Int32, until end: ContinuousClock.Instant
  ) async throws(Failure) -> Bool {
    while .now < end {
      if DescriptorIO.wait(for: .reading, on: descriptor, milliseconds: 0) == .ready { return true }
      do { try await Task.sleep(for: .milliseconds(20)) } catch { throw .cancelled }
    }
    return false
  }

  private static func read(
    _ value: Settings.Value, holding label: String, called name: String
  ) async throws(Failure) -> String {
    let (place, path) = (value.place, value.text)
    // O_NONBLOCK opens a pipe immediately, even if it has no writer yet; `wait` then waits for data.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .file("\(place): Could not read \(path)", errno) }
    defer { close(descriptor) }
    let end = ContinuousClock.now + readTimeout
    var bytes = [UInt8](repeating: 0, count: maximumSize)
    var count = 0
    while count < bytes.count {
      guard try await wait(for: descriptor, until: end) else {
        throw Failure(
          .fileSystem,
          "\(place): The file \(path) did not end within \(readTimeout.components.seconds) seconds. Check the program that writes it."
        )
      }
      let more = bytes.withUnsafeMutableBytes {
        Glibc.read(descriptor, $0.baseAddress?.advanced(by: count), $0.count - count)
      }
      if more < 0, errno == EINTR || errno == EAGAIN { continue }
      guard more >= 0 else { throw .file("\(place): Could not read \(path)", errno) }
      if more == 0 { break }
      count += more
    }
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    // “EC PRIVATE KEY” is valid too. Lines may end with CR LF, and text may precede the first block.
    let begins = text.split(whereSeparator: \.isNewline).contains {
      $0.hasPrefix("-----BEGIN ") && $0.contains("\(label)-----")
    }
    guard count < bytes.count, begins else {
      throw Failure(.fileSystem, "\(place): The file \(path) contains no \(name) in PEM format.")
    }
    if text.contains("ENCRYPTED") {
      throw Failure(
        .fileSystem, "\(place): The file \(path) is encrypted. Remove its password with openssl pkey.")
    }
    return text
  }
}
