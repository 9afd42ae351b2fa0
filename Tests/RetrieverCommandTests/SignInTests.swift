import Foundation
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct SignInTests {
  private let expected = "Basic " + Data("rex:bone".utf8).base64EncodedString()

  private func guarded() throws -> ScriptedServer {
    try ScriptedServer.http { request in
      request["Authorization"] == nil
        ? Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"kennel\"")]) : Reply(text: "in")
    }
  }

  @Test func thePasswordComesFromTheEnvironment() async throws {
    let server = try guarded()
    let program = try Program(["RETRIEVER_USER": "rex", "RETRIEVER_PASSWORD": "bone"])
    let result = try await program.run("get", server.address())
    #expect(result.text == "in" && result.errors.isEmpty)
    #expect(server.requests.map { $0["Authorization"] } == [nil, expected])
  }

  @Test func thePasswordComesFromTheNetrcAndOthersWhoMayReadItAreNamed() async throws {
    let server = try guarded()
    let program = try Program()
    let path = program.directory.file("home").appendingPathComponent(".netrc")
    try Data("machine 127.0.0.1 login rex password bone\n".utf8).write(to: path)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.path)
    let result = try await program.run("get", server.address())
    #expect(result.text == "in" && result.errors.isEmpty)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path.path)
    #expect(try await program.run("get", server.address()).errors.contains("chmod 600"))
    #expect(try await program.run("get", "--no-netrc", server.address()).status == 6)
  }

  @Test func aPasswordOnTheCommandLineWorksWithAWarning() async throws {
    let server = try guarded()
    let program = try Program()
    let result = try await program.run("get", "--user", "rex:bone", server.address())
    #expect(result.text == "in" && result.status == 0)
    #expect(result.errors.contains("process list") && !result.errors.contains("bone"))
  }

  @Test func withoutATerminalNobodyIsAsked() async throws {
    let server = try guarded()
    let program = try Program()
    // A process in its own session has no terminal.
    let child = try ChildProcess(
      ["setsid", "-w", Program.path, "get", "--user", "rex", server.address()],
      environment: program.environment, output: program.directory.path("errors"))
    let ending = await runOnThread { child.waitForEnd(within: .seconds(90)) }
    #expect(ending == .exited(2))
    #expect(server.requests.isEmpty)
  }

  @Test func aRedirectToAnotherServerIsToldNothing() async throws {
    let other = try guarded()
    let server = try ScriptedServer.http { _ in .redirect(to: other.address("/theirs")) }
    let program = try Program(["RETRIEVER_USER": "rex", "RETRIEVER_PASSWORD": "bone"])
    let result = try await program.run("get", "-H", "X-Api-Key: geheim", server.address())
    #expect(result.status == 6)
    #expect(other.requests.allSatisfy { $0["Authorization"] == nil && $0["X-Api-Key"] == nil })
  }

  @Test func `a password in a URL is not sent to the other hosts`() async throws {
    let (server, other) = (try guarded(), try guarded())
    let program = try Program()
    let named = server.address().replacingOccurrences(of: "http://", with: "http://rex:bone@")
    let result = try await program.run("get", named, other.address())
    #expect(result.status == 10 && result.text == "in")
    #expect(server.requests.last?["Authorization"] == expected)
    _ = try await program.run("thumbnail", "--size", "9", named, other.address("/photo"))
    #expect(other.requests.map(\.path) == ["/", "/photo"])
    #expect(other.requests.allSatisfy { $0["Authorization"] == nil })
  }

  @Test func `a default netrc file that cannot be read gives a warning`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "dog") }
    var program = try Program()
    let netrc = program.directory.path("home") + "/.netrc"
    try FileManager.default.createDirectory(atPath: netrc, withIntermediateDirectories: false)
    let result = try await program.run("get", server.address())
    #expect(result.status == 0 && result.text == "dog")
    #expect(result.errors.contains("Warning: Could not read \(netrc): Permission denied."))
    #expect(try await program.run("get", "--netrc-file", netrc, server.address()).status == 8)
    program.environment["HOME"] = "/dev/null"
    let homeless = try await program.run("get", server.address())
    #expect(homeless.status == 0 && homeless.errors.isEmpty)
  }

  @Test func aBadCertificateFailsAndInsecureSaysWhatItDoes() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "dog") }
    let program = try Program()
    for certificate in [TestAuthority.Certificate.selfSigned, .expired, .wrongHost] {
      let port = try TLSRelay.shared().forward(to: server.port, certificate: certificate)
      let url = "https://localhost:\(port)/"
      let refused = try await program.run("get", url)
      #expect(refused.status == 5 && refused.output.isEmpty)
      #expect(refused.errors.split(separator: "\n").count == 1)
      // The authority of all three is unknown here.
      #expect(refused.errors.contains("Use --ca-file FILE"))
      let taken = try await program.run("get", "--insecure", url)
      #expect(taken.status == 0 && taken.text == "dog")
      #expect(taken.errors.contains("With --insecure, certificates are not verified"))
    }
    let port = try TLSRelay.shared().forward(to: server.port)
    let authority = try TestAuthority.shared().authorityFile.path
    let trusted = try await program.run("get", "--ca-file", authority, "https://localhost:\(port)/")
    #expect(trusted.status == 0 && trusted.errors.isEmpty)
  }
}
