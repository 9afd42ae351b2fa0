import Foundation
import Retriever
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(1))) struct DemoTests {
  @Test func aDemoHasDogsAndAnAccountAndLeavesNothing() async throws {
    let kennel = try Kennel()
    let server = try await kennel.start("demo", "--port", "0", "--dogs", "2")
    let line = await offThePool { server.child.readLine() } ?? ""
    let words = line.split(separator: " ")
    #expect(line.hasPrefix("Sign in as Ada with the password "))
    let session = URLSession(configuration: .ephemeral)
    let (page, _) = try await session.data(from: server.url("/"))
    #expect(String(decoding: page, as: UTF8.self).contains("Picked a flower for you"))
    var request = URLRequest(url: try server.url("/favourites"))
    let credentials = Data("Ada:\(words.last ?? "")".utf8).base64EncodedString()
    request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
    let (_, response) = try await session.data(for: request)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(try await server.end() == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: kennel.directory.url.path)
    #expect(!left.contains { $0.hasPrefix("kennel-demo") })
  }

  @Test func aDirectoryOfOnesOwnStaysAndIsServedAgain() async throws {
    let kennel = try Kennel()
    let path = kennel.directory.path("litter")
    let first = try await kennel.start("demo", path, "--port", "0", "--dogs", "1")
    #expect(try await first.end() == 0)
    let second = try await kennel.start("demo", path, "--port", "0")
    #expect(await offThePool { second.child.readLine() } == "Ctrl-C ends it.")
    #expect(try await second.end() == 0)
    let refused = try await kennel.run("demo", kennel.directory.url.path, "--port", "0")
    #expect(refused.status == 8 && refused.errors.contains("is not empty, and no kennel"))
  }

  @Test func passwordsAreAnotherOneEachTime() {
    let passwords = Set((0..<100).map { _ in DemoKennel.makePassword() })
    #expect(passwords.count == 100 && passwords.allSatisfy { $0.count == 14 })
  }
}
