#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

/// A session stores incomplete responses, combines them and loads their rest.
@Suite(.timeLimit(.minutes(5))) struct SessionPartialCacheTests {
  private static let body = Data.pattern(count: 1_000_000)
  private static let other = Data(body.reversed())

  /// A server with one resource that may change, and that cuts some of its responses.
  private final class Resource: Sendable {
    struct State {
      var body = SessionPartialCacheTests.body
      var tag = "\"a\""
      var cuts: [Int] = []
      var fields = [("Cache-Control", "max-age=60")]
      var ignoresRanges = false
      var partTag: String?
    }
    let state = Mutex(State())

    func reply(to request: ScriptedRequest) -> (reply: Reply, cut: Int?) {
      state.withLock { state in
        let cut = state.cuts.isEmpty ? nil : state.cuts.removeFirst()
        let fields = state.fields + [("ETag", state.tag)]
        let isMet = request["If-Range"].map { $0 == state.tag || state.partTag != nil } ?? true
        if request["If-None-Match"] == state.tag {
          return (Reply(304, headers: fields, framing: .none), nil)
        }
        guard let text = request["Range"], isMet, !state.ignoresRanges,
          let range = ByteRangeRule.range(
            HeaderFields(pairs: [("Range", text)]), length: state.body.count)
        else { return (Reply(headers: fields, body: state.body), cut) }
        let place = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(state.body.count)"
        let tag = state.partTag ?? state.tag
        return (
          Reply(
            206, headers: state.fields + [("ETag", tag), ("Content-Range", place)],
            body: state.body.subdata(in: range)), cut
        )
      }
    }

    func serve() throws -> ScriptedServer {
      try ScriptedServer { connection in
        while let request = try connection.nextRequest() {
          let (reply, cut) = self.reply(to: request)
          guard let cut else {
            try connection.send(request.method == "HEAD" ? reply.head : reply.bytes)
            continue
          }
          try connection.send(reply.head + reply.body.prefix(cut))
          return
        }
      }
    }
  }

  private let resource = Resource()
  private let server: ScriptedServer
  private let cache: URLCache
  private let session: URLSession
  private var url: URL { server.url("/a") }

  init() throws {
    server = try resource.serve()
    let cache = URLCache(memoryCapacity: 64 << 20, diskCapacity: 0)
    self.cache = cache
    session = URLSession.forTest { $0.urlCache = cache }
  }

  private func load(_ range: String? = nil) async throws -> (Data, HTTPURLResponse) {
    var request = URLRequest(url: url)
    request.setValue(range.map { "bytes=\($0)" }, forHTTPHeaderField: "Range")
    let (data, response) = try await session.data(for: request)
    return (data, try #require(response as? HTTPURLResponse))
  }

  /// Loads a body that is cut after some bytes, and waits until its beginning is stored.
  private func interrupt(after count: Int) async throws {
    resource.state.withLock { $0.cuts = [count, count, count] }
    #expect(await errorCode { _ = try await load() } == .networkConnectionLost)
    resource.state.withLock { $0.cuts = [] }
    let key = try #require(CacheKey(url))
    let store = cache.store
    let isStored = await eventually { store.allEntries(for: key).first?.head.extent?.prefix ?? 0 > 0 }
    #expect(isStored)
  }

  @Test func `the rest of an interrupted body is loaded, and the result is stored`() async throws {
    try await interrupt(after: 300_000)
    let before = server.requests.count
    let (data, response) = try await load()
    #expect(data == Self.body && response.statusCode == 200)
    #expect(response.expectedContentLength == Int64(Self.body.count))
    #expect(response.value(forHTTPHeaderField: "Content-Range") == nil)
    let request = try #require(server.requests.last)
    #expect(request["Range"] == "bytes=300000-" && request["If-Range"] == "\"a\"")
    #expect(try await load().0 == Self.body)
    #expect(server.requests.count == before + 1)
  }

  @Test func `a changed body replaces the beginning of the old one`() async throws {
    try await interrupt(after: 300_000)
    resource.state.withLock { ($0.body, $0.tag) = (Self.other, "\"b\"") }
    let (data, response) = try await load()
    #expect(data == Self.other && response.statusCode == 200)
    #expect(server.requests.last?["If-Range"] == "\"a\"")
    #expect(try await load().0 == Self.other)
  }

  @Test(arguments: ["\"b\"", "W/\"a\""])
  func `a rest with another tag is dropped, and the complete body is loaded`(tag: String) async throws {
    try await interrupt(after: 300_000)
    resource.state.withLock { ($0.body, $0.partTag) = (Self.other, tag) }
    #expect(try await load().0 == Self.other)
    #expect(server.requests.suffix(2).map { $0["Range"] } == ["bytes=300000-", nil])
  }

  @Test func `a server without ranges sends the complete body`() async throws {
    try await interrupt(after: 300_000)
    resource.state.withLock { $0.ignoresRanges = true }
    #expect(try await load().0 == Self.body)
  }

  @Test func `a rest that is interrupted again makes the beginning longer`() async throws {
    try await interrupt(after: 300_000)
    resource.state.withLock { $0.cuts = [200_000, 200_000, 200_000] }
    #expect(await errorCode { _ = try await load() } == .networkConnectionLost)
    resource.state.withLock { $0.cuts = [] }
    let key = try #require(CacheKey(url))
    let store = cache.store
    #expect(await eventually { store.allEntries(for: key).first?.head.extent?.prefix ?? 0 > 300_000 })
    #expect(try await load().0 == Self.body)
    #expect(server.requests.last?["Range"] == "bytes=500000-")
  }

  @Test func `a cancelled load leaves the beginning for the next one`() async throws {
    let go = Gate()
    let reply = Reply(headers: [("ETag", "\"a\"")], body: Self.body)
    let slow = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        guard request["Range"] == nil else {
          let rest = Self.body.dropFirst(400_000)
          let field = ("Content-Range", "bytes 400000-999999/1000000")
          try connection.send(Reply(206, headers: [("ETag", "\"a\""), field], body: Data(rest)).bytes)
          continue
        }
        try connection.send(reply.head + reply.body.prefix(400_000))
        go.waitBlocking()
        return
      }
    }
    let url = slow.url("/a")
    let (bytes, _) = try await session.bytes(from: url)
    var received = Data()
    for try await chunk in bytes.chunks {
      received += chunk
      if received.count >= 400_000 { break }
    }
    go.open()
    let key = try #require(CacheKey(url))
    let store = cache.store
    #expect(await eventually { store.allEntries(for: key).first?.head.extent?.prefix == 400_000 })
    #expect(try await session.data(from: url).0 == Self.body)
    #expect(slow.requests.last?["If-Range"] == "\"a\"")
  }

  @Test func `short beginnings, weak tags and encoded bodies are not stored`() async throws {
    let key = try #require(CacheKey(url))
    for (cut, tag, coding) in [(60_000, "\"a\"", nil), (300_000, "W/\"a\"", nil)] as [(Int, String, String?)]
    {
      resource.state.withLock { ($0.cuts, $0.tag) = ([cut, cut, cut], tag) }
      #expect(await errorCode { _ = try await load() } == .networkConnectionLost)
      #expect(cache.store.allEntries(for: key).isEmpty, "\(cut) \(tag) \(coding ?? "")")
    }
  }

  @Test func `parts are combined, and answer requests for ranges`() async throws {
    _ = try await load("100000-199999")
    _ = try await load("200000-299999")
    let (data, response) = try await load("150000-250000")
    #expect(data == Self.body[150_000...250_000] && response.statusCode == 206)
    #expect(response.value(forHTTPHeaderField: "Content-Range") == "bytes 150000-250000/1000000")
    #expect(server.requests.count == 2)
    _ = try await load("250000-350000")
    #expect(try await load("100000-350000").0 == Self.body[100_000...350_000])
    #expect(server.requests.count == 3)
    // Apart from sessions, nobody sees an incomplete response.
    #expect(cache.cachedResponse(for: URLRequest(url: url)) == nil)
  }

  @Test func `parts that are complete answer requests for the body`() async throws {
    _ = try await load("0-599999")
    _ = try await load("-400000")
    let (data, response) = try await load()
    #expect(data == Self.body && response.statusCode == 200 && server.requests.count == 2)
    #expect(cache.cachedResponse(for: URLRequest(url: url))?.data == Self.body)
  }

  @Test func `parts of two versions are not combined`() async throws {
    _ = try await load("0-599999")
    resource.state.withLock { ($0.body, $0.tag) = (Self.other, "\"b\"") }
    #expect(try await load("500000-999999").0 == Self.other[500_000...])
    #expect(try await load("0-599999").0 == Self.other[..<600_000])
    #expect(try await load().0 == Self.other)
  }

  @Test func `a stale part is not used without asking`() async throws {
    resource.state.withLock { $0.fields = [("Cache-Control", "max-age=0")] }
    _ = try await load("0-99999")
    _ = try await load("0-99999")
    #expect(server.requests.count == 2)
    // The rest is loaded with a condition, so the age does not matter.
    #expect(try await load().0 == Self.body)
    #expect(server.requests.last?["Range"] == "bytes=100000-")
  }

  @Test func `every kind of receiver gets the beginning and the rest`() async throws {
    try await interrupt(after: 300_000)
    let (file, _) = try await session.download(from: url)
    #expect(try Data(contentsOf: file) == Self.body)
    try FileManager.default.removeItem(at: file)
    #expect(server.requests.last?["Range"] == "bytes=300000-")
    var received = Data()
    for try await chunk in try await session.bytes(from: url).0.chunks { received += chunk }
    #expect(received == Self.body && server.requests.last?["Range"] == "bytes=300000-")
  }

  @Test func `a delegate gets the beginning and the rest, also as a download`() async throws {
    try await interrupt(after: 300_000)
    for becomesDownload in [true, false] {
      let recorder = BodyRecorder(becomesDownload: becomesDownload)
      let cache = cache
      let session = URLSession.forTest(delegate: recorder) { $0.urlCache = cache }
      session.dataTask(with: url).resume()
      #expect(await recorder.completed.wait())
      #expect(recorder.body.withLock { $0 == Self.body })
      #expect(server.requests.last?["Range"] == "bytes=300000-")
      session.finishTasksAndInvalidate()
    }
  }

  private final class BodyRecorder: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate, Sendable {
    let body = Mutex(Data())
    let completed = Gate()
    let becomesDownload: Bool

    init(becomesDownload: Bool) { self.becomesDownload = becomesDownload }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(becomesDownload ? .becomeDownload : .allow) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      body.withLock { $0 += data }
    }

    func urlSession(
      _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
    ) {
      let contents = try? Data(contentsOf: location)
      body.withLock { $0 = contents ?? Data() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      completed.open()
    }
  }

  @Test func `parts are stored on disk, and found by another cache`() async throws {
    let folder = try TemporaryDirectory()
    let first = URLCache(memoryCapacity: 0, diskCapacity: 64 << 20, directory: folder.url)
    let one = URLSession.forTest { $0.urlCache = first }
    for range in ["bytes=0-99999", "bytes=300000-399999", "bytes=100000-299999"] {
      var request = URLRequest(url: url)
      request.setValue(range, forHTTPHeaderField: "Range")
      _ = try await one.data(for: request)
      // The next part must find this one.
      await withCheckedContinuation { done in first.store.disk?.flush { done.resume() } }
    }
    await withCheckedContinuation { done in first.store.disk?.flush { done.resume() } }
    let second = URLCache(memoryCapacity: 64 << 20, diskCapacity: 64 << 20, directory: folder.url)
    let two = URLSession.forTest { $0.urlCache = second }
    #expect(try await two.data(from: url).0 == Self.body)
    #expect(server.requests.last?["Range"] == "bytes=400000-")
  }

  private final class Measuring: NSObject, URLSessionTaskDelegate, Sendable {
    let received = Log<Int64>()
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
      for transaction in metrics.transactionMetrics {
        received.add(transaction.countOfResponseBodyBytesReceived)
      }
    }
  }

  @Test func `a cancelled load continues over HTTP/1.1, TLS and HTTP/2 with a real server`() async throws {
    var options = NginxServer.Options()
    options.lineCount = 100_000
    let nginx = try NginxServer(options)
    let expected = Data((0..<options.lineCount).map { NginxServer.line($0) }.joined().utf8)
    let authority = try TestAuthority.shared().authorityFile
    for url in [nginx.url("/lines"), nginx.secureURL("/lines"), nginx.http2URL("/lines")] {
      let cache = URLCache(memoryCapacity: 400 << 20, diskCapacity: 0)
      let session = URLSession.forTest {
        $0.urlCache = cache
        $0.trustedCertificates = .file(authority)
      }
      var count = 0
      for try await chunk in try await session.bytes(from: url).0.chunks {
        count += chunk.count
        if count >= 300_000 { break }
      }
      let key = try #require(CacheKey(url))
      let store = cache.store
      #expect(await eventually { store.allEntries(for: key).first?.head.extent?.prefix ?? 0 >= 300_000 })
      let prefix = try #require(store.allEntries(for: key).first?.head.extent?.prefix)
      let measuring = Measuring()
      #expect(try await session.data(from: url, delegate: measuring).0 == expected)
      #expect(measuring.received.all == [Int64(expected.count) - prefix])
    }
  }

  @Test func `a delegate may forbid storing a part`() async throws {
    final class Refusing: NSObject, URLSessionDataDelegate, Sendable {
      let asked = Log<Int>()
      func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, willCacheResponse proposed: CachedURLResponse,
        completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
      ) {
        asked.add((proposed.response as? HTTPURLResponse)?.statusCode ?? 0)
        completionHandler(nil)
      }
    }
    let delegate = Refusing()
    let cache = cache
    let session = URLSession.forTest(delegate: delegate) { $0.urlCache = cache }
    var request = URLRequest(url: url)
    request.setValue("bytes=0-99999", forHTTPHeaderField: "Range")
    for _ in 0..<2 { _ = try await session.data(for: request) }
    #expect(delegate.asked.all == [206, 206] && server.requests.count == 2)
    session.invalidateAndCancel()
  }
}
#endif
