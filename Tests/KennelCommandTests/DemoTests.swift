import Foundation
import Glibc
import Retriever
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(1))) struct DemoTests {
  @Test func aDemoHasDogsAndAnAccountAndLeavesNothing() async throws {
    let kennel = try Kennel()
    let server = try await kennel.start("demo", "--port", "0", "--dogs", "2")
    let line = await offThePool { server.child.readLine() } ?? ""
    #expect(line.hasPrefix("Sign in as Ada with the password "))
    let session = URLSession(configuration: .ephemeral)
    let (page, _) = try await session.data(from: server.url("/"))
    #expect(String(decoding: page, as: UTF8.self).contains("Picked a flower for you"))
    #expect(try await status(of: line, at: server) == 200)
    #expect(try await server.end() == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: kennel.directory.url.path)
    #expect(!left.contains { $0.hasPrefix("kennel-demo") })
  }

  /// How the server answers who signs in with the password at the end of a line.
  private func status(of line: String, at server: Kennel.Server) async throws -> Int? {
    var request = URLRequest(url: try server.url("/favourites"))
    let credentials = Data("Ada:\(line.split(separator: " ").last ?? "")".utf8).base64EncodedString()
    request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    let (_, response) = try await URLSession(configuration: .ephemeral).data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }

  @Test func aDirectoryOfOnesOwnStaysAndIsServedAgain() async throws {
    let kennel = try Kennel()
    let path = kennel.directory.path("litter")
    let first = try await kennel.start("demo", path, "--port", "0", "--dogs", "1")
    let line = await offThePool { first.child.readLine() } ?? ""
    #expect(line.hasPrefix("Sign in as Ada with the password "))
    #expect(try await first.end() == 0)
    let second = try await kennel.start("demo", path, "--port", "0")
    #expect(await offThePool { second.child.readLine() } == line)
    #expect(await offThePool { second.child.readLine() } == "Ctrl-C ends it.")
    #expect(try await status(of: line, at: second) == 200)
    #expect(try await second.end() == 0)
    let file = try FileManager.default.attributesOfItem(atPath: path + "/demo-password")
    #expect(file[.posixPermissions] as? Int == 0o600)
    // One that was changed is its owner's business.
    let changed = try await kennel.run(
      "user", "password", "Ada", "--password-stdin", "--data", path, input: "a new password\n")
    #expect(changed.status == 0)
    let third = try await kennel.start("demo", path, "--port", "0")
    let hint = await offThePool { third.child.readLine() } ?? ""
    #expect(hint.contains("kennel user password NAME --data \(path) changes a password"))
    #expect(try await third.end() == 0)
    let refused = try await kennel.run("demo", kennel.directory.url.path, "--port", "0")
    #expect(refused.status == 8 && refused.errors.contains("is not empty, and no kennel"))
  }

  @Test func theNextDemoRemovesWhatAKilledOneLeftBehind() async throws {
    let kennel = try Kennel()
    let killed = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    let left = try #require(kennel.demos.first)
    #expect(try await killed.end(SIGKILL) == -SIGKILL)
    #expect(kennel.demos == [left])
    let living = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    let own = kennel.demos
    #expect(own.count == 1 && own != [left])
    let third = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    #expect(kennel.demos.count == 2 && kennel.demos.isSuperset(of: own), "a living one stays")
    #expect(try await third.end() == 0)
    #expect(try await living.end() == 0)
    #expect(kennel.demos.isEmpty)
  }

  @Test func whatIsNotCertainlyADemosIsLeftAlone() async throws {
    let kennel = try Kennel()
    let killed = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    let left = try #require(kennel.demos.first)
    #expect(try await killed.end(SIGKILL) == -SIGKILL)
    let parent = kennel.directory.url.path
    func demo() throws { try DemoDirectory(in: parent).remove() }
    // Without a lock file; with a link for a lock file; with something that no demonstration makes.
    try FileManager.default.createDirectory(
      atPath: kennel.directory.path("kennel-demo-nolock"), withIntermediateDirectories: false)
    let linked = kennel.directory.path("kennel-demo-linked")
    try FileManager.default.createDirectory(atPath: linked, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: linked + "/demo.lock", withDestinationPath: parent + "/\(left)/demo.lock")
    let own = kennel.directory.file(left).appendingPathComponent("mine.txt")
    try Data("mine".utf8).write(to: own)
    try FileManager.default.createSymbolicLink(
      atPath: kennel.directory.path("kennel-demo-link"), withDestinationPath: parent + "/" + left)
    let all = kennel.demos
    try demo()
    #expect(kennel.demos == all)
    // Nor one that somebody serves.
    try FileManager.default.removeItem(at: own)
    let server = try await kennel.start("serve", "--data", parent + "/" + left, "--port", "0")
    try demo()
    #expect(kennel.demos == all)
    #expect(try await server.end() == 0)
    try demo()
    #expect(kennel.demos == all.subtracting([left]))
  }

  @Test func passwordsAreAnotherOneEachTime() {
    let passwords = Set((0..<100).map { _ in DemoKennel.makePassword() })
    #expect(passwords.count == 100 && passwords.allSatisfy { $0.count == 14 })
  }
}

extension Kennel {
  /// The temporary directories of demonstrations.
  fileprivate var demos: Set<String> {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: directory.url.path)) ?? []
    return Set(names.filter { $0.hasPrefix("kennel-demo") })
  }
}
