import Foundation
import Glibc
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct CertificateRenewalTests {
  private let kennel: Kennel
  private let authority: TestAuthority

  init() throws {
    kennel = try Kennel()
    authority = try TestAuthority.shared()
  }

  /// Puts a certificate and its key where the server reads them, as a program does that renews certificates.
  private func install(
    _ certificate: TestAuthority.Certificate, key: TestAuthority.Certificate? = nil
  ) throws {
    for (source, name) in [
      (authority.certificateFile(certificate), "chain.pem"),
      (authority.keyFile(key ?? certificate), "key.pem"),
    ] {
      try kennel.directory.write(Data(contentsOf: source), to: "new")
      #expect(rename(kennel.directory.path("new"), kennel.directory.path(name)) == 0)
    }
  }

  /// Starts a server without a controlling terminal, in which SIGHUP means something else.
  private func start(_ options: String = "") async throws -> Kennel.Server {
    try await kennel.startInShell("serve --port 0 \(options)")
  }

  private var tlsOptions: String {
    "--tls-certificate '\(kennel.directory.path("chain.pem"))' --tls-key '\(kennel.directory.path("key.pem"))'"
  }

  /// Returns whether a new connection gets a certificate that is valid for localhost.
  private func isValid(_ server: Kennel.Server) async throws -> Bool {
    let url = try server.url("/health").absoluteString.replacing("127.0.0.1", with: "localhost")
    let file = authority.authorityFile.path
    return try await runOnThread {
      let child = try ChildProcess(["curl", "-s", "-m", "60", "-o", "/dev/null", "--cacert", file, url])
      return child.waitForEnd(within: .seconds(90)) == .exited(0)
    }
  }

  private func hangUp(_ server: Kennel.Server, count: Int, says sentence: String) async {
    server.child.send(signal: SIGHUP)
    let isSaid = await eventually {
      kennel.serverErrors.components(separatedBy: sentence).count == count + 1
    }
    #expect(isSaid, "\(kennel.serverErrors)")
  }

  @Test func `SIGHUP makes new connections use the renewed certificate`() async throws {
    try install(.valid)
    let server = try await start(tlsOptions)
    #expect(try await isValid(server))
    try install(.expired)
    await hangUp(server, count: 1, says: "The certificate was read again.")
    #expect(try await isValid(server) == false)
    try install(.valid)
    await hangUp(server, count: 2, says: "The certificate was read again.")
    #expect(try await isValid(server))
    #expect(try await server.end() == 0)
  }

  @Test func `files that cannot be used leave the earlier certificate in use`() async throws {
    try install(.valid)
    let server = try await start(tlsOptions)
    try install(.valid, key: .expired)
    await hangUp(
      server, count: 1,
      says: "The certificate and the given key do not match. The earlier certificate stays in use.")
    try kennel.directory.write(Data("dogs".utf8), to: "chain.pem")
    await hangUp(
      server, count: 1, says: "contains no certificate in PEM format. The earlier certificate stays in use.")
    try FileManager.default.removeItem(at: kennel.directory.file("chain.pem"))
    await hangUp(
      server, count: 1,
      says: "No such file or directory. Check the path. The earlier certificate stays in use.")
    #expect(try await isValid(server))
    #expect(try await server.end() == 0)
  }

  @Test func `SIGHUP does not end a server without a certificate`() async throws {
    let server = try await start()
    await hangUp(server, count: 1, says: "There is no certificate to read again.")
    #expect(try await server.end() == 0)
  }

  @Test func `files are read when they have changed and do not change any more`() {
    var change = FileChange([1, 1])
    let versions = [[1, 1], [2, 1], [2, 2], [2, 2], [2, 2], [3, 2], [2, 2], [2, 2]]
    let settled = versions.map { change.isSettled($0) }
    #expect(settled == [false, false, false, true, false, false, false, false])
  }
}
