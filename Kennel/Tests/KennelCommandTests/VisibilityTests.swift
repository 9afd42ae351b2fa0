import Foundation
import Glibc
import Retriever
import TestSupport
import Testing

@testable import KennelCommand

/// `kennel visibility`, and the server that follows it.
@Suite(.timeLimit(.minutes(5))) struct VisibilityTests {
  private static func kennel() async throws -> Kennel {
    var kennel = try await Kennel.withOwner()
    kennel.environment["KENNEL_PUBLIC"] = nil
    return kennel
  }

  private func status(_ server: Kennel.Server) async throws -> Int? {
    let (_, response) = try await URLSession.shared.data(from: server.url("/posts"))
    return (response as? HTTPURLResponse)?.statusCode
  }

  @Test func `a new kennel is closed, and a running server follows the owner`() async throws {
    let kennel = try await Self.kennel()
    let server = try await kennel.start("serve", "--port", "0")
    #expect(try await status(server) == 401)
    #expect(try await kennel.run("visibility").output == "Only people with an account can see the photos.\n")
    #expect(
      try await kennel.run("visibility", "everyone").output
        == "Everyone who reaches the server can see the photos.\n")
    #expect(try await status(server) == 200)
    #expect(try await kennel.run("visibility", "people").status == 0)
    #expect(try await status(server) == 401)
    #expect(try await server.end() == 0)
    let open = try await kennel.start("serve", "--port", "0", "--public")
    #expect(try await status(open) == 200)
    #expect(try await open.end() == 0)
  }

  @Test func `a word that is no choice is refused`() async throws {
    let kennel = try await Self.kennel()
    let result = try await kennel.run("visibility", "everyon")
    #expect(result.status == 2)
    #expect(
      result.errors.contains(
        "The visibility is people or everyone, not “everyon”. Did you mean everyone?"))
  }

  @Test func `the addresses of this machine are printed when the server listens on all`() async throws {
    let addresses = NetworkInterfaces.addresses()
    #expect(!addresses.contains { $0.hasPrefix("127.") })
    #expect(addresses.allSatisfy { $0.split(separator: ".").count == 4 })
    let kennel = try await Self.kennel()
    let server = try await kennel.start("serve", "--port", "0", "--address", "0.0.0.0")
    for address in addresses {
      let line = await runOnThread { server.child.readLine(within: .seconds(50)) }
      #expect(line?.hasPrefix("In the local network, it is at http://\(address):") == true)
    }
    #expect(try await server.end() == 0)
  }
}
