#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Servers that give wrong answers to resumed uploads, refuse them, or send them elsewhere.
@Suite(.timeLimit(.minutes(5))) struct UploadServerFaultTests {
  private static let body = Data("0123456789".utf8)

  private func request(_ server: ResumableUploadServer) -> URLRequest {
    var request = URLRequest(url: server.url("/photos"))
    request.httpMethod = "POST"
    return request
  }

  /// Uploads to a server that cuts the first request after four bytes. Returns the error, if any.
  private func error(
    receptions: [ResumableUploadServer.Reception] = [.cut(after: 4)],
    _ change: (inout ResumableUploadServer.Behavior) -> Void
  ) async throws -> (ResumableUploadServer, URLError?) {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = receptions
    change(&behavior)
    let server = try ResumableUploadServer(behavior)
    let session = URLSession.forTest()
    do {
      _ = try await session.upload(for: request(server), from: Self.body)
      return (server, nil)
    } catch let error as URLError {
      try await session.expectUsable()
      return (server, error)
    }
  }

  @Test(
    arguments: [
      "11", "9223372036854775807", "99999999999999999999", "-1", "4.5", "abc", "", "0x4", "4, 5", " ", "?1",
      "+4",
    ])
  func `a wrong offset is a clear error, and nothing is sent`(offset: String) async throws {
    let (server, error) = try await error {
      $0.head = { Reply($1.status, headers: [("Upload-Offset", offset)], framing: .none) }
    }
    #expect(error?.code == .badServerResponse)
    #expect(error?.localizedDescription.contains("upload") == true)
    #expect(error?.uploadTaskResumeData == nil)
    #expect(server.requests.map(\.method) == ["POST", "HEAD"])
  }

  @Test func `an offset with parameters is valid`() async throws {
    let (server, error) = try await error {
      $0.head = { Reply($1.status, headers: [("Upload-Offset", "4;a=b")], framing: .none) }
    }
    #expect(error == nil)
    #expect(server.uploads.map(\.bytes) == [Self.body])
  }

  @Test func `an answer without an offset, or with two, is an error`() async throws {
    for headers in [[], [("Upload-Offset", "4"), ("Upload-Offset", "4")]] {
      let (server, error) = try await error {
        $0.head = { _, _ in Reply(204, headers: headers, framing: .none) }
      }
      #expect(error?.code == .badServerResponse)
      #expect(server.requests.count == 2)
    }
  }

  @Test func `an offset that decreases is an error`() async throws {
    let (server, error) = try await error(receptions: [.cut(after: 6), .cut(after: 1)]) {
      $0.head = { $0 == 0 ? $1 : Reply(204, headers: [("Upload-Offset", "5")], framing: .none) }
    }
    #expect(error?.code == .badServerResponse)
    #expect(server.requests.map(\.method) == ["POST", "HEAD", "PATCH", "HEAD"])
  }

  @Test func `a complete upload that lacks bytes is an error`() async throws {
    let (_, error) = try await error {
      $0.head = { _, _ in
        Reply(204, headers: [("Upload-Offset", "4"), ("Upload-Complete", "?1")], framing: .none)
      }
    }
    #expect(error?.code == .badServerResponse)
  }

  @Test func `a server that never has the complete upload is an error`() async throws {
    let (server, error) = try await error {
      $0.head = { _, _ in Reply(204, headers: [("Upload-Offset", "4")], framing: .none) }
      $0.refusal = {
        $0.method == "PATCH" ? Reply(200, headers: [("Upload-Complete", "?0")], text: "more") : nil
      }
    }
    #expect(error?.code == .badServerResponse)
    #expect(server.requests.count { $0.method == "PATCH" } == 4)
  }

  @Test func `an upload that the server has forgotten is an error without resume data`() async throws {
    for status in [404, 410] {
      let (_, error) = try await error { $0.head = { _, _ in Reply(status, framing: .none) } }
      #expect(error?.code == .resourceUnavailable)
      #expect(error?.uploadTaskResumeData == nil)
    }
  }

  @Test func `a server that fails now keeps the upload for later`() async throws {
    let (server, error) = try await error { $0.head = { $0 == 0 ? Reply(503, framing: .none) : $1 } }
    #expect(error?.code == .badServerResponse)
    let data = try #require(error?.uploadTaskResumeData)
    _ = try await URLSession.forTest().upload(resumeFrom: data)
    #expect(server.uploads.map(\.bytes) == [Self.body])
  }

  @Test func `a conflict asks for the offset again`() async throws {
    let (server, error) = try await error {
      $0.head = { $0 == 0 ? Reply(204, headers: [("Upload-Offset", "3")], framing: .none) : $1 }
    }
    #expect(error == nil)
    #expect(server.uploads.map(\.bytes) == [Self.body])
    #expect(server.requests.compactMap { $0["Upload-Offset"] } == ["3", "4"])
  }

  @Test func `a final response of any status is delivered`() async throws {
    for status in [400, 413, 500] {
      var behavior = ResumableUploadServer.Behavior()
      behavior.receptions = [.cut(after: 4)]
      behavior.final = { _, _ in Reply(status, text: "no") }
      let server = try ResumableUploadServer(behavior)
      let (text, response) = try await URLSession.forTest().upload(for: request(server), from: Self.body)
      #expect((response as? HTTPURLResponse)?.statusCode == status)
      #expect(text == Data("no".utf8))
    }
  }

  @Test func `two upload resources for one request fail the upload`() async throws {
    let (_, error) = try await error(receptions: [.stall(after: 4, reached: Gate())]) {
      $0.interims = { [$0, $0.replacingOccurrences(of: "uploads/0", with: "uploads/1")] }
    }
    #expect(error?.code == .badServerResponse)
    #expect(error?.uploadTaskResumeData == nil)
  }

  @Test(
    arguments: [
      "ftp://127.0.0.1/uploads/0", "file:///etc/passwd", "http://user:word@127.0.0.1/", "http://", "://", "",
      "http://127.0.0.1:0/", "javascript:alert(1)",
    ])
  func `an unusable upload resource is not used`(location: String) async throws {
    let (server, error) = try await error {
      $0.interims = { [$0.replacingOccurrences(of: "/uploads/0", with: location)] }
    }
    #expect(error?.code == .networkConnectionLost)
    #expect(error?.uploadTaskResumeData == nil)
    #expect(server.requests.count == 1)
  }

  @Test func `credentials do not cross to an upload resource of another origin`() async throws {
    let other = try ResumableUploadServer()
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 0)]
    let address = other.server.address()
    behavior.interims = { [$0.replacingOccurrences(of: "/uploads/", with: address + "uploads/")] }
    let server = try ResumableUploadServer(behavior)
    // The other server has an upload with the same number.
    _ = try await URLSession.forTest().upload(for: request(other), from: Data("x".utf8))
    let session = URLSession.forTest {
      $0.httpAdditionalHeaders = ["X-Session-Token": "secret", "Accept-Language": "de"]
    }
    var request = request(server)
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.setValue("a=secret", forHTTPHeaderField: "Cookie")
    request.setValue("secret", forHTTPHeaderField: "X-Anything")
    request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    do {
      _ = try await session.upload(for: request, from: Self.body)
    } catch let error as URLError {
      // The other server's upload has another length.
      #expect(error.code == .badServerResponse)
    }
    let head = try #require(other.requests.last)
    #expect(head.method == "HEAD")
    #expect(head["Upload-Draft-Interop-Version"] == "6")
    #expect(head["Accept-Language"] == "de")
    #expect(!head.fields.contains { $0.value.contains("secret") })
    #expect(server.requests.first?["Authorization"] == "Bearer secret")
    #expect(server.requests.first?["X-Session-Token"] == "secret")
  }

  @Test func `credentials of the request go to an upload resource of the same origin`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 4)]
    let server = try ResumableUploadServer(behavior)
    var request = request(server)
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    _ = try await URLSession.forTest().upload(for: request, from: Self.body)
    #expect(server.requests.allSatisfy { $0["Authorization"] == "Bearer secret" })
    #expect(server.requests.count == 3)
  }

  @Test func `an upload resource outside the address policy is refused`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 4)]
    behavior.interims = { [$0.replacingOccurrences(of: "/uploads/", with: "http://127.0.0.2:1/uploads/")] }
    let server = try ResumableUploadServer(behavior)
    var allowed = AddressPolicy.listedOnly
    try allowed.allow("127.0.0.1")
    let policy = allowed
    let session = URLSession.forTest { $0.addressPolicy = policy }
    #expect(
      await errorCode { _ = try await session.upload(for: request(server), from: Self.body) }
        == .dataNotAllowed)
  }

  @Test func `challenges are answered for each request of the upload`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 4)]
    behavior.refusal = { request in
      // Each request to the upload resource needs its own credential.
      request["Authorization"] == nil
        ? Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"\(request.method)\"")]) : nil
    }
    let server = try ResumableUploadServer(behavior)
    let answers = DelegateLog.Answers(
      challenge: { _ in (.useCredential, URLCredential(user: "u", password: "p", persistence: .none)) })
    let delegate = HandlerDelegate(answers)
    let (text, _) = try await URLSession.forTest().upload(
      for: request(server), from: Self.body, delegate: delegate)
    #expect(text == Data("10".utf8))
    #expect(server.uploads.map(\.bytes) == [Self.body])
  }

  @Test func `a redirect of the question for the offset is followed`() async throws {
    for status in [307, 308] {
      var behavior = ResumableUploadServer.Behavior()
      behavior.receptions = [.cut(after: 4)]
      behavior.interims = { [$0.replacingOccurrences(of: "/uploads/", with: "/moved/")] }
      behavior.refusal = { request in
        guard request.path.hasPrefix("/moved/") else { return nil }
        return .redirect(to: "/uploads/" + request.path.dropFirst(7), status: status)
      }
      let server = try ResumableUploadServer(behavior)
      let (text, _) = try await URLSession.forTest().upload(for: request(server), from: Self.body)
      #expect(text == Data("10".utf8))
      #expect(server.uploads.map(\.bytes) == [Self.body])
      #expect(server.requests.map(\.path) == ["/photos", "/moved/0", "/uploads/0", "/uploads/0"])
    }
  }

  @Test func `a redirect before the upload begins creates the upload at its target`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 4)]
    behavior.refusal = { $0.path == "/photos" ? .redirect(to: "/other", status: 307) : nil }
    let server = try ResumableUploadServer(behavior)
    let (text, _) = try await URLSession.forTest().upload(for: request(server), from: Self.body)
    #expect(text == Data("10".utf8))
    #expect(server.requests.map(\.path) == ["/photos", "/other", "/uploads/0", "/uploads/0"])
    #expect(server.requests[1]["Upload-Complete"] == "?1")
  }

  @Test func `a cached response never answers the question for the offset`() async throws {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 2), .cut(after: 2)]
    behavior.head = { _, correct in
      var reply = correct
      reply.headers.removeAll { $0.0 == "Cache-Control" }
      reply.headers.append(("Cache-Control", "public, max-age=3600"))
      return reply
    }
    let server = try ResumableUploadServer(behavior)
    let session = URLSession.forTest { $0.urlCache = URLCache(memoryCapacity: 1 << 20, diskCapacity: 0) }
    let (text, _) = try await session.upload(for: request(server), from: Self.body)
    #expect(text == Data("10".utf8))
    #expect(server.requests.compactMap { $0["Upload-Offset"] } == ["2", "4"])
  }
}
#endif
