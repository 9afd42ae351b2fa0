#if !canImport(Darwin)
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct ResumeTests {
  private static let body = Data.pattern(count: 400_000)

  /// Serves one file with ranges. The first connection stops after `half` and stays open until its peer closes it.
  private final class RangeServer: Sendable {
    let half = 150_000
    let reached = Gate()
    let server: ScriptedServer
    private let tag: Tag

    init(
      tag: String? = "\"one\"", ranges: Bool = true, cuts: Bool = false, date: String? = nil,
      encoding: String? = nil
    ) throws {
      let current = Tag(tag)
      let (reached, half) = (reached, half)
      self.tag = current
      server = try ScriptedServer { connection in
        while let request = try connection.nextRequest() {
          let tag = current.value
          var fields = ""
          if let tag { fields += "ETag: \(tag)\r\n" }
          if let date { fields += "Last-Modified: \(date)\r\n" }
          if ranges { fields += "Accept-Ranges: bytes\r\n" }
          if let encoding { fields += "Content-Encoding: \(encoding)\r\n" }
          let validator = request["If-Range"]
          let start = request["Range"].flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) }
          if let start, ranges, validator == nil || validator == tag || validator == date {
            try connection.send(
              "HTTP/1.1 206 Partial Content\r\n\(fields)"
                + "Content-Range: bytes \(start)-\(body.count - 1)/\(body.count)\r\n"
                + "Content-Length: \(body.count - start)\r\n\r\n")
            try connection.send(body[start...])
            continue
          }
          try connection.send("HTTP/1.1 200 OK\r\n\(fields)Content-Length: \(body.count)\r\n\r\n")
          guard connection.index == 0 else {
            try connection.send(body)
            continue
          }
          try connection.send(body[..<half])
          reached.open()
          if cuts { return connection.close() }
          try connection.readUntilClosed()
        }
      }
    }

    func change(tag new: String) { tag.value = new }
  }

  private final class Tag: Sendable {
    private let state: Mutex<String?>
    init(_ value: String?) { state = Mutex(value) }
    var value: String? {
      get { state.withLock { $0 } }
      set { state.withLock { $0 = newValue } }
    }
  }

  /// Returns the resume data of a download that was cancelled after `half` had been written.
  private func interrupted(_ server: RangeServer, _ session: URLSession) async throws -> Data? {
    let task = session.downloadTask(with: server.server.url("/file")) { _, _, _ in }
    task.resume()
    #expect(await server.reached.wait(within: .seconds(90)))
    #expect(await eventually { task.countOfBytesReceived == Int64(server.half) })
    return await task.cancelByProducingResumeData()
  }

  private func contents(_ file: URL) throws -> Data {
    defer { try? FileManager.default.removeItem(at: file) }
    return try Data(contentsOf: file)
  }

  @Test func `a cancelled download continues where it stopped`() async throws {
    let server = try RangeServer()
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    let (file, response) = try await session.download(resumeFrom: data)
    #expect(try difference(contents(file), Self.body) == nil)
    #expect((response as? HTTPURLResponse)?.statusCode == 206)
    let last = try #require(server.server.requests.last)
    #expect(last["Range"] == "bytes=150000-")
    #expect(last["If-Range"] == "\"one\"")
  }

  @Test func `the delegate receives the offset of a resumed download`() async throws {
    let server = try RangeServer()
    let data = try #require(try await interrupted(server, .forTest()))
    let copies = Log<Data?>()
    let delegate = HandlerDelegate(.init(file: { copies.add(try? Data(contentsOf: $0)) }))
    let session = URLSession.forTest(delegate: delegate)
    session.downloadTask(withResumeData: data).resume()
    #expect(await delegate.log.completed.wait(within: .seconds(90)))
    #expect(delegate.log.current.error == nil)
    let resumed = delegate.log.current.resumed
    #expect(resumed.map(\.0) == [150_000])
    #expect(resumed.map(\.1) == [400_000])
    #expect(delegate.log.order.starts(with: ["created", "resumed", "written"]))
    #expect(delegate.log.current.written.last?.1 == 400_000)
    #expect(delegate.log.current.written.allSatisfy { $0.1 > 150_000 && $0.2 == 400_000 })
    #expect(copies.all.count == 1)
    #expect(difference(copies.all.first ?? nil, Self.body) == nil)
  }

  @Test func `a download with a completion handler can be resumed`() async throws {
    let server = try RangeServer()
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    let copies = Log<Data?>()
    let done = Gate()
    session.downloadTask(withResumeData: data) { file, _, _ in
      copies.add(file.flatMap { try? Data(contentsOf: $0) })
      done.open()
    }.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(copies.all.count == 1)
    #expect(difference(copies.all.first ?? nil, Self.body) == nil)
  }

  @Test func `a file that changed in the second of its response is not resumed by its date`() async throws {
    for (age, isResumable) in [(1.0, true), (0, false)] {
      let now = Date(timeIntervalSince1970: 1_800_000_000)
      let fields = ["Last-Modified": httpDate(now - age), "Date": httpDate(now)]
      let url = try #require(URL(string: "http://dogs.example/"))
      let response = try #require(
        HTTPURLResponse(url: url, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: fields))
      #expect((FileVersion(response) != nil) == isResumable)
      let undated = try #require(
        HTTPURLResponse(
          url: url, statusCode: 200, httpVersion: "HTTP/1.1",
          headerFields: ["Last-Modified": httpDate(now - age)]))
      #expect((FileVersion(undated, now: now) != nil) == isResumable)
    }
  }

  @Test func `a changed file is loaded from the beginning`() async throws {
    let server = try RangeServer()
    let data = try #require(try await interrupted(server, .forTest()))
    server.change(tag: "\"two\"")
    let delegate = HandlerDelegate()
    let (file, response) = try await URLSession.forTest().download(resumeFrom: data, delegate: delegate)
    #expect(try difference(contents(file), Self.body) == nil)
    #expect((response as? HTTPURLResponse)?.statusCode == 200)
    #expect(delegate.log.current.resumed.isEmpty)
  }

  @Test func `the error of an interrupted download contains resume data`() async throws {
    let server = try RangeServer(cuts: true)
    let session = URLSession.forTest()
    do {
      _ = try await session.download(from: server.server.url())
      Issue.record("An interrupted download succeeded")
    } catch let error as URLError {
      #expect(error.code == .networkConnectionLost)
      let data = try #require(error.userInfo[NSURLSessionDownloadTaskResumeData] as? Data)
      #expect(error.downloadTaskResumeData == data)
      #expect(try await difference(contents(session.download(resumeFrom: data).0), Self.body) == nil)
    }
  }

  @Test func `a date is sufficient if there is no strong entity tag`() async throws {
    let server = try RangeServer(tag: "W/\"weak\"", date: "Fri, 20 Nov 2026 20:00:00 GMT")
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    #expect(try await difference(contents(session.download(resumeFrom: data).0), Self.body) == nil)
    #expect(server.server.requests.last?["If-Range"] == "Fri, 20 Nov 2026 20:00:00 GMT")
  }

  @Test func `without a validator or ranges, there is no resume data`() async throws {
    for server in [
      try RangeServer(tag: nil), try RangeServer(tag: "W/\"weak\""), try RangeServer(ranges: false),
    ] {
      #expect(try await interrupted(server, .forTest()) == nil)
    }
  }

  @Test func `a range that the program requested is not resumed`() async throws {
    let gate = Gate()
    let server = try ScriptedServer([
      .readRequest,
      .send(
        "HTTP/1.1 206 Partial Content\r\nETag: \"one\"\r\nAccept-Ranges: bytes\r\n"
          + "Content-Range: bytes 1000-1999/5000\r\nContent-Length: 1000\r\n\r\nabc"), .open(gate),
      .readUntilClosed,
    ])
    var request = URLRequest(url: server.url())
    request.setValue("bytes=1000-1999", forHTTPHeaderField: "Range")
    let task = URLSession.forTest().downloadTask(with: request) { _, _, _ in }
    task.resume()
    #expect(await gate.wait(within: .seconds(90)))
    #expect(await eventually { task.countOfBytesReceived == 3 })
    #expect(await task.cancelByProducingResumeData() == nil)
  }

  @Test func `a download that has not started or has ended has no resume data`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [("ETag", "\"a\"")], text: "x") }
    let session = URLSession.forTest()
    let idle = session.downloadTask(with: server.url()) { _, _, _ in }
    #expect(await idle.cancelByProducingResumeData() == nil)
    #expect(await idle.cancelByProducingResumeData() == nil)
    let done = Gate()
    let over = session.downloadTask(with: server.url()) { _, _, _ in done.open() }
    over.resume()
    #expect(await done.wait(within: .seconds(90)))
    #expect(await over.cancelByProducingResumeData() == nil)
  }

  @Test func `resume data can be requested at any time`() async throws {
    let server = try ScriptedServer.http { _ in
      Reply(headers: [("ETag", "\"a\""), ("Accept-Ranges", "bytes")], body: Data(count: 20_000))
    }
    let session = URLSession.forTest()
    var random = SeededRandom(7)
    for _ in 0..<100 {
      let ended = Gate()
      let task = session.downloadTask(with: server.url()) { _, _, _ in ended.open() }
      task.resume()
      try await Task.sleep(for: .microseconds(Int.random(in: 0..<1500, using: &random)))
      if let data = await task.cancelByProducingResumeData(), let resume = ResumeData(data) {
        try? FileManager.default.removeItem(at: resume.file)
      }
      #expect(await ended.wait(within: .seconds(90)))
    }
    try await session.expectUsable()
  }

  @Test func damagedOrForeignResumeDataIsRefused() async throws {
    let server = try RangeServer()
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    var resume = try #require(ResumeData(data))
    defer { try? FileManager.default.removeItem(at: resume.file) }
    for bad in [Data(), Data("nonsense".utf8), data.prefix(data.count / 2)] {
      #expect(await errorCode { _ = try await session.download(resumeFrom: Data(bad)) } == .unsupportedURL)
    }
    for name in ["../RetrieverDownload-x.tmp", "/etc/passwd", "RetrieverDownload-a/../b.tmp", "other.tmp"] {
      resume.fileName = name
      let encoded = try #require(resume.encoded)
      #expect(await errorCode { _ = try await session.download(resumeFrom: encoded) } == .unsupportedURL)
      resume = try #require(ResumeData(data))
    }
    resume.offset = -1
    let negative = try #require(resume.encoded)
    #expect(await errorCode { _ = try await session.download(resumeFrom: negative) } == .unsupportedURL)
  }

  @Test func `a missing or truncated partial file is refused`() async throws {
    let server = try RangeServer()
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    let resume = try #require(ResumeData(data))
    try Data(count: 10).write(to: resume.file)
    #expect(await errorCode { _ = try await session.download(resumeFrom: data) } == .cannotOpenFile)
    try? FileManager.default.removeItem(at: resume.file)
    #expect(await errorCode { _ = try await session.download(resumeFrom: data) } == .cannotOpenFile)
    try FileManager.default.createSymbolicLink(
      at: resume.file, withDestinationURL: URL(fileURLWithPath: "/dev/null"))
    #expect(await errorCode { _ = try await session.download(resumeFrom: data) } == .cannotOpenFile)
    try? FileManager.default.removeItem(at: resume.file)
    try await session.expectUsable()
  }

  @Test func `every handler for resume data is called`() async throws {
    for _ in 0..<30 {
      let reached = Gate()
      let server = try ScriptedServer([.readRequest, .open(reached), .hold])
      // With a delegate, completion waits for the metrics, so there is time to ask twice.
      let session = URLSession.forTest(delegate: SilentDelegate())
      let task = session.downloadTask(with: server.url())
      task.resume()
      #expect(await reached.wait(within: .seconds(90)))
      let (first, second) = (Gate(), Gate())
      task.cancel { _ in first.open() }
      task.cancel { _ in second.open() }
      #expect(await first.wait(within: .seconds(90)))
      #expect(await second.wait(within: .seconds(90)))
    }
  }

  @Test func `a range that was not requested is an error`() async throws {
    let server = try RangeServer()
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    let other = try ScriptedServer.http { _ in
      Reply(206, headers: [("Content-Range", "bytes 0-3/400000")], body: Data("part".utf8))
    }
    var resume = try #require(ResumeData(data))
    resume.url = other.url()
    let moved = try #require(resume.encoded)
    #expect(await errorCode { _ = try await session.download(resumeFrom: moved) } == .badServerResponse)
    let file = resume.file.path
    #expect(await eventually { !FileManager.default.fileExists(atPath: file) })
    try await session.expectUsable()
  }

  @Test func `resume data contains no secrets`() async throws {
    let server = try RangeServer()
    let address = server.server.address("/file").replacing("http://", with: "http://me:secret@")
    var request = URLRequest(url: try #require(URL(string: address)))
    request.setValue("secret", forHTTPHeaderField: "X-Api-Key")
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    request.setValue("a=secret", forHTTPHeaderField: "Cookie")
    request.setValue("kept", forHTTPHeaderField: "X-Mark")
    let task = URLSession.forTest().downloadTask(with: request) { _, _, _ in }
    task.resume()
    #expect(await server.reached.wait(within: .seconds(90)))
    #expect(await eventually { task.countOfBytesReceived == Int64(server.half) })
    let data = try #require(await task.cancelByProducingResumeData())
    #expect(!String(decoding: data, as: UTF8.self).contains("secret"))
    let resume = try #require(ResumeData(data))
    #expect(resume.request.value(forHTTPHeaderField: "X-Mark") == "kept")
    try? FileManager.default.removeItem(at: resume.file)
  }

  @Test(arguments: [
    ("\"one\"", "ETag: \"two\""),
    ("Fri, 20 Nov 2026 20:00:00 GMT", "Last-Modified: Sat, 21 Nov 2026 20:00:00 GMT"),
  ])
  func `a rest of another version of the file is refused`(validator: String, field: String) async throws {
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(RangeServer(), session))
    let other = try ScriptedServer { connection in
      while try connection.nextRequest() != nil {
        try connection.send(
          "HTTP/1.1 206 Partial Content\r\n\(field)\r\nAccept-Ranges: bytes\r\n"
            + "Content-Range: bytes 150000-399999/400000\r\nContent-Length: 250000\r\n\r\n")
        try connection.send(Data(count: 250_000))
      }
    }
    var resume = try #require(ResumeData(data))
    (resume.url, resume.validator) = (other.url(), validator)
    let moved = try #require(resume.encoded)
    do {
      _ = try await session.download(resumeFrom: moved)
      Issue.record("The parts of two versions were combined")
    } catch let error as URLError {
      #expect(error.code == .badServerResponse)
      #expect(error.downloadTaskResumeData == nil)
    }
  }

  @Test func `a resumed download that gets no response can be resumed again`() async throws {
    let server = try RangeServer()
    let session = URLSession.forTest()
    var data = try #require(try await interrupted(server, session))
    let closed = try ScriptedServer([])
    closed.stop()
    var resume = try #require(ResumeData(data))
    let url = resume.url
    resume.url = closed.url()
    let unreachable = try #require(resume.encoded)
    do {
      _ = try await session.download(resumeFrom: unreachable)
      Issue.record("A server that is stopped answered")
    } catch let error as URLError {
      #expect(error.code == .cannotConnectToHost)
      resume = try #require(error.downloadTaskResumeData.flatMap(ResumeData.init))
    }
    let reached = Gate()
    let silent = try ScriptedServer([.readRequest, .open(reached), .hold])
    resume.url = silent.url()
    let task = session.downloadTask(withResumeData: try #require(resume.encoded))
    task.resume()
    #expect(await reached.wait(within: .seconds(90)))
    data = try #require(await task.cancelByProducingResumeData())
    resume = try #require(ResumeData(data))
    #expect(resume.offset == 150_000 && resume.url == silent.url())
    resume.url = url
    let (file, response) = try await session.download(resumeFrom: try #require(resume.encoded))
    #expect(try difference(contents(file), Self.body) == nil)
    #expect((response as? HTTPURLResponse)?.statusCode == 206)
  }

  @Test func `a date is not sufficient if the weak entity tag has changed`() async throws {
    let server = try RangeServer(tag: "W/\"weak\"", date: "Fri, 20 Nov 2026 20:00:00 GMT")
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    server.change(tag: "W/\"other\"")
    #expect(await errorCode { _ = try await session.download(resumeFrom: data) } == .badServerResponse)
  }

  @Test func `a tag that is strong later is the same tag`() async throws {
    let server = try RangeServer(tag: "W/\"later\"", date: "Fri, 20 Nov 2026 20:00:00 GMT")
    let session = URLSession.forTest()
    let data = try #require(try await interrupted(server, session))
    server.change(tag: "\"later\"")
    #expect(try await difference(contents(session.download(resumeFrom: data).0), Self.body) == nil)
  }

  @Test func `a rest that ends before the file does fails with resume data for what is missing`()
    async throws
  {
    let session = URLSession.forTest()
    var resume = try #require(try await interrupted(RangeServer(), session).flatMap(ResumeData.init))
    let server = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        let start = request["Range"].flatMap { Int($0.dropFirst(6).prefix { $0 != "-" }) } ?? 0
        let part = Self.body[start..<min(start + 150_000, Self.body.count)]
        try connection.send(
          "HTTP/1.1 206 Partial Content\r\nETag: \"one\"\r\nContent-Length: \(part.count)\r\n"
            + "Content-Range: bytes \(start)-\(part.endIndex - 1)/\(Self.body.count)\r\n\r\n")
        try connection.send(Data(part))
      }
    }
    resume.url = server.url()
    let moved = try #require(resume.encoded)
    do {
      _ = try await session.download(resumeFrom: moved)
      Issue.record("A part of the file was taken for the complete file")
    } catch let error as URLError {
      #expect(error.code == .networkConnectionLost)
      let rest = try #require(error.downloadTaskResumeData)
      #expect(ResumeData(rest)?.offset == 300_000)
      #expect(try await difference(contents(session.download(resumeFrom: rest).0), Self.body) == nil)
    }
    #expect(server.requests.map { $0["Range"] } == ["bytes=150000-", "bytes=300000-"])
  }

  @Test func `the expected length of a resumed file is unknown if it is too large for a number`() {
    var counts = TaskCounts()
    for (announced, expected) in [(-1, -1), (10, 15), (Int64.max, -1)] as [(Int64, Int64)] {
      counts.announced = announced
      counts.deliver()
      #expect(counts.expected(after: 5) == expected)
    }
  }
}
#endif
