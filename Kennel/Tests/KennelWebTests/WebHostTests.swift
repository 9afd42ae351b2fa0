import Foundation
import HTTPService
import KennelTestSupport
import TestSupport
import Testing

@testable import KennelWeb

/// A foreign page that points its own host name to this server must not receive any content.
@Suite(.timeLimit(.minutes(5))) struct WebHostTests {
  private func exchange(_ web: SiteFixture, _ fields: [String], version: String = "HTTP/1.1") async throws
    -> String
  {
    let head = (["GET /posts \(version)"] + fields + ["Connection: close"]).joined(separator: "\r\n")
    return try await RawClient(port: web.port).exchange(head + "\r\n\r\n")
  }

  @Test func `an unknown host name is refused with advice`() async throws {
    try await withSite { web in
      let answer = try await exchange(web, ["Host: Evil.Example:8080"])
      #expect(answer.hasPrefix("HTTP/1.1 421 "))
      #expect(answer.contains("Content-Type: application/problem+json"))
      #expect(answer.contains(#""title":"Misdirected Request""#) && answer.contains("--name evil.example"))
      // This applies to all paths: pages, pictures and changes.
      for path in ["/", "/health", "/assets/page.css", "/posts/1/photo", "/events"] {
        let answer = try await RawClient(port: web.port).exchange(
          "GET \(path) HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
        #expect(answer.hasPrefix("HTTP/1.1 421 "), "\(path)")
      }
    }
  }

  @Test func `the response to an unknown host reveals nothing about the kennel`() async throws {
    try await withSite {
      $0.title = "The dogs of number 7"
    } _: { web in
      let answer = try await exchange(web, ["Host: evil.example", "Accept: text/html,*/*;q=0.8"])
      #expect(answer.contains("Content-Type: application/problem+json"))
      #expect(!answer.contains("number 7") && !answer.contains("<form"))
    }
  }

  @Test func `allowed names and addresses are answered`() async throws {
    try await withSite {
      var hosts = AllowedHosts(machine: "pi")
      _ = hosts.allow("dogs.example")
      $0.hosts = hosts
    } _: { web in
      for host in ["127.0.0.1:\(web.port)", "[::1]", "LOCALHOST.", "pi.local:80", "Dogs.Example:443"] {
        let answer = try await exchange(web, ["Host: \(host)"])
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(host)")
      }
      // A request without Host is accepted, because browsers always send it.
      let answer = try await exchange(web, [], version: "HTTP/1.0")
      #expect(answer.contains(" 200 "))
    }
  }

  @Test func `an invalid, missing or repeated Host field is a bad request`() async throws {
    try await withSite { web in
      for fields in [
        ["Host: a b"], ["Host: user@localhost"], ["Host:"], ["Host: localhost", "Host: localhost"], [],
      ] {
        let answer = try await exchange(web, fields)
        #expect(answer.hasPrefix("HTTP/1.1 400 ") && answer.contains("application/problem+json"), "\(fields)")
      }
    }
  }

  @Test func `the forwarded host of a trusted proxy must be allowed too`() async throws {
    try await withSite {
      $0.trustedProxies = ["127.0.0.1"]
    } _: { web in
      let strange = try await exchange(web, ["Host: localhost", "X-Forwarded-Host: evil.example"])
      #expect(strange.hasPrefix("HTTP/1.1 421 "))
      // A foreign page that has reached the server can set all fields except Host.
      let forged = ["Host: evil.example", "X-Forwarded-Host: localhost", "X-Forwarded-Proto: https"]
      #expect(try await exchange(web, forged).hasPrefix("HTTP/1.1 421 "))
    }
  }

  /// Returns the status of requests for another name, by the address they come from.
  private func statuses(_ web: SiteFixture, _ requests: [(address: String, scheme: String?)]) throws
    -> [HTTPStatus]
  {
    try requests.map { address, scheme in
      var fields: HTTPFields = ["Host": "dogs.example"]
      fields["X-Forwarded-Proto"] = scheme
      let request = try HTTPRequest(target: "/", fields: fields, remoteAddress: address)
      do throws(Problem) {
        try web.site.policy.refuseUnknownHost(request)
        return .ok
      } catch {
        return error.status
      }
    }
  }

  @Test func `TLS requests through a Unix socket need no allowed name`() async throws {
    try await withSite {
      $0.trustedProxies = ["unix", "10.0.0.1"]
    } _: { web in
      let statuses = try statuses(
        web, [("unix", "https"), ("unix", "http"), ("unix", nil), ("10.0.0.1", "https")])
      #expect(statuses == [.ok, .misdirectedRequest, .misdirectedRequest, .misdirectedRequest])
    }
    try await withSite {
      $0.isBehindTLS = true
    } _: { web in
      let statuses = try statuses(web, [("unix", nil), ("127.0.0.1", nil), ("127.0.0.1", "https")])
      #expect(statuses == [.ok, .misdirectedRequest, .misdirectedRequest])
    }
  }
}
