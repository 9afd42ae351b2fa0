import Foundation
import Retriever
import TestSupport
import Testing

@Suite struct LocalSchemesTests {
  private static func load(_ text: String) async throws -> (Data, URLResponse) {
    try await URLSession.shared.data(from: try #require(URL(string: text)))
  }

  @Test(
    arguments: [
      ("data:,hello", "text/plain", "us-ascii", "hello"),
      ("data:text/html;charset=UTF-8,%3Cb%3Ehi%3C/b%3E", "text/html", "utf-8", "<b>hi</b>"),
      ("data:;base64,aGVsbG8=", "text/plain", "us-ascii", "hello"),
      ("data:application/json;base64,e30", "application/json", nil, "{}"),
      ("DATA:image/gif;BASE64,R0lG", "image/gif", nil, "GIF"),
      ("data:text/plain,a%2Cb#fragment", "text/plain", nil, "a,b"),
    ] as [(String, String, String?, String)])
  func `a data URL is decoded`(url: String, type: String, charset: String?, body: String) async throws {
    let (data, response) = try await Self.load(url)
    #expect(String(bytes: data, encoding: .utf8) == body)
    #expect(response.mimeType == type && response.textEncodingName == charset)
    #expect(response.expectedContentLength == Int64(body.utf8.count))
    #expect(!(response is HTTPURLResponse))
  }

  @Test(arguments: ["data:no-comma", "data:;base64,a", "data:;base64,%%"])
  func `an invalid data URL is an error`(url: String) async throws {
    guard let url = URL(string: url) else { return }
    let error = await #expect(throws: URLError.self) { try await URLSession.shared.data(from: url) }
    #expect(error?.code == .badURL)
  }

  @Test func `a file is loaded into memory, as a stream and as a download`() async throws {
    let directory = try TemporaryDirectory()
    let content = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
    let file = try directory.write(content, to: "picture.png")
    let (data, response) = try await URLSession.shared.data(from: file)
    #expect(data == content && response.mimeType == "image/png")
    #expect(response.expectedContentLength == 3_000_000 && response.suggestedFilename == "picture.png")
    var count = 0
    for try await chunk in try await URLSession.shared.bytes(from: file).0.chunks { count += chunk.count }
    #expect(count == 3_000_000)
    let (copy, _) = try await URLSession.shared.download(from: file)
    #expect(try Data(contentsOf: copy) == content)
    try FileManager.default.removeItem(at: copy)
    let lines = try directory.write(Data("a\nb\n".utf8), to: "lines.txt")
    var read: [String] = []
    for try await line in lines.lines { read.append(line) }
    #expect(read == ["a", "b"])
  }

  @Test func `a file that cannot be read has the error of its cause`() async throws {
    let directory = try TemporaryDirectory()
    func code(_ url: URL) async -> URLError.Code? {
      do {
        _ = try await URLSession.shared.data(from: url)
        return nil
      } catch { return (error as? URLError)?.code }
    }
    #expect(await code(directory.file("missing")) == .fileDoesNotExist)
    #expect(await code(directory.file("")) == .fileIsDirectory)
  }

  @Test func `a file that is longer than the limit for memory is refused`() async throws {
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data(count: 600_000), to: "long")
    let configuration = URLSessionConfiguration.ephemeral
    configuration.maximumBufferedBodySize = 500_000
    let session = URLSession(configuration: configuration)
    let error = await #expect(throws: URLError.self) { try await session.data(from: file) }
    #expect(error?.code == .dataLengthExceedsMaximum)
    let (copy, _) = try await session.download(from: file)
    try FileManager.default.removeItem(at: copy)
  }

  @Test func `a session with an address policy loads no files`() async throws {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.addressPolicy = .publicOnly
    let session = URLSession(configuration: configuration)
    let error = await #expect(throws: URLError.self) {
      try await session.data(from: URL(fileURLWithPath: "/etc/hostname"))
    }
    #expect(error?.code == .dataNotAllowed)
  }
}
