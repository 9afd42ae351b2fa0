#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

/// A program's mistakes cause an error with a clear message, never a trap, and leave the session usable.
@Suite(.timeLimit(.minutes(5))) struct BadInputTests {
  private let session = URLSession.forTest()

  private enum Form: CaseIterable { case data, download, bytes, upload }

  /// Runs the same load in every form. All must end with the same code and with a message that is a sentence.
  private func expect(
    _ code: URLError.Code, for request: URLRequest, session: URLSession? = nil,
    _ sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let session = session ?? self.session
    for form in Form.allCases {
      do {
        switch form {
        case .data: _ = try await session.data(for: request)
        case .download: _ = try await session.download(for: request)
        case .bytes: _ = try await session.bytes(for: request)
        case .upload: _ = try await session.upload(for: request, from: Data("x".utf8))
        }
        Issue.record("\(form) succeeded", sourceLocation: sourceLocation)
      } catch let error as URLError {
        #expect(error.code == code, "\(form)", sourceLocation: sourceLocation)
        #expect(error.localizedDescription.hasSuffix("."), sourceLocation: sourceLocation)
      }
    }
    #expect(await session.allTasks.isEmpty, sourceLocation: sourceLocation)
    try await session.expectUsable(sourceLocation)
  }

  @Test(arguments: [
    ("http:///path", URLError.Code.badURL), ("https:", .badURL), ("http://example.com:99999/", .badURL),
    ("ftp://example.com/", .unsupportedURL), ("file:///missing", .fileDoesNotExist),
    ("data:no-comma", .badURL), ("relative/path", .unsupportedURL), ("gopher://x/", .unsupportedURL),
  ])
  func `a URL that cannot be loaded is an error`(text: String, code: URLError.Code) async throws {
    try await expect(code, for: URLRequest(url: try #require(URL(string: text))))
  }

  @Test func `errors and descriptions do not contain the password of a URL`() async throws {
    let url = try #require(URL(string: "http://user:secret@127.0.0.1:1/path"))
    let request = URLRequest(url: url)
    do {
      _ = try await session.data(for: request)
      Issue.record("The connection succeeded without a server")
    } catch let error as URLError {
      #expect(error.code == .cannotConnectToHost)
      #expect(error.failingURL?.absoluteString == "http://127.0.0.1:1/path")
      #expect(!"\(error) \(error.userInfo)".contains("secret"))
    }
    var dumped = ""
    dump(request, to: &dumped)
    let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: nil)
    for text in [dumped, "\(request)", request.debugDescription, response?.description ?? "secret"] {
      #expect(text.contains("http://127.0.0.1:1/path"))
      #expect(!text.contains("secret"))
    }
  }

  @Test func `a request without a URL fails`() async throws {
    var request = URLRequest(url: URL(fileURLWithPath: "/"))
    request.url = nil
    try await expect(.unsupportedURL, for: request)
  }

  @Test(arguments: ["a\r\nEvil: yes", "a\nEvil: yes", "a\rEvil: yes", "a\0b"])
  func `a line break in a header field is never sent`(text: String) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    var request = URLRequest(url: server.url())
    request.setValue(text, forHTTPHeaderField: "X-A")
    try await expect(.badURL, for: request)
    request = URLRequest(url: server.url())
    request.addValue(text, forHTTPHeaderField: "X-B")
    try await expect(.badURL, for: request)
    request = URLRequest(url: server.url())
    request.setValue("v", forHTTPHeaderField: "X-\(text)")
    try await expect(.badURL, for: request)
    request = URLRequest(url: server.url())
    request.httpMethod = "GET \(text)"
    try await expect(.badURL, for: request)
    #expect(server.requests.isEmpty)
  }

  @Test func `a line break in a session's additional field fails the load`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let session = URLSession.forTest { $0.httpAdditionalHeaders = ["X-A": "a\r\nEvil: yes"] }
    #expect(await errorCode { _ = try await session.data(from: server.url()) } == .badURL)
    #expect(server.requests.isEmpty)
  }

  @Test func `a missing body file is an error`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let directory = try TemporaryDirectory()
    let request = URLRequest(url: server.url())
    let missing = directory.file("missing")
    #expect(
      await errorCode { _ = try await session.upload(for: request, fromFile: missing) } == .fileDoesNotExist
    )
    let remote = server.url("/file")
    #expect(
      await errorCode { _ = try await session.upload(for: request, fromFile: remote) } == .fileDoesNotExist)
    #expect(
      await errorCode { _ = try await session.upload(for: request, fromFile: directory.url) }
        == .fileIsDirectory)
    #expect(server.connectionCount == 0)
    try await session.expectUsable()
  }

  @Test func `a named pipe is not uploaded and does not block`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let directory = try TemporaryDirectory()
    #expect(mkfifo(directory.path("pipe"), 0o600) == 0)
    let code = await errorCode {
      _ = try await session.upload(for: URLRequest(url: server.url()), fromFile: directory.file("pipe"))
    }
    #expect(code == .fileIsDirectory)
    try await session.expectUsable()
  }

  @Test func `a body file that becomes shorter during the upload is an error`() async throws {
    let (reached, shrunk) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      _ = try connection.readHead()
      reached.open()
      try connection.wait(for: shrunk)
      try connection.readUntilClosed()
    }
    let directory = try TemporaryDirectory()
    let file = directory.file("body")
    try Data().write(to: file)
    #expect(truncate(file.path, 64 << 20) == 0)
    let task = Task { try await session.upload(for: URLRequest(url: server.url()), fromFile: file) }
    #expect(await reached.wait(within: .seconds(90)))
    #expect(truncate(file.path, 1000) == 0)
    shrunk.open()
    #expect(await errorCode { _ = try await task.value } == .requestBodyStreamExhausted)
    try await session.expectUsable()
  }

  @Test func `a body file that grows is sent with its announced length`() async throws {
    let (reached, grown) = (Gate(), Gate())
    let server = try ScriptedServer { connection in
      guard let head = try connection.readHead() else { return }
      reached.open()
      try connection.wait(for: grown)
      let length = Int(head["Content-Length"] ?? "") ?? 0
      var left = length
      while left > 0 { left -= try connection.read(upTo: min(left, 65_536)).count }
      try connection.send(Reply(text: "\(length)"))
    }
    let directory = try TemporaryDirectory()
    let file = directory.file("body")
    try Data().write(to: file)
    #expect(truncate(file.path, 32 << 20) == 0)
    let delegate = HandlerDelegate()
    let task = Task {
      try await session.upload(for: URLRequest(url: server.url()), fromFile: file, delegate: delegate)
    }
    #expect(await reached.wait(within: .seconds(90)))
    #expect(truncate(file.path, 48 << 20) == 0)
    grown.open()
    #expect(try await task.value.0 == Data("\(32 << 20)".utf8))
    #expect(delegate.log.current.sent.last?.1 == 32 << 20)
    #expect(delegate.log.current.sent.allSatisfy { $0.2 == 32 << 20 })
  }

  @Test func `a temporary directory that is not writable fails downloads only`() async throws {
    await #expect(processExitsWith: .success) {
      // Even the superuser cannot create files here.
      setenv("TMPDIR", "/proc/self", 1)
      let server = try ScriptedServer.http { _ in Reply(text: "x") }
      let session = URLSession.forTest()
      let code = await errorCode { _ = try await session.download(from: server.url()) }
      #expect(code == .cannotCreateFile)
      let reported = Gate()
      let task = session.downloadTask(with: server.url()) { file, _, error in
        if file == nil, (error as? URLError)?.code == .cannotCreateFile { reported.open() }
      }
      task.resume()
      #expect(await reported.wait(within: .seconds(90)))
      let delegate = HandlerDelegate()
      let delegated = URLSession.forTest(delegate: delegate)
      delegated.downloadTask(with: server.url()).resume()
      #expect(await delegate.log.completed.wait(within: .seconds(90)))
      #expect((delegate.log.current.error as? URLError)?.code == .cannotCreateFile)
      #expect(server.connectionCount == 0)
      #expect(try await session.data(from: server.url()).0 == Data("x".utf8))
    }
  }

  @Test func `a full disk fails the download`() async throws {
    await #expect(processExitsWith: .success) {
      let directory = try TemporaryDirectory()
      setenv("TMPDIR", directory.url.path, 1)
      // No file of this process may be longer: writing beyond the limit fails, as on a full disk.
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit(rlim_cur: 3 << 20, rlim_max: 3 << 20)
      setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
      let server = try ScriptedServer.http { _ in Reply(body: Data(count: 16 << 20)) }
      let session = URLSession.forTest()
      let code = await errorCode { _ = try await session.download(from: server.url()) }
      #expect(code == .cannotWriteToFile)
      #expect(await eventually { ResourceSnapshot.take().temporaryFiles.isEmpty })
      try await session.expectUsable()
    }
  }

  @Test(arguments: [0, -1, -Double.infinity, .nan])
  func `a time-out of zero or less ends the load immediately`(interval: Double) async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    var request = URLRequest(url: server.url())
    request.timeoutInterval = interval
    #expect(await errorCode { _ = try await session.data(for: request) } == .timedOut)
    let impatient = URLSession.forTest { $0.timeoutIntervalForRequest = interval }
    #expect(await errorCode { _ = try await impatient.data(from: server.url()) } == .timedOut)
    let briefly = URLSession.forTest { $0.timeoutIntervalForResource = interval }
    #expect(await errorCode { _ = try await briefly.data(from: server.url()) } == .timedOut)
    try await session.expectUsable()
  }

  @Test(arguments: [Double.infinity, .greatestFiniteMagnitude, 1e12])
  func `a very long time-out does not end the load`(interval: Double) async throws {
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    var request = URLRequest(url: server.url())
    request.timeoutInterval = interval
    let session = URLSession.forTest { $0.timeoutIntervalForResource = interval }
    #expect(try await session.data(for: request).0 == Data("x".utf8))
  }

  @Test func `a request time-out ends the load`() async throws {
    let server = try ScriptedServer([.readRequest, .hold])
    var request = URLRequest(url: server.url())
    request.timeoutInterval = 0.2
    try await expect(.timedOut, for: request)
    let session = URLSession.forTest { $0.timeoutIntervalForRequest = 0.2 }
    try await expect(.timedOut, for: URLRequest(url: server.url()), session: session)
  }

  @Test func `the resource time-out includes redirects`() async throws {
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        try connection.pacing(.milliseconds(60))
        try connection.send(.redirect(to: "/\((Int(request.target.dropFirst()) ?? 0) + 1)"))
      }
    }
    let session = URLSession.forTest { $0.timeoutIntervalForResource = 0.4 }
    #expect(await errorCode { _ = try await session.data(from: server.url("/0")) } == .timedOut)
    #expect(server.requests.count < 15)
  }

  @Test func `unusual configuration values are accepted`() async throws {
    for count in [0, -5, Int.max, Int.min] {
      let session = URLSession.forTest { $0.httpMaximumConnectionsPerHost = count }
      try await session.expectUsable()
    }
    let session = URLSession.forTest { configuration in
      configuration.httpAdditionalHeaders = [1: 2, "X-Empty": "", AnyHashable("X-Date"): Date.distantPast]
      configuration.maximumBufferedBodySize = nil
    }
    let server = try ScriptedServer.http { _ in Reply(text: "x") }
    #expect(try await session.data(from: server.url()).0 == Data("x".utf8))
  }
}
#endif
