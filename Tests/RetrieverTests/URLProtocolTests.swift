import Foundation
import Glibc
import Retriever
import Synchronization
import TestSupport
import Testing

/// Protocols in the shapes in which people write them for tests.
@Suite struct URLProtocolTests {
  /// A mock whose handler, set by the test, returns a response and a body.
  class HandlerProtocol: URLProtocol {
    typealias Handler = @Sendable (URLRequest) throws -> (URLResponse, [Data])

    // One handler for each host, so that tests do not affect each other.
    private static let handlers = Mutex<[String: Handler]>([:])

    static func session(host: String, _ handler: @escaping Handler) -> URLSession {
      handlers.withLock { $0[host] = handler }
      let configuration = URLSessionConfiguration.ephemeral
      configuration.protocolClasses = [HandlerProtocol.self]
      return URLSession(configuration: configuration)
    }

    override class func canInit(with request: URLRequest) -> Bool {
      request.url?.host.map { host in handlers.withLock { $0[host] != nil } } ?? false
    }
    override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
    override func startLoading() {
      guard let host = request.url?.host, let handler = Self.handlers.withLock({ $0[host] }) else { return }
      do {
        let (response, body) = try handler(request)
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        for part in body { client?.urlProtocol(self, didLoad: part) }
        client?.urlProtocolDidFinishLoading(self)
      } catch {
        client?.urlProtocol(self, didFailWithError: error)
      }
    }
    override func stopLoading() {}
  }

  private static func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private static func response(_ request: URLRequest, _ status: Int = 200) throws -> HTTPURLResponse {
    let url = try #require(request.url)
    return try #require(
      HTTPURLResponse(
        url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: ["X-Mock": "yes"]))
  }

  @Test func `data comes from the protocol, in several parts`() async throws {
    let session = HandlerProtocol.session(host: "data.mock") { request in
      (try Self.response(request, 201), [Data("one ".utf8), Data("two".utf8)])
    }
    let (data, response) = try await session.data(from: try Self.url("https://data.mock/a"))
    #expect(data == Data("one two".utf8))
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.statusCode == 201 && http.value(forHTTPHeaderField: "x-mock") == "yes")
  }

  @Test func `the handler form, the stream and the download get the same body`() async throws {
    let session = HandlerProtocol.session(host: "forms.mock") { request in
      (try Self.response(request), [Data("line 1\n".utf8), Data("line 2\n".utf8)])
    }
    let url = try Self.url("https://forms.mock/")
    let (bytes, _) = try await session.bytes(from: url)
    var lines: [String] = []
    for try await line in bytes.lines { lines.append(line) }
    #expect(lines == ["line 1", "line 2"])
    let (file, _) = try await session.download(from: url)
    #expect(try Data(contentsOf: file) == Data("line 1\nline 2\n".utf8))
    try FileManager.default.removeItem(at: file)
    let result = await withCheckedContinuation { continuation in
      session.dataTask(with: url) { data, response, error in
        continuation.resume(returning: (data, (response as? HTTPURLResponse)?.statusCode, error == nil))
      }.resume()
    }
    #expect(result.0 == Data("line 1\nline 2\n".utf8) && result.1 == 200 && result.2)
  }

  @Test func `a protocol gets the additional header fields of the session, unless the request has its own`()
    async throws
  {
    let session = HandlerProtocol.session(host: "headers.mock") { request in
      let fields = request.allHTTPHeaderFields ?? [:]
      return (
        try Self.response(request),
        [Data("\(fields["X-Session"] ?? "") \(request.value(forHTTPHeaderField: "Accept") ?? "")".utf8)]
      )
    }
    let configuration = session.configuration
    configuration.httpAdditionalHeaders = ["X-Session": "dog", "Accept": "text/html"]
    var request = URLRequest(url: try Self.url("https://headers.mock/"))
    request.setValue("text/plain", forHTTPHeaderField: "accept")
    let (data, _) = try await URLSession(configuration: configuration).data(for: request)
    #expect(data == Data("dog text/plain".utf8))
  }

  @Test func `a stream gets the bytes that a protocol reports together with the end`() async throws {
    let session = HandlerProtocol.session(host: "end.mock") { request in
      (try Self.response(request), [Data("last".utf8)])
    }
    let url = try Self.url("https://end.mock/")
    // The reader is faster than the protocol's reports in some of the loads only.
    for _ in 0..<200 {
      let (bytes, _) = try await session.bytes(from: url)
      var data = Data()
      for try await byte in bytes { data.append(byte) }
      #expect(data == Data("last".utf8))
    }
  }

  struct OwnError: Error, Equatable {
    let number: Int
  }

  @Test func `an error of the protocol arrives unchanged`() async throws {
    let session = HandlerProtocol.session(host: "error.mock") { _ in throw OwnError(number: 7) }
    await #expect(throws: OwnError(number: 7)) {
      try await session.data(from: try Self.url("https://error.mock/"))
    }
  }

  @Test func `the body of a request and of an upload arrives as a stream`() async throws {
    let session = HandlerProtocol.session(host: "body.mock") { request in
      guard request.httpBody == nil, let stream = request.httpBodyStream else { throw OwnError(number: 1) }
      stream.open()
      defer { stream.close() }
      var bytes = [UInt8](repeating: 0, count: 100)
      let count = stream.read(&bytes, maxLength: 100)
      return (
        try Self.response(request),
        [Data("\(request.httpMethod ?? "") ".utf8), Data(bytes.prefix(max(0, count)))]
      )
    }
    var request = URLRequest(url: try Self.url("https://body.mock/"))
    request.httpMethod = "PUT"
    request.httpBody = Data("request".utf8)
    #expect(try await session.data(for: request).0 == Data("PUT request".utf8))
    request.httpBody = nil
    #expect(try await session.upload(for: request, from: Data("upload".utf8)).0 == Data("PUT upload".utf8))
  }

  /// A protocol that never answers, and counts its calls.
  final class SilentProtocol: URLProtocol {
    static let events = EventLog()
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "silent.mock" }
    override func startLoading() { Self.events.add("start") }
    override func stopLoading() { Self.events.add("stop") }
  }

  /// Events that a test waits for.
  final class EventLog: Sendable {
    private let events = Mutex<[String]>([])
    func add(_ event: String) { events.withLock { $0.append(event) } }
    var all: [String] { events.withLock { $0 } }
  }

  @Test func `a protocol that never answers is stopped when the task is cancelled or its time is over`()
    async throws
  {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [SilentProtocol.self]
    let session = URLSession(configuration: configuration)
    let url = try Self.url("https://silent.mock/")
    let load = Task { try await session.data(from: url) }
    #expect(await eventually { SilentProtocol.events.all == ["start"] })
    load.cancel()
    let cancelled = await #expect(throws: URLError.self) { try await load.value }
    #expect(cancelled?.code == .cancelled)
    #expect(await eventually { SilentProtocol.events.all == ["start", "stop"] })
    var request = URLRequest(url: url)
    request.timeoutInterval = 0.05
    let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(error?.code == .timedOut)
    #expect(await eventually { SilentProtocol.events.all == ["start", "stop", "start", "stop"] })
  }

  /// Starts and reports nothing.
  final class IdleProtocol: URLProtocol {
    static let started = Gate()
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "idle.mock" }
    override func startLoading() { Self.started.open() }
    override func stopLoading() {}
  }

  @Test func `the load of a suspended task does not time out`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [IdleProtocol.self]
    let session = URLSession(configuration: configuration)
    var request = URLRequest(url: try Self.url("https://idle.mock/"))
    request.timeoutInterval = 5
    let task = session.dataTask(with: request) { _, _, _ in }
    task.resume()
    #expect(await IdleProtocol.started.wait(within: .seconds(90)))
    task.suspend()
    // A later load with the same time-out has timed out.
    let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
    #expect(error?.code == .timedOut)
    #expect(task.state == .suspended && task.error == nil)
    task.resume()
    #expect(await eventually { (task.error as? URLError)?.code == .timedOut })
  }

  /// A protocol that answers from another thread, after `startLoading` has returned.
  final class LateProtocol: URLProtocol, @unchecked Sendable {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "late.mock" }
    override func startLoading() {
      Thread.detachNewThread {
        guard let url = self.request.url else { return }
        self.client?.urlProtocol(
          self,
          didReceive: URLResponse(
            url: url, mimeType: "text/plain", expectedContentLength: 4, textEncodingName: nil),
          cacheStoragePolicy: .allowed)
        for byte in Data("late".utf8) { self.client?.urlProtocol(self, didLoad: Data([byte])) }
        self.client?.urlProtocolDidFinishLoading(self)
        // Reports after the end are ignored.
        self.client?.urlProtocol(self, didLoad: Data("x".utf8))
      }
    }
  }

  @Test func `a protocol reports from any thread, with a response of any class`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [LateProtocol.self]
    let session = URLSession(configuration: configuration)
    let url = try Self.url("https://late.mock/")
    for _ in 0..<50 {
      let (data, response) = try await session.data(from: url)
      #expect(data == Data("late".utf8))
      #expect(!(response is HTTPURLResponse) && response.mimeType == "text/plain")
    }
  }

  /// Redirects `/from` to `/to`, which the handler protocol or the network answers.
  final class RedirectingProtocol: URLProtocol {
    override class func canInit(with request: URLRequest) -> Bool { request.url?.path == "/from" }
    override func startLoading() {
      guard let url = request.url, let target = URL(string: "/to", relativeTo: url)?.absoluteURL,
        let response = HTTPURLResponse(
          url: url, statusCode: 302, httpVersion: nil, headerFields: ["Location": "/to"])
      else { return }
      client?.urlProtocol(self, wasRedirectedTo: URLRequest(url: target), redirectResponse: response)
    }
  }

  private final class RefusingDelegate: NSObject, URLSessionTaskDelegate {
    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
      newRequest request: URLRequest
    ) async -> URLRequest? { nil }
  }

  @Test func `a redirect by a protocol continues over the network, unless the delegate refuses`() async throws
  {
    let server = try ScriptedServer.http { request in Reply(text: "network \(request.path)") }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [RedirectingProtocol.self]
    configuration.timeoutIntervalForRequest = 5
    let session = URLSession(configuration: configuration)
    let (data, response) = try await session.data(from: server.url("/from"))
    #expect(data == Data("network /to".utf8) && response.url?.path == "/to")
    let refusing = Task { try await session.data(from: server.url("/from"), delegate: RefusingDelegate()) }
    let task = await session.firstTask { ($0.response as? HTTPURLResponse)?.statusCode == 302 }
    #expect(task != nil)
    refusing.cancel()
    _ = try? await refusing.value
    server.stop()
  }

  @Test func `registered classes are asked in reverse order`() async throws {
    final class First: HandlerProtocol {}
    final class Second: URLProtocol {
      override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "order.mock" }
      override func startLoading() {
        client?.urlProtocol(self, didFailWithError: OwnError(number: 2))
      }
    }
    _ = HandlerProtocol.session(host: "order.mock") { _ in throw OwnError(number: 1) }
    #expect(URLProtocol.registerClass(First.self) && URLProtocol.registerClass(Second.self))
    #expect(!URLProtocol.registerClass(NSObject.self))
    let session = URLSession(configuration: .ephemeral)
    let url = try Self.url("https://order.mock/")
    await #expect(throws: OwnError(number: 2)) { try await session.data(from: url) }
    URLProtocol.unregisterClass(Second.self)
    await #expect(throws: OwnError(number: 1)) { try await session.data(from: url) }
    URLProtocol.unregisterClass(First.self)
  }

  @Test func `properties travel with copies of a request and are not sent`() async throws {
    let request = NSMutableURLRequest(url: try Self.url("https://properties.mock/"))
    URLProtocol.setProperty("mark", forKey: "key", in: request)
    let value = request as URLRequest
    #expect(URLProtocol.property(forKey: "key", in: value) as? String == "mark")
    #expect(value == URLRequest(url: try Self.url("https://properties.mock/")))
    let session = HandlerProtocol.session(host: "properties.mock") { request in
      (
        try Self.response(request),
        [Data("\(URLProtocol.property(forKey: "key", in: request) ?? "none")".utf8)]
      )
    }
    #expect(try await session.data(for: value).0 == Data("mark".utf8))
    URLProtocol.removeProperty(forKey: "key", in: request)
    #expect(URLProtocol.property(forKey: "key", in: request as URLRequest) == nil)
  }

  @Test func `a delegate gets the response, the body and the metrics of a protocol's load`() async throws {
    let session = HandlerProtocol.session(host: "delegate.mock") { request in
      (try Self.response(request), [Data("body".utf8)])
    }
    let delegate = HandlerDelegate()
    let (data, _) = try await session.data(from: try Self.url("https://delegate.mock/"), delegate: delegate)
    #expect(data == Data("body".utf8))
  }

  @Test func `the time for a resource applies to a protocol that keeps reporting`() async throws {
    // Unchecked because a lock protects the flag, and the rest does not change.
    final class EndlessProtocol: URLProtocol, @unchecked Sendable {
      private let isStopped = Mutex(false)
      override class func canInit(with request: URLRequest) -> Bool { request.url?.host == "endless.mock" }
      override func startLoading() {
        Thread.detachNewThread {
          guard let url = self.request.url else { return }
          let response = URLResponse(
            url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
          self.client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
          while !self.isStopped.withLock({ $0 }) {
            self.client?.urlProtocol(self, didLoad: Data([1]))
            sched_yield()
          }
        }
      }
      override func stopLoading() { isStopped.withLock { $0 = true } }
    }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.protocolClasses = [EndlessProtocol.self]
    configuration.timeoutIntervalForResource = 0.1
    let session = URLSession(configuration: configuration)
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: try Self.url("https://endless.mock/"))
    }
    #expect(error?.code == .timedOut)
  }

  @Test func `a suspended task does not start its protocol`() async throws {
    let started = EventLog()
    let session = HandlerProtocol.session(host: "suspended.mock") { request in
      started.add("start")
      return (try Self.response(request), [])
    }
    let task = session.dataTask(with: try Self.url("https://suspended.mock/"))
    task.resume()
    task.suspend()
    task.resume()
    #expect(await eventually { task.state == .completed })
    #expect(started.all == ["start"])
  }
}

extension URLSession {
  /// Waits for a task with a property.
  fileprivate func firstTask(_ matches: @escaping @Sendable (URLSessionTask) -> Bool) async -> URLSessionTask?
  {
    let found = Mutex<URLSessionTask?>(nil)
    _ = await eventually {
      let task = await self.allTasks.first(where: matches)
      found.withLock { $0 = task }
      return task != nil
    }
    return found.withLock { $0 }
  }
}
