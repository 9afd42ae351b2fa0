import Foundation
import HTTPService
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct TLSTests {
  private func tls() async throws -> HTTPServerConfiguration.TLS {
    try await runOnThread {
      let authority = try TestAuthority.shared()
      return .init(
        certificateChain: try String(contentsOf: authority.certificateFile(.valid), encoding: .utf8),
        privateKey: try String(contentsOf: authority.keyFile(.valid), encoding: .utf8))
    }
  }

  @Test func `TLS transfers bodies in both directions`() async throws {
    let tls = try await tls()
    let directory = try TemporaryDirectory()
    let sent = Data.pattern(count: 2_000_000)
    try directory.write(sent, to: "sent")
    let (source, target) = (directory.path("sent"), directory.path("received"))
    let authority = try TestAuthority.shared().authorityFile.path
    try await withServer(
      { $0.tls = tls },
      handler: { request in
        let body = try await request.body.collectedBody(upTo: 5_000_000)
        return HTTPResponse(
          body: .stream { writer in
            for start in stride(from: 0, to: body.count, by: 50_000) {
              try await writer.write(body[start..<min(start + 50_000, body.count)])
            }
          })
      }
    ) { server in
      let port = server.port
      _ = try await runOnThread {
        try ChildProcess.run([
          "curl", "-sS", "-m", "30", "--cacert", authority, "-T", source, "-o", target,
          "https://localhost:\(port)/",
        ])
      }
      let isSame = try Data(contentsOf: directory.file("received")) == sent
      #expect(isSame)
    }
  }

  @Test func `an invalid certificate is an error`() throws {
    let error = #expect(throws: HTTPServerError.self) {
      try HTTPServer(configuration: .init(tls: .init(certificateChain: "no", privateKey: "no")))
    }
    #expect(error?.code == .badCertificate)
  }
}
