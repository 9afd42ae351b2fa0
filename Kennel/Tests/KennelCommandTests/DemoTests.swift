import Foundation
import Glibc
import Retriever
import RetrieverImages
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelCommand

@Suite(
  .enabled(if: TestWorld.hasFiles, "a demonstration is always in SQLite"), .timeLimit(.minutes(5)))
struct DemoTests {
  @Test func `a demo has dogs and an account, and leaves no files behind`() async throws {
    let kennel = try Kennel()
    let server = try await kennel.start("demo", "--port", "0", "--dogs", "2")
    let line = await runOnThread { server.child.readLine() } ?? ""
    #expect(line.hasPrefix("Sign in as Ada with the password "))
    let session = URLSession(configuration: .ephemeral)
    let (page, _) = try await session.data(from: server.url("/"))
    #expect(String(decoding: page, as: UTF8.self).contains("Picked a flower for you"))
    #expect(try await status(of: line, at: server) == 200)
    let (photo, _) = try await session.data(from: server.url("/people/1/picture"))
    #expect(UIImage(data: photo)?.size.width == 256)
    #expect(try await server.end() == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: kennel.directory.url.path)
    #expect(!left.contains { $0.hasPrefix("kennel-demo") })
  }

  /// Returns the status of a request with the password at the end of a line.
  private func status(of line: String, at server: Kennel.Server) async throws -> Int? {
    var request = URLRequest(url: try server.url("/favourites"))
    let credentials = Data("Ada:\(line.split(separator: " ").last ?? "")".utf8).base64EncodedString()
    request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    let (_, response) = try await URLSession(configuration: .ephemeral).data(for: request)
    return (response as? HTTPURLResponse)?.statusCode
  }

  @Test func `a demo in a given directory is kept and served again`() async throws {
    let kennel = try Kennel()
    let path = kennel.directory.path("litter")
    let first = try await kennel.start("demo", path, "--port", "0", "--dogs", "1")
    let line = await runOnThread { first.child.readLine() } ?? ""
    #expect(line.hasPrefix("Sign in as Ada with the password "))
    #expect(try await first.end() == 0)
    let second = try await kennel.start("demo", path, "--port", "0")
    #expect(await runOnThread { second.child.readLine() } == line)
    #expect(await runOnThread { second.child.readLine() } == "Press Ctrl-C to stop.")
    #expect(try await status(of: line, at: second) == 200)
    #expect(try await second.end() == 0)
    let file = try FileManager.default.attributesOfItem(atPath: path + "/demo-password")
    #expect(file[.posixPermissions] as? Int == 0o600)
    // A password that the owner has changed is not shown.
    let changed = try await kennel.run(
      "user", "password", "Ada", "--password-stdin", "--data", path, input: "a new password\n")
    #expect(changed.status == 0)
    let third = try await kennel.start("demo", path, "--port", "0")
    let hint = await runOnThread { third.child.readLine() } ?? ""
    #expect(hint.contains("run: kennel user password NAME --data \(path)"))
    #expect(try await third.end() == 0)
    let refused = try await kennel.run("demo", kennel.directory.url.path, "--port", "0")
    #expect(refused.status == 8 && refused.errors.contains("is not empty and is not a kennel"))
  }

  @Test func `a second demo says that the default port is in use`() async throws {
    let (kennel, other) = (try Kennel(), try Kennel())
    // If another program uses the port, this demo has a different one, too.
    let first = try await kennel.start("demo", "--dogs", "1")
    let second = try await other.start("demo", "--dogs", "1")
    let port = try #require(try second.url("/").port)
    #expect(port != ServerSettings.defaultPort)
    #expect(try await second.end() == 0)
    let message = "Port \(ServerSettings.defaultPort) is in use, so this kennel uses port \(port)."
    #expect(other.serverErrors.contains(message))
    #expect(try await first.end() == 0)
  }

  @Test func `the next demo removes the directory of a killed one`() async throws {
    let kennel = try Kennel()
    let killed = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    let left = try #require(kennel.demos.first)
    #expect(try await killed.end(SIGKILL) == -SIGKILL)
    #expect(kennel.demos == [left])
    let living = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    let own = kennel.demos
    #expect(own.count == 1 && own != [left])
    let third = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    #expect(kennel.demos.count == 2 && kennel.demos.isSuperset(of: own), "a running demonstration is kept")
    #expect(try await third.end() == 0)
    #expect(try await living.end() == 0)
    #expect(kennel.demos.isEmpty)
  }

  @Test func `a demo removes only abandoned directories of demos`() async throws {
    let kennel = try Kennel()
    let killed = try await kennel.start("demo", "--port", "0", "--dogs", "1")
    let left = try #require(kennel.demos.first)
    #expect(try await killed.end(SIGKILL) == -SIGKILL)
    let parent = kennel.directory.url.path
    func demo() throws { try DemoDirectory(in: parent).remove() }
    // A directory without a lock file, one with a link as its lock file, and one with a file of another program.
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
    // A directory that `kennel serve` uses is kept too.
    try FileManager.default.removeItem(at: own)
    let server = try await kennel.start("serve", "--data", parent + "/" + left, "--port", "0")
    try demo()
    #expect(kennel.demos == all)
    #expect(try await server.end() == 0)
    try demo()
    #expect(kennel.demos == all.subtracting([left]))
  }

  @Test func `each generated password is different`() {
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
