import Foundation
import Testing

@testable import TestSupport
@testable import TransferEngine

@Suite(.timeLimit(.minutes(5))) struct TransferTrustTests {
  /// One of the system's certificate authorities, in a file named by a hash of its subject, which is how libcurl finds
  /// it.
  private static let systemAuthority: String? = {
    let directory = "/etc/ssl/certs"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    let files = names.filter { $0.count == 10 && $0.hasSuffix(".0") }.map { "\(directory)/\($0)" }
    return files.first { file in
      // OpenSSL checks the type of the key as well as the name.
      let text = try? ChildProcess.run(["openssl", "x509", "-in", file, "-noout", "-text"])
      return text?.contains("rsaEncryption") == true
    }
  }()

  enum Form: CaseIterable { case file, pem }

  /// The server's certificate is signed by an impostor with the name of a system authority. The error shows whether the
  /// system's certificates were used: if so, the key does not match; otherwise the issuer is unknown.
  @Test(.enabled(if: systemAuthority != nil), arguments: Form.allCases)
  func `a session with custom certificate authorities uses no others`(form: Form) async throws {
    let directory = try TemporaryDirectory()
    let server = try ImpostorServer(of: try #require(Self.systemAuthority), in: directory)
    let authority = try TestAuthority.shared().authorityFile
    var options = TransferClientOptions()
    options.trust =
      form == .file ? .file(path: authority.path) : .pem([UInt8](try Data(contentsOf: authority)))
    let client = try TransferClient(options: options)
    let address = "https://localhost:\(server.port)/"
    let isUp = try await eventually {
      try await client.run(TransferRequest(url: address)).failure?.code != .cannotConnect
    }
    #expect(isUp)
    #expect(try await client.run(TransferRequest(url: address)).failure?.code == .certificateUnknownRoot)
  }

  @Test func `a certificate that names its server in the common name only is refused`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "secret") }
    let port = try TLSRelay.shared().forward(to: server.port, certificate: .commonNameOnly)
    let client = try TransferClient(options: .trustingTestAuthority())
    let record = try await client.run(TransferRequest(url: "https://localhost:\(port)/"))
    #expect(record.failure?.code == .certificateUntrusted)
    #expect(server.requests.isEmpty)
  }

  @Test func `clients with the same certificates share one parsed store`() async throws {
    let path = try TestAuthority.shared().authorityFile.path
    let (first, second) = (await Self.store(of: .file(path)), await Self.store(of: .file(path)))
    #expect(first != nil && first === second)
  }

  @Test func `a certificate file that was replaced is read again`() async throws {
    let directory = try TemporaryDirectory()
    let authority = try Data(contentsOf: TestAuthority.shared().authorityFile)
    try directory.write(authority, to: "trusted.pem")
    let path = directory.path("trusted.pem")
    let first = await Self.store(of: .file(path))
    try directory.write(authority + Data("\n# another state\n".utf8), to: "trusted.pem")
    let second = await Self.store(of: .file(path))
    #expect(first != nil && second != nil && first !== second)
  }

  @Test func `certificates that cannot be read fail the load with a reason, and are tried again`()
    async throws
  {
    let directory = try TemporaryDirectory()
    var options = TransferClientOptions()
    options.trust = .file(path: directory.path("later.pem"))
    let client = try TransferClient(options: options)
    let server = try ScriptedServer.http { _ in Reply(text: "hello") }
    let address = "https://localhost:\(try TLSRelay.shared().forward(to: server.port))/"
    let failure = try await client.run(TransferRequest(url: address)).failure
    #expect(failure?.code == .trustStoreUnreadable)
    #expect(failure?.message.contains("later.pem") == true)
    try directory.write(try Data(contentsOf: TestAuthority.shared().authorityFile), to: "later.pem")
    #expect(try await client.run(TransferRequest(url: address)).failure == nil)
  }

  @Test func `the metrics name version and cipher suite of TLS`() async throws {
    let nginx = try NginxServer()
    let client = try TransferClient(options: .trustingTestAuthority())
    var request = TransferRequest(url: nginx.secureURL("/1k").absoluteString)
    request.collectsTimings = true
    // The second request reuses the connection of the first.
    for _ in 0..<2 {
      let end = try await client.run(request).ends.last
      #expect(end?.failure == nil)
      #expect(end?.timings?.tlsVersion.map { 0x0303...0x0304 ~= $0 } == true)
      #expect(end?.timings?.tlsCipherSuite != nil)
    }
  }

  private static func store(of source: TrustStores.Source) async -> TrustStore? {
    await withCheckedContinuation { continuation in
      let known = TrustStores.shared.provide(source) { continuation.resume(returning: try? $0.get()) }
      if let known { continuation.resume(returning: known) }
    }
  }

  private final class ImpostorServer: Sendable {
    let port: UInt16
    private let process: ChildProcess

    init(of authority: String, in directory: TemporaryDirectory) throws {
      func openssl(_ arguments: String...) throws { try ChildProcess.run(["openssl"] + arguments) }
      let (key, impostor) = (directory.path("impostor.key"), directory.path("impostor.pem"))
      let (request, leaf) = (directory.path("leaf.csr"), directory.path("leaf.pem"))
      try openssl(
        "req", "-new", "-subj", "/CN=localhost", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out",
        request)
      try openssl("x509", "-in", authority, "-signkey", key, "-clrext", "-out", impostor)
      try openssl(
        "x509", "-req", "-in", request, "-CA", impostor, "-CAkey", key, "-set_serial", "1", "-days", "30",
        "-out", leaf)
      // The server chooses a port and reports it. A port that was free a moment ago could be in use by another test.
      let server = try ChildProcess(
        ["openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", leaf, "-key", key], isConversing: true)
      process = server
      var line = server.readLine()
      while let text = line, !text.hasPrefix("ACCEPT ") { line = server.readLine() }
      port = try #require(line?.split(separator: ":").last.flatMap { UInt16($0) })
    }
  }
}
