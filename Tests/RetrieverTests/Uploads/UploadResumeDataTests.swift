#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

@Suite(.timeLimit(.minutes(5))) struct UploadResumeDataTests {
  private let url: URL
  private let resource: ResumableUploadStateMachine.Resource

  init() throws {
    url = try #require(URL(string: "http://user:word@127.0.0.1:9/photos?a=1"))
    let location = try #require(URL(string: "http://127.0.0.1:9/uploads/1"))
    resource = ResumableUploadStateMachine.Resource(url: location, acknowledged: 2, sent: 4)
  }

  private func resumeData(
    _ body: UploadResumeData.Body = .data(Data("0123456789".utf8)),
    _ change: (inout URLRequest) -> Void = { _ in }
  ) throws -> Data {
    var request = URLRequest(url: url)
    request.httpMethod = "PUT"
    change(&request)
    return try #require(
      UploadResumeData(request: request, version: .standard, resource: resource, body: body)?.encoded)
  }

  private func property(_ data: Data, _ change: (inout [String: Any]) -> Void) throws -> Data {
    var list = try #require(
      PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    change(&list)
    return try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
  }

  @Test func `resume data contains no credentials`() throws {
    let data = try resumeData {
      $0.setValue("Bearer hidden-1", forHTTPHeaderField: "Authorization")
      $0.setValue("a=hidden-2", forHTTPHeaderField: "Cookie")
      $0.setValue("hidden-3", forHTTPHeaderField: "X-Api-Key")
      $0.setValue("kept", forHTTPHeaderField: "X-Colour")
    }
    let list = try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    let text = "\(list)"
    #expect(!text.contains("hidden") && !text.contains("word"))
    let decoded = try #require(UploadResumeData(data))
    #expect(decoded.headers == ["X-Colour": "kept"])
    #expect(decoded.url.absoluteString == "http://127.0.0.1:9/photos?a=1")
    #expect(decoded.resource == resource)
    #expect(decoded.body == .data(Data("0123456789".utf8)))
  }

  @Test func `invalid resume data fails the task with a clear error`() async throws {
    let valid = try resumeData()
    #expect(UploadResumeData(valid) != nil)
    let changes: [(inout [String: Any]) -> Void] = [
      { $0["kind"] = "download" }, { $0["format"] = 2 }, { $0["acknowledged"] = -1 }, { $0["sent"] = 1 },
      { $0["sent"] = 11 }, { $0["sent"] = Int64.max }, { $0["version"] = 2 }, { $0["version"] = 9 },
      { $0["method"] = "P\r\nUT" }, { $0["method"] = "" }, { $0["body"] = nil }, { $0["resourceURL"] = nil },
      { $0["url"] = ["relative": "ftp://127.0.0.1:9/"] },
      { $0["resourceURL"] = ["relative": "file:///etc/x"] },
      { $0["resourceURL"] = ["relative": "http://u:p@127.0.0.1/"] }, { $0["headers"] = ["a": 1] },
      { $0["body"] = ["data": ["_0": Data()]] }, { $0["body"] = ["stream": ["length": -1]] },
      {
        $0["url"] = ["relative": "https://127.0.0.1/"]
        $0["resourceURL"] = ["relative": "http://127.0.0.1/"]
      },
      {
        $0["body"] = [
          "file": ["path": "relative", "_1": ["size": 10, "seconds": 0, "nanoseconds": 0]]
        ]
      },
    ]
    for change in changes { #expect(UploadResumeData(try property(valid, change)) == nil) }
    for data in [Data(), Data("x".utf8), Data(count: 1000), try property(valid) { $0 = [:] }] {
      #expect(UploadResumeData(data) == nil)
      let session = URLSession.forTest()
      #expect(await errorCode { _ = try await session.upload(resumeFrom: data) } == .unsupportedURL)
      let (codes, done) = (Log<URLError.Code?>(), Gate())
      session.uploadTask(withResumeData: data) { _, _, error in
        codes.add((error as? URLError)?.code)
        done.open()
      }.resume()
      #expect(await done.wait(within: .seconds(90)))
      #expect(codes.all == [.unsupportedURL])
      let delegate = HandlerDelegate()
      URLSession.forTest(delegate: delegate).uploadTask(withResumeData: data).resume()
      #expect(await delegate.log.completed.wait(within: .seconds(90)))
      #expect((delegate.log.current.error as? URLError)?.code == .unsupportedURL)
    }
  }

  @Test func `resume data of a download is not that of an upload`() async throws {
    let response = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: "HTTP/1.1",
      headerBlock: Array("ETag: \"a\"\r\nAccept-Ranges: bytes\r\n".utf8))
    let download = try #require(
      ResumeData(
        request: URLRequest(url: url), response: response, offset: 10,
        file: FileManager.default.temporaryDirectory
          .appendingPathComponent("RetrieverDownload-\(UUID().uuidString).tmp"),
        wasResumed: false)?.encoded)
    #expect(UploadResumeData(download) == nil)
    #expect(ResumeData(try resumeData()) == nil)
  }

  @Test func `damaged resume data never ends the process`() throws {
    let valid = try resumeData()
    for seed in UInt64(0)..<3000 {
      var random = SeededRandom(seed)
      var damaged = valid
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let position = damaged.startIndex + Int.random(in: 0..<damaged.count, using: &random)
        damaged[position] = UInt8.random(in: 0...255, using: &random)
      }
      guard let decoded = UploadResumeData(damaged) else { continue }
      #expect(decoded.resource.acknowledged >= 0 && decoded.resource.acknowledged <= decoded.resource.sent)
      #expect(ResumableUpload(decoded).rest(from: decoded.resource.sent) != nil)
    }
  }

  /// A server that has four bytes of an upload.
  private func server() throws -> ResumableUploadServer {
    var behavior = ResumableUploadServer.Behavior()
    behavior.receptions = [.cut(after: 4)]
    behavior.head = { $0 == 0 ? Reply(503, framing: .none) : $1 }
    return try ResumableUploadServer(behavior)
  }

  private func interrupted(_ server: ResumableUploadServer, _ file: URL) async throws -> Data {
    do {
      _ = try await URLSession.forTest().upload(for: URLRequest(url: server.url()), fromFile: file)
    } catch let error as URLError {
      return try #require(error.uploadTaskResumeData)
    }
    throw TestSupportError("The upload succeeded")
  }

  @Test func `a file that has changed, or is gone, is not resumed`() async throws {
    typealias Change = @Sendable (URL) throws -> Void
    let changes: [(Change, URLError.Code)] = [
      ({ try Data("0123456789a".utf8).write(to: $0) }, .requestBodyStreamExhausted),
      ({ try Data("012345678".utf8).write(to: $0) }, .requestBodyStreamExhausted),
      (
        { file in
          let past = Date(timeIntervalSinceNow: -1000)
          try FileManager.default.setAttributes([.modificationDate: past], ofItemAtPath: file.path)
        }, .requestBodyStreamExhausted
      ),
      ({ try FileManager.default.removeItem(at: $0) }, .fileDoesNotExist),
      (
        { file in
          try FileManager.default.removeItem(at: file)
          try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        }, .fileIsDirectory
      ),
      (
        { file in
          try FileManager.default.removeItem(at: file)
          guard mkfifo(file.path, 0o600) == 0 else { throw TestSupportError("mkfifo failed") }
        }, .fileIsDirectory
      ),
    ]
    for (change, code) in changes {
      let directory = try TemporaryDirectory()
      let file = try directory.write(Data("0123456789".utf8), to: "body")
      let server = try server()
      let data = try await interrupted(server, file)
      try change(file)
      let session = URLSession.forTest()
      do {
        _ = try await session.upload(resumeFrom: data)
        Issue.record("The upload succeeded")
      } catch let error as URLError {
        #expect(error.code == code)
        #expect(error.uploadTaskResumeData == nil)
      }
      #expect(server.uploads.map(\.bytes) == [Data("0123".utf8)])
    }
  }

  @Test func `a URLProtocol cannot resume an upload`() async throws {
    // Unchecked like its superclass; it has no properties.
    final class Everything: URLProtocol, @unchecked Sendable {
      override class func canInit(with request: URLRequest) -> Bool { true }
      override class func canonicalRequest(for request: URLRequest) -> URLRequest { request }
      override func startLoading() {
        guard let url = request.url,
          let response = HTTPURLResponse(url: url, statusCode: 200, httpVersion: nil, headerFields: [:])
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
        client?.urlProtocolDidFinishLoading(self)
      }
      override func stopLoading() {}
    }
    let data = try resumeData()
    let session = URLSession.forTest { $0.protocolClasses = [Everything.self] }
    #expect(await errorCode { _ = try await session.upload(resumeFrom: data) } == .unsupportedURL)
  }
}
#endif
