#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// The requests that an upload task reports.
@Suite(.timeLimit(.minutes(5))) struct UploadRequestTests {
  @Test func `an upload of a GET is sent as a POST and keeps its original request`() async throws {
    let server = try ScriptedServer.http { Reply(text: "\($0.method) \($0.text)") }
    let directory = try TemporaryDirectory()
    let file = try directory.write(Data("x".utf8), to: "body")
    let session = URLSession.forTest()
    let request = URLRequest(url: server.url())
    let results = Log<Data?>()
    let (first, second) = (Gate(), Gate())
    let tasks = [
      session.uploadTask(with: request, from: Data("x".utf8)) { data, _, _ in
        results.add(data)
        first.open()
      },
      session.uploadTask(with: request, fromFile: file) { data, _, _ in
        results.add(data)
        second.open()
      },
    ]
    for task in tasks {
      #expect(task.originalRequest == request)
      task.resume()
    }
    #expect(await first.wait(within: .seconds(90)))
    #expect(await second.wait(within: .seconds(90)))
    #expect(results.all == [Data("POST x".utf8), Data("POST x".utf8)])
    for task in tasks {
      #expect(task.originalRequest == request)
      #expect(task.originalRequest?.httpMethod == "GET")
      #expect(task.currentRequest?.httpMethod == "POST")
    }
  }

  @Test func `an upload keeps every other method`() async throws {
    let server = try ScriptedServer.http { Reply(text: $0.method) }
    var request = URLRequest(url: server.url())
    request.httpMethod = "PUT"
    let task = URLSession.forTest().uploadTask(with: request, from: Data("x".utf8))
    #expect(task.originalRequest == request)
    #expect(task.currentRequest == request)
    task.cancel()
  }
}
#endif
