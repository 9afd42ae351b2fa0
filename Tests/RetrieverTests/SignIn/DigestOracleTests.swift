#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing
import TransferEngine

@testable import Retriever

/// Digest against implementations that were not written for this project.
@Suite(.timeLimit(.minutes(5))) struct DigestOracleTests {
  @Test(
    .enabled(if: HTTPBinServer.isAvailable), arguments: ["auth/user/pass/MD5", "auth-int/user/pass/SHA-256"])
  func `httpbin accepts the answers`(path: String) async throws {
    let server = try HTTPBinServer()
    defer { server.stop() }
    let delegate = HandlerDelegate(
      .init(challenge: { challenge in
        challenge.previousFailureCount == 0
          ? (.useCredential, URLCredential(user: "user", password: "pass", persistence: .forSession))
          : (.performDefaultHandling, nil)
      }))
    let session = URLSession.forTest()
    for _ in 0..<2 {
      let (data, response) = try await session.data(
        from: server.url("/digest-auth/\(path)"), delegate: delegate)
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      #expect(String(decoding: data, as: UTF8.self).contains("\"authenticated\": true"))
    }
  }

  /// The fixture that checks our answers must accept curl's. (Before 8.9, curl takes SHA-256 for SHA-512-256.)
  @Test(arguments: [
    ("MD5", "auth", ""), ("MD5-sess", "auth", ""), ("SHA-256", "auth", ""), ("MD5", "auth-int,auth", ""),
    ("SHA-256", "auth", ", userhash=true"),
  ])
  func `curl is accepted by the server of these tests`(
    algorithm: String, qop: String, parameters: String
  ) throws {
    let digest = DigestServer { options in
      (options.algorithm, options.qop, options.parameters) = (algorithm, qop, parameters)
      options.hash = algorithm.contains("512") ? .sha512_256 : algorithm.contains("256") ? .sha256 : .md5
    }
    let server = try ScriptedServer.http(digest.reply)
    let text = try ChildProcess.run([
      "/usr/bin/env", "curl", "-q", "-s", "--noproxy", "*", "--digest", "-u", "user:pass",
      server.address("/a?b=c"),
    ])
    #expect(text == "in")
    #expect(digest.accepted.count == 1)
  }
}
#endif
