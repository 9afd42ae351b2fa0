#if !canImport(Darwin)
import Foundation
import Glibc
import TestSupport
import Testing

@testable import Retriever

/// Files that differ from what their names or sizes suggest.
@Suite(.timeLimit(.minutes(5))) struct UnusualFilesTests {
  /// Creates resume data for a partial download at a path that a test fills.
  private func resumeData(for url: URL) throws -> ResumeData {
    let request = URLRequest(url: url)
    let response = HTTPURLResponse(
      url: url, statusCode: 200, httpVersion: "HTTP/1.1",
      headerBlock: Array("ETag: \"a\"\r\nAccept-Ranges: bytes\r\n".utf8))
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("RetrieverDownload-\(UUID().uuidString).tmp")
    return try #require(
      ResumeData(request: request, response: response, offset: 10, file: file, wasResumed: false))
  }

  @Test(arguments: [false, true])
  func `resume data that names a pipe fails the task and blocks no thread`(hasReader: Bool) async throws {
    let server = try ScriptedServer.http { _ in Reply(206) }
    let resume = try resumeData(for: server.url())
    #expect(mkfifo(resume.file.path, 0o600) == 0)
    let reader = hasReader ? open(resume.file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC) : -1
    defer {
      unlink(resume.file.path)
      if reader >= 0 { close(reader) }
    }
    let data = try #require(resume.encoded)
    let session = URLSession.forTest()
    let codes = Log<URLError.Code?>()
    let done = Gate()
    // On a separate thread, because a blocked caller would stop the entire test run.
    Thread.detachNewThread {
      session.downloadTask(withResumeData: data) { _, _, error in
        codes.add((error as? URLError)?.code)
        done.open()
      }.resume()
    }
    #expect(await done.wait(within: .seconds(90)))
    #expect(codes.all == [.cannotOpenFile])
    #expect(server.connectionCount == 0)
    // Unblocks the thread if it waits for a reader.
    close(open(resume.file.path, O_RDONLY | O_NONBLOCK | O_CLOEXEC))
  }

  @Test func `a file that has content but no size is sent with its content`() async throws {
    let server = try ScriptedServer.http { Reply(body: $0.body) }
    let file = URL(fileURLWithPath: "/proc/version")
    let expected = try #require(FileManager.default.contents(atPath: file.path))
    #expect(!expected.isEmpty)
    let session = URLSession.forTest()
    let (data, _) = try await session.upload(for: URLRequest(url: server.url()), fromFile: file)
    #expect(data == expected)
    #expect(server.requests.first?["Transfer-Encoding"] == "chunked")
  }

  @Test func `an empty file is sent with the length 0`() async throws {
    let server = try ScriptedServer.http { _ in Reply() }
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(), to: "empty")
    _ = try await URLSession.forTest().upload(for: URLRequest(url: server.url()), fromFile: file)
    #expect(server.requests.first?["Content-Length"] == "0")
    #expect(server.requests.first?["Transfer-Encoding"] == nil)
  }
}
#endif
