import Foundation
import Glibc
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct InspectTests {
  private let program: Program

  init() throws { program = try Program() }

  @Test func everyHopIsDrawnWithoutSecrets() async throws {
    let server = try ScriptedServer.http { request in
      request.path == "/old"
        ? .redirect(to: "/new?token=geheim")
        : Reply(404, headers: [("Set-Cookie", "sid=geheim")], text: "dog")
    }
    let result = try await program.run("inspect", server.address("/old"))
    #expect(result.status == 0, "an HTTP error status is not a failure of inspect")
    #expect(result.text.contains("GET \(server.address("/old")) → 302 found"))
    #expect(result.text.contains("→ 404 not found"))
    #expect(result.text.contains("reused connection"))
    for word in ["connect ", "wait", "receive", "total", "█", "Set-Cookie: REDACTED"] {
      #expect(result.text.contains(word), "\(word)")
    }
    #expect(!result.text.contains("geheim"))
  }

  @Test func tlsHasABarOfItsOwnAndJSONHasAllOfIt() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "dog") }
    let port = try TLSRelay.shared().forward(to: server.port)
    let authority = try TestAuthority.shared().authorityFile.path
    let result = try await program.run(
      "inspect", "--json", "--ca-file", authority, "https://localhost:\(port)/")
    let hop = try #require(try JSONSerialization.jsonObject(with: result.output) as? [String: Any])
    let names = (hop["phases"] as? [[String: Any]])?.compactMap { $0["name"] as? String }
    #expect(names == ["name look-up", "connect", "TLS", "request", "wait", "receive"])
    #expect(hop["status"] as? Int == 200 && hop["networkProtocol"] as? String == "HTTP/1.1")
  }

  @Test func `an archive has the requests of all URLs`() async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "dog") }
    let result = try await program.run(
      "inspect", "--har", "all.har", server.address("/a"), server.address("/b"))
    #expect(result.status == 0, "\(result.errors)")
    #expect(try program.archivedPaths("all.har") == ["/a", "/b"])
    var status = stat()
    #expect(stat(program.file("all.har").path, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  @Test func aConnectionThatFailsIsTold() async throws {
    let result = try await program.run("inspect", "http://no-such-host.invalid/")
    #expect(result.status == 3)
    #expect(result.errors.contains("no-such-host.invalid"))
    #expect(result.text == "GET http://no-such-host.invalid/ → no response\n", "there was no connection")
    let json = try await program.run("inspect", "--json", "http://no-such-host.invalid/")
    #expect(json.text.contains(#""isReusedConnection":false"#) && !json.text.contains("Address"))
    let talk = try await program.run("get", "--verbose", "http://no-such-host.invalid/")
    #expect(talk.errors.contains("< no response\n"))
  }
}
