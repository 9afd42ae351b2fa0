import Foundation
import Glibc
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct CertificateTests {
  private let kennel: Kennel
  private let certificate: String
  private let key: String

  init() throws {
    kennel = try Kennel()
    let authority = try TestAuthority.shared()
    certificate = authority.certificateFile(.valid).path
    key = authority.keyFile(.valid).path
  }

  /// Returns the error for unusable files, which must be one line. Nothing must be created.
  private func problem(_ certificate: String, _ key: String) async throws -> String {
    let result = try await kennel.run(
      "serve", "--port", "0", "--tls-certificate", certificate, "--tls-key", key)
    #expect(result.status == 1 || result.status == 8)
    #expect(result.errors.split(separator: "\n").count == 1, "\(result.errors)")
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
    return result.errors
  }

  @Test func `a key that does not match the certificate gives a one-line error`() async throws {
    let other = try TestAuthority.shared().keyFile(.expired).path
    #expect(
      try await problem(certificate, other)
        == "kennel: The certificate \(certificate) and the key \(other) cannot be used. The certificate and the given key do not match.\n"
    )
  }

  @Test func `files without a certificate or a key give clear errors`() async throws {
    let text = try kennel.directory.write(Data("dogs".utf8), to: "text").path
    #expect(
      try await problem(text, key)
        == "kennel: --tls-certificate: The file \(text) contains no certificate in PEM format.\n")
    #expect(
      try await problem(certificate, certificate)
        == "kennel: --tls-key: The file \(certificate) contains no key in PEM format.\n")
    let encrypted = try kennel.directory.write(
      Data("-----BEGIN ENCRYPTED PRIVATE KEY-----\n".utf8), to: "encrypted"
    ).path
    #expect(try await problem(certificate, encrypted).contains("encrypted is encrypted. Remove its password"))
  }

  @Test func `an unreadable certificate file gives an error with the reason`() async throws {
    #expect(
      try await problem("/nothing", key)
        == "kennel: --tls-certificate: Could not read /nothing: No such file or directory. Check the path.\n")
    #expect(
      try await problem(certificate, "/tmp") == "kennel: --tls-key: Could not read /tmp: Is a directory.\n")
  }

  @Test func `certificate files can have CR LF line endings and text before the first block`() async throws {
    func rewritten(_ path: String, _ name: String) throws -> String {
      let text = try String(contentsOfFile: path, encoding: .utf8)
      let lines = ("Bag Attributes: dogs\n" + text).replacingOccurrences(of: "\n", with: "\r\n")
      return try kennel.directory.write(Data(lines.utf8), to: name).path
    }
    let server = try await kennel.start(
      "serve", "--port", "0", "--tls-certificate", rewritten(certificate, "chain.pem"), "--tls-key",
      rewritten(key, "key.pem"))
    #expect(server.address.hasPrefix("https://"))
    #expect(try await server.end() == 0)
  }

  @Test func `certificate files can be pipes`() async throws {
    let pipe = kennel.directory.path("key")
    #expect(mkfifo(pipe, 0o600) == 0)
    // The writer starts late and writes in two steps.
    let writer = try ChildProcess(
      ["/bin/sh", "-c", "exec 3>'\(pipe)'; head -c 100 '\(key)' >&3; sleep 0.2; tail -c +101 '\(key)' >&3"])
    defer { writer.stop() }
    let server = try await kennel.startInShell(
      "serve --port 0 --tls-certificate <(sleep 0.2; cat '\(certificate)') --tls-key '\(pipe)'")
    #expect(server.address.hasPrefix("https://"))
    #expect(try await server.end() == 0)
  }

  @Test func `reading a certificate from a pipe without a writer times out`() async throws {
    let pipe = kennel.directory.path("pipe")
    #expect(mkfifo(pipe, 0o600) == 0)
    #expect(try await problem(pipe, key).contains("\(pipe) did not end within"))
    #expect(try await problem("/dev/zero", key).contains("/dev/zero contains no certificate"))
  }

  @Test func `a valid certificate and key enable TLS`() async throws {
    let server = try await kennel.start(
      "serve", "--port", "0", "--tls-certificate", certificate, "--tls-key", key)
    #expect(server.address.hasPrefix("https://"))
    #expect(try await server.end() == 0)
  }
}
