import Foundation
import HTTPService
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct CertificateReplacementTests {
  private func tls(_ certificate: TestAuthority.Certificate) async throws -> HTTPServerConfiguration.TLS {
    try await runOnThread {
      let authority = try TestAuthority.shared()
      return .init(
        certificateChain: try String(contentsOf: authority.certificateFile(certificate), encoding: .utf8),
        privateKey: try String(contentsOf: authority.keyFile(certificate), encoding: .utf8))
    }
  }

  /// Returns whether a new connection gets a certificate that is valid for localhost.
  private func isValid(_ server: HTTPServer) async throws -> Bool {
    let authority = try TestAuthority.shared().authorityFile.path
    let port = server.port
    return try await runOnThread {
      let child = try ChildProcess([
        "curl", "-s", "-m", "60", "-o", "/dev/null", "--cacert", authority, "https://localhost:\(port)/",
      ])
      return child.waitForEnd(within: .seconds(90)) == .exited(0)
    }
  }

  @Test func `new connections get the new certificate, and open ones complete their response`() async throws {
    let (valid, expired) = (try await tls(.valid), try await tls(.expired))
    let directory = try TemporaryDirectory()
    let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
    let began = Notes<Void>()
    try await withServer(
      { $0.tls = valid },
      handler: { request in
        guard request.path == "/slow" else { return .text("dogs") }
        return HTTPResponse(
          body: .stream { writer in
            try await writer.write("one ")
            began.add(())
            for await _ in stream {}
            try await writer.write("two")
          })
      }
    ) { server in
      let (port, target) = (server.port, directory.path("slow"))
      let reading = try ChildProcess([
        "curl", "-sS", "-k", "-m", "90", "-o", target, "https://localhost:\(port)/slow",
      ])
      #expect(await eventually { !began.all.isEmpty })
      #expect(try await isValid(server))
      try await server.replaceCertificate(expired)
      #expect(try await isValid(server) == false)
      try await server.replaceCertificate(valid)
      #expect(try await isValid(server))
      continuation.finish()
      let ending = await runOnThread { reading.waitForEnd(within: .seconds(90)) }
      #expect(ending == .exited(0))
      #expect(try String(contentsOfFile: target, encoding: .utf8) == "one two")
    }
  }

  @Test func `a certificate that cannot be used changes nothing`() async throws {
    let (valid, expired) = (try await tls(.valid), try await tls(.expired))
    let messages = Notes<String>()
    try await withServer(
      {
        $0.tls = valid
        $0.onDiagnostic = { messages.add($0) }
      }, handler: { _ in .text("dogs") }
    ) { server in
      let mixed = HTTPServerConfiguration.TLS(
        certificateChain: valid.certificateChain, privateKey: expired.privateKey)
      for unusable in [mixed, .init(certificateChain: "no", privateKey: "no")] {
        let error = await #expect(throws: HTTPServerError.self) {
          try await server.replaceCertificate(unusable)
        }
        #expect(error?.code == .badCertificate)
        let isStillValid = try await isValid(server)
        #expect(isStillValid)
      }
      // The error has the message.
      #expect(messages.all.isEmpty)
    }
  }

  @Test(arguments: [[], ["-H", "Connection: close"], ["-X", "POST", "-d", "dogs"]])
  func `no request fails while certificates are replaced under load`(options: [String]) async throws {
    let certificates = [try await tls(.valid), try await tls(.expired)]
    let isSanitized = ResourceSnapshot.isSanitized
    try await withServer(
      { $0.tls = certificates[0] },
      handler: { request in .text("\(try await request.body.collectedBody(upTo: 100).count)\n") }
    ) { server in
      let port = server.port
      let load = Task {
        try await runOnThread {
          let child = try ChildProcess(
            [
              "curl", "-sS", "-k", "-m", "120", "--fail-early", "--fail", "--parallel", "--parallel-max",
              "16",
              "-o", "/dev/null",
            ] + options + ["https://localhost:\(port)/[1-\(isSanitized ? 100 : 600)]"])
          return child.waitForEnd(within: .seconds(150))
        }
      }
      for number in 1...12 {
        try await server.replaceCertificate(certificates[number % 2])
        // A request in between, so that the replacements do not all happen before the first request of the load.
        _ = try await isValid(server)
      }
      let ending = try await load.value
      #expect(ending == .exited(0))
    }
  }

  @Test func `the connections of the oldest certificate are closed after many replacements`() async throws {
    let valid = try await tls(.valid)
    let (began, cancelled) = (Notes<Void>(), Notes<String>())
    try await withServer(
      { $0.tls = valid },
      handler: { request in
        began.add(())
        await untilCancelled { cancelled.add(request.path) }
        return .text("dogs")
      }
    ) { server in
      let port = server.port
      var clients: [ChildProcess] = []
      for number in 1...5 {
        clients.append(
          try ChildProcess([
            "curl", "-s", "-k", "-m", "90", "-o", "/dev/null", "https://localhost:\(port)/\(number)",
          ]))
        #expect(await eventually { began.all.count == number })
        #expect(cancelled.all.isEmpty)
        try await server.replaceCertificate(valid)
      }
      // Five earlier certificates have a connection each.
      #expect(await eventually { cancelled.all == ["/1"] })
      for client in clients { client.stop() }
    }
  }

  @Test func `a server without TLS, or one that is stopped, refuses a certificate`() async throws {
    let valid = try await tls(.valid)
    try await withServer(handler: { _ in .text("dogs") }) { server in
      let error = await #expect(throws: HTTPServerError.self) { try await server.replaceCertificate(valid) }
      #expect(error?.code == .cannotStart)
    }
    var configuration = HTTPServerConfiguration.patient
    configuration.tls = valid
    let server = try HTTPServer(configuration: configuration)
    try server.start { _ in .text("dogs") }
    await server.stop(within: .zero)
    let error = await #expect(throws: HTTPServerError.self) { try await server.replaceCertificate(valid) }
    #expect(error?.code == .cannotStart)
  }
}
