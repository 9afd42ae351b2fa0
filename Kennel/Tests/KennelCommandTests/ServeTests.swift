import Foundation
import Glibc
import Retriever
import TestSupport
import Testing

@testable import KennelCommand

@Suite(.timeLimit(.minutes(5))) struct ServeTests {
  private func session() -> URLSession { URLSession(configuration: .ephemeral) }

  @Test func `the server responds, and exits with status 0 after a signal`() async throws {
    let kennel = try await Kennel.withOwner()
    for signal in [SIGTERM, SIGINT] {
      let server = try await kennel.start("serve", "--port", "0", "--title", "Dogs & more", "--log")
      let (page, _) = try await session().data(from: server.url("/"))
      #expect(String(decoding: page, as: UTF8.self).contains("Dogs &amp; more"))
      #expect(try await server.end(signal) == 0)
    }
    #expect(kennel.serverErrors.contains(" 127.0.0.1 GET / 200 "))
  }

  /// Returns the states of the processes that a process has started, as /proc has them.
  private func children(of parent: pid_t) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.compactMap {
      try? String(contentsOfFile: "/proc/\($0)/status", encoding: .utf8)
    }.filter { $0.contains("\nPPid:\t\(parent)\n") }
  }

  @Test func `the server decodes photos in a process that may do nothing else`() async throws {
    let kennel = try await Kennel.withOwner()
    let server = try await kennel.start("serve", "--port", "0")
    let states = try children(of: server.child.identifier)
    #expect(states.count == 1)
    #expect(states.allSatisfy { $0.contains("\nNoNewPrivs:\t1\n") && $0.contains("\nSeccomp:\t2\n") })
    #expect(try await server.end() == 0)
    let plain = try await kennel.start("serve", "--port", "0", "--no-sandbox")
    #expect(try children(of: plain.child.identifier).isEmpty)
    #expect(try await plain.end() == 0)
  }

  @Test func `an invalid address gives a clear error`() async throws {
    let kennel = try await Kennel.withOwner()
    let result = try await kennel.run("serve", "--address", "localhost")
    #expect(result.status == 1)
    #expect(result.errors.contains(#""localhost" is not an IP address. Use --port or --address"#))
  }

  @Test(arguments: [
    ["--address", "localhost"], ["--address", "192.0.2.1"], ["--unix-socket", "/nothing/here"],
  ])
  func `a failure to listen creates no kennel`(arguments: [String]) async throws {
    let kennel = try Kennel()
    let result = try await kennel.run("serve", arguments[0], arguments[1])
    #expect(result.status == 1 && result.errors.hasPrefix("kennel: Could not listen on "))
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
    let demo = try await kennel.run("demo", kennel.data, arguments[0], arguments[1])
    #expect(demo.status == 1 && !demo.errors.contains("Drawing"))
    #expect(!FileManager.default.fileExists(atPath: kennel.data))
  }

  @Test func `a Unix socket can be in a data directory that does not exist yet`() async throws {
    let kennel = try Kennel()
    let server = try await kennel.start("serve", "--unix-socket", kennel.data + "/http.sock")
    #expect(try await server.end() == 0)
    let slashed = kennel.directory.path("slashed") + "/"
    let another = try await kennel.start("serve", "--data", slashed, "--unix-socket", slashed + "http.sock")
    #expect(try await another.end() == 0)
    let other = kennel.directory.path("other")
    let tooLong = other + "/" + String(repeating: "x", count: 200)
    let refused = try await kennel.run("serve", "--data", other, "--unix-socket", tooLong)
    #expect(refused.status == 1 && !FileManager.default.fileExists(atPath: other))
  }

  @Test func `event streams end when the server stops, and do not delay it`() async throws {
    let kennel = try await Kennel.withOwner()
    let server = try await kennel.start("serve", "--port", "0")
    let (bytes, _) = try await session().bytes(from: server.url("/events"))
    var lines = bytes.lines.makeAsyncIterator()
    #expect(try await lines.next()?.contains("hello") == true)
    async let status = server.end()
    while let line = try await lines.next() { #expect(line.contains("kind")) }
    #expect(try await status == 0)
  }

  @Test func `a stopping server completes an open response`() async throws {
    let kennel = try await Kennel.withOwner()
    let server = try await kennel.start("serve", "--port", "0")
    let port = UInt16(try #require(server.url("/").port))
    let connection = try RawClient(port: port)
    let body = #"{"name":"Ada","password":"tennis ball"}"#
    try connection.send(
      "POST /session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
        + "Content-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n")
    // The handler is waiting for the body, so the response is open.
    #expect(try await connection.blocking { try $0.readHead().status } == 100)
    async let status = server.end()
    #expect(await eventually { (try? RawClient(port: port)) == nil })
    try connection.send(body)
    let response = try await connection.blocking { try $0.readResponse() }
    #expect(response.status == 201 && response.text.contains("}}"))
    #expect(try await status == 0)
  }

  @Test func `the server notifies the service manager when it is ready`() async throws {
    let kennel = try await Kennel.withOwner()
    let path = kennel.directory.path("notify")
    let listener = try DatagramListener(path)
    var notified = kennel
    notified.environment["NOTIFY_SOCKET"] = path
    let server = try await notified.start("serve", "--port", "0")
    #expect(await listener.next() == "READY=1")
    #expect(try await server.end() == 0)
    #expect(await listener.next() == "STOPPING=1")
  }

  @Test func `serving on a port in use gives a clear error`() async throws {
    let kennel = try await Kennel.withOwner()
    let server = try await kennel.start("serve", "--port", "0")
    let port = try #require(server.url("/").port)
    let second = try await kennel.run("serve", "--port", "\(port)")
    #expect(
      second.status == 1 && second.errors.hasPrefix("kennel: ")
        && second.errors.contains("port \(port) of 127.0.0.1"))
    #expect(try await server.end() == 0)
  }

  @Test func aUnixSocketIsServedToo() async throws {
    let kennel = try await Kennel.withOwner()
    let path = kennel.directory.path("http.sock")
    let server = try await kennel.start("serve", "--unix-socket", path)
    #expect(server.address == "the Unix socket \(path)")
    #expect(FileManager.default.fileExists(atPath: path))
    #expect(try await server.end() == 0)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func `a server without accounts prints how to create one`() async throws {
    let kennel = try Kennel()
    let server = try await kennel.start("serve", "--port", "0")
    #expect(await eventually { kennel.serverErrors.contains("kennel user add NAME") })
    #expect(try await server.end() == 0)
  }

  @Test func `the first start prints a link that creates the owner, and the log does not have it`()
    async throws
  {
    let kennel = try Kennel()
    let server = try await kennel.start("serve", "--port", "0", "--log")
    let lines = await runOnThread {
      [server.child.readLine(within: .seconds(50)), server.child.readLine(within: .seconds(50))]
    }
    #expect(lines[0]?.hasPrefix("This kennel has no accounts yet.") == true)
    let link = try #require(lines[1])
    #expect(link.hasPrefix(server.address + "join/"))
    // A QR code is for terminals only.
    #expect(!link.contains("\u{1B}"))
    var request = URLRequest(url: try #require(URL(string: link)))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(#"{"name":"Ada","password":"tennis ball"}"#.utf8)
    for status in [201, 404] {
      let (_, response) = try await session().data(for: request)
      #expect((response as? HTTPURLResponse)?.statusCode == status)
    }
    #expect(try await kennel.run("user", "list").output.hasPrefix("Ada  owner "))
    #expect(try await server.end() == 0)
    #expect(kennel.serverErrors.contains(" POST /join/*** 201 "))
    #expect(!kennel.serverErrors.contains(link.suffix(43)))
    let again = try await kennel.start("serve", "--port", "0")
    #expect(try await session().data(from: again.url("/health")).0.isEmpty == false)
    #expect(try await again.end() == 0)
  }
}

/// Receives datagrams on a Unix socket.
private final class DatagramListener: Sendable {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + path.utf8.count + 1)
    let code = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    guard code == 0 else { throw TestSupportError("No socket at \(path)") }
  }

  deinit { close(descriptor) }

  func next() async -> String? {
    await runOnThread { [descriptor] in
      var ready = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 20_000) > 0 else { return nil }
      var bytes = [UInt8](repeating: 0, count: 256)
      let count = recv(descriptor, &bytes, bytes.count, 0)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
  }
}
