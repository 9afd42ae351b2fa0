import Foundation
import KennelModel
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct InviteTests {
  /// Returns the token of a link, and checks its address.
  private func token(_ output: String, at address: String) throws -> SecretToken<AccountLink> {
    let line = try #require(output.split(separator: "\n").first)
    #expect(line.hasPrefix(address + "/join/"))
    return try #require(SecretToken<AccountLink>(String(line.suffix(43))))
  }

  private func use(_ token: SecretToken<AccountLink>, name: String, in kennel: Kennel) async throws -> User {
    let store = try await kennel.openStore()
    do {
      let user = try await store.accounts.use(
        token, name: name, password: "squeaky toy", address: "a"
      ).proof.user
      await store.close()
      return user
    } catch {
      await store.close()
      throw error
    }
  }

  @Test func `an invitation is printed as a link`() async throws {
    let kennel = try await Kennel.withOwner()
    let result = try await kennel.run("invite", "--role", "viewer", "--url", "https://dogs.example/")
    #expect(result.status == 0 && result.output.split(separator: "\n").count == 1)
    #expect(result.errors.contains("one person can create a viewer's account until 20"))
    let token = try token(result.output, at: "https://dogs.example")
    #expect(try await use(token, name: "Bruno", in: kennel).role == .viewer)
    let quiet = try await kennel.run("invite", "--quiet")
    #expect(quiet.errors.isEmpty && quiet.output.hasPrefix("http://localhost:8080/join/"))
  }

  @Test func `the address is that of the latest server`() async throws {
    let kennel = try await Kennel.withOwner()
    #expect(try await kennel.run("invite").errors.contains("Use --url for another address."))
    let server = try await kennel.start("serve", "--port", "0")
    let result = try await kennel.run("invite")
    _ = try token(result.output, at: String(server.address.dropLast()))
    #expect(try await server.end() == 0)
    let proxied = try await kennel.start(
      "serve", "--port", "0", "--behind-tls", "--name", ".example", "--name", "dogs.example")
    _ = try token(try await kennel.run("invite").output, at: "https://dogs.example")
    #expect(try await proxied.end() == 0)
    let named = try await kennel.start("serve", "--port", "0", "--name", "dogs.example")
    let port = try #require(named.url("/").port)
    _ = try token(try await kennel.run("invite").output, at: "http://dogs.example:\(port)")
    #expect(try await named.end() == 0)
  }

  @Test func `a link for a new password is printed`() async throws {
    let kennel = try await Kennel.withOwner()
    let result = try await kennel.run("user", "reset", "ada", "--url", "https://dogs.example")
    #expect(result.status == 0 && result.errors.contains("a new password for Ada"))
    #expect(
      try await use(try token(result.output, at: "https://dogs.example"), name: "", in: kennel).name == "Ada")
    #expect(try await kennel.run("user", "reset", "Adda").status == 1)
  }

  @Test func `invalid options are errors, and a kennel without accounts has no invitations`() async throws {
    let kennel = try await Kennel.withOwner()
    for arguments in [["--role", "king"], ["--days", "0"], ["--days", "91"], ["--url", "dogs.example"]] {
      #expect(try await kennel.run("invite", arguments[0], arguments[1]).status == 2)
    }
    let empty = try Kennel()
    let server = try await empty.start("serve", "--port", "0")
    let result = try await empty.run("invite")
    #expect(result.status == 1 && result.errors.contains("There are no accounts yet."))
    #expect(try await server.end() == 0)
  }

  @Test func `a QR code is drawn in black and white, if the terminal is wide enough`() throws {
    let link = "http://192.168.178.20:8080/join/Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmE"
    let drawing = try #require(PrintedLink.drawing(of: link, width: 80))
    let lines = drawing.split(separator: "\n")
    // It fits a terminal of 24 lines.
    #expect(lines.count == 23)
    #expect(lines.allSatisfy { $0.hasPrefix("\u{1B}[38;5;16;48;5;231m") && $0.hasSuffix("\u{1B}[0m") })
    #expect(PrintedLink.drawing(of: link, width: 44) == nil)
    #expect(PrintedLink.drawing(of: String(repeating: "x", count: 1000), width: 1000) == nil)
  }

  @Test func `the terminal shows a QR code, and a program that reads the output does not`() async throws {
    var kennel = try await Kennel.withOwner()
    kennel.environment["TERM"] = "xterm"
    func screen(_ environment: [String: String]) async throws -> String {
      let file = kennel.directory.file("screen")
      try? FileManager.default.removeItem(at: file)
      let child = try ChildProcess(
        [
          "script", "-qefc", "stty cols 100; '\(Kennel.path)' invite --url https://dogs.example",
          file.path,
        ], environment: kennel.environment.merging(environment) { $1 }, isConversing: true)
      #expect(try await Kennel.end(of: child) == 0)
      return try String(contentsOf: file, encoding: .utf8)
    }
    #expect(try await screen([:]).contains("▀"))
    #expect(try await screen(["TERM": "dumb"]).contains("▀") == false)
    #expect(try await screen(["LC_ALL": "C"]).contains("▀") == false)
  }

  @Test func `a header field for users needs a trusted proxy`() async throws {
    let kennel = try await Kennel.withOwner()
    let alone = try await kennel.run("serve", "--port", "0", "--trusted-user-header", "Remote-User")
    #expect(alone.status == 2 && alone.errors.contains("--trusted-user-header needs --trusted-proxy"))
    let bad = try await kennel.run(
      "serve", "--port", "0", "--trusted-proxy", "unix", "--trusted-user-header", "Remote User")
    #expect(bad.status == 2 && bad.errors.contains("must be the name of a header field such as Remote-User"))
  }
}
