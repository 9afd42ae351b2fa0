import Foundation
import Retriever
import Synchronization
import TestSupport
import Testing

/// Mocks in the shape in which people write them: a session and a task whose methods are replaced.
@Suite struct SubclassMockTests {
  // Unchecked because the tests use a task from one thread only.
  private final class TaskMock: URLSessionDataTask, @unchecked Sendable {
    private let onResume: () -> Void
    private(set) var isCancelled = false

    init(onResume: @escaping () -> Void) {
      self.onResume = onResume
      super.init()
    }

    override func resume() { onResume() }
    override func cancel() { isCancelled = true }
    override var state: State { .running }
    override var originalRequest: URLRequest? { URLRequest(url: URL(fileURLWithPath: "/mock")) }
    override var taskIdentifier: Int { 42 }
  }

  // Unchecked because the properties are set before the session is used.
  private final class SessionMock: URLSession, @unchecked Sendable {
    var data: Data?
    var error: (any Error)?
    private(set) var lastURL: URL?

    override init() { super.init() }

    override func dataTask(
      with url: URL, completionHandler: @escaping @Sendable (Data?, URLResponse?, (any Error)?) -> Void
    ) -> URLSessionDataTask {
      lastURL = url
      let (data, error) = (data, error)
      return TaskMock { completionHandler(data, nil, error) }
    }
  }

  /// A client as people write it, which knows only `URLSession`.
  private struct Client {
    let session: URLSession

    func load(_ url: URL, completion: @escaping @Sendable (Result<Data, any Error>) -> Void) {
      session.dataTask(with: url) { data, _, error in
        completion(data.map(Result.success) ?? .failure(error ?? URLError(.unknown)))
      }.resume()
    }
  }

  @Test func `a session's subclass replaces the tasks of a client`() throws {
    let session = SessionMock()
    session.data = Data("mocked".utf8)
    let received = Mutex<Data?>(nil)
    let url = try #require(URL(string: "https://example.com/"))
    Client(session: session).load(url) { result in received.withLock { $0 = try? result.get() } }
    #expect(received.withLock { $0 } == Data("mocked".utf8))
    #expect(session.lastURL == url)
  }

  @Test func `a task's subclass replaces its properties`() {
    let task: URLSessionTask = TaskMock {}
    #expect(task.state == .running && task.taskIdentifier == 42)
    #expect(task.originalRequest?.url?.path == "/mock")
    task.cancel()
    #expect((task as? TaskMock)?.isCancelled == true)
    #expect(task.copy() as? URLSessionTask === task)
  }

  @Test func `a subclass of the session loads as the session does`() async throws {
    // Unchecked because nothing is added.
    final class Plain: URLSession, @unchecked Sendable {}
    let server = try ScriptedServer.http { _ in Reply(200, text: "hello") }
    let session = Plain(configuration: .ephemeral)
    let (data, _) = try await session.data(from: server.url())
    #expect(data == Data("hello".utf8))
    session.invalidateAndCancel()
    server.stop()
  }

  @Test func `a task without a session fails when it is resumed`() async {
    let task = URLSessionDataTask()
    #expect(task.state == .suspended && task.originalRequest == nil)
    task.resume()
    #expect(task.state == .completed)
    #expect((task.error as? URLError)?.code == .unsupportedURL)
  }

  @Test func `mocks create responses without values, and subclass them`() {
    // Unchecked because nothing changes.
    final class Teapot: HTTPURLResponse, @unchecked Sendable {
      override var statusCode: Int { 418 }
    }
    #expect(URLResponse().url == nil && URLResponse().expectedContentLength == -1)
    #expect(HTTPURLResponse().statusCode == 0 && HTTPURLResponse().allHeaderFields.isEmpty)
    #expect(Teapot().statusCode == 418 && URLResponse() == URLResponse())
  }

  @Test func `the initializer of a subclass need not call that of the session`() async throws {
    // Unchecked because nothing changes.
    final class Prepared: URLSession, @unchecked Sendable {
      let text: String
      init(text: String) { self.text = text }
    }
    // Unchecked because nothing is added.
    final class Empty: URLSession, @unchecked Sendable {
      override init() {}
    }
    #expect(Prepared(text: "mocked").text == "mocked" && Empty().delegate == nil)
    let url = try #require(URL(string: "data:,woof"))
    #expect(try await Empty().data(from: url).0 == Data("woof".utf8))
    #expect(Prepared(text: "").configuration.httpMaximumConnectionsPerHost == 6)
  }

  @Test func `sessions and tasks are objects`() {
    let session = URLSession(configuration: .ephemeral)
    let task = session.dataTask(with: URL(fileURLWithPath: "/"))
    let objects: [NSObject] = [session, task]
    #expect(objects.contains(task) && session != URLSession.shared)
    let forms: (any ProgressReporting, any NSCopying) = (task, task)
    #expect(forms.0 === forms.1 as AnyObject)
    task.cancel()
    session.invalidateAndCancel()
  }
}
