import Foundation
import Retriever
import XCTest

private final class MockDataTask: URLSessionDataTaskProtocol {
  var resumeCount = 0
  var isCancelled = false
  private let closure: () -> Void
  init(closure: @escaping () -> Void = {}) { self.closure = closure }
  func resume() {
    resumeCount += 1
    closure()
  }
  func cancel() { isCancelled = true }
}

private final class MockSession: URLSessionProtocol {
  var nextTask: MockDataTask?
  var data: Data?
  var response: URLResponse?
  var error: Error?
  private(set) var lastURL: URL?

  func dataTask(with request: URLRequest, completionHandler: @escaping DataTaskResult)
    -> URLSessionDataTaskProtocol
  {
    lastURL = request.url
    let (data, response, error) = (self.data, self.response, self.error)
    // adopt:ignore never - a task given by the test only counts calls
    return nextTask ?? MockDataTask { completionHandler(data, response, error) }
  }

  func data(for request: URLRequest) async throws -> (Data, URLResponse) {
    if let error = error { throw error }
    return (data ?? Data(), response ?? URLResponse())
  }
}

// Mocks by inheritance, with the initializers that Apple has deprecated.
private class URLSessionDataTaskMock: URLSessionDataTask {
  private let closure: () -> Void
  private var mockState = URLSessionTask.State.suspended

  init(closure: @escaping () -> Void) {
    self.closure = closure
  }

  override var state: URLSessionTask.State { return mockState }
  override var error: Error? { return nil }

  override func resume() {
    mockState = .running
    closure()
    mockState = .completed
  }

  override func cancel() { mockState = .canceling }
}

private class URLSessionMock: URLSession {
  typealias CompletionHandler = (Data?, URLResponse?, Error?) -> Void
  var data: Data?
  var error: Error?
  var urls: [URL] = []

  override init() {}

  override func dataTask(with url: URL, completionHandler: @escaping CompletionHandler) -> URLSessionDataTask
  {
    urls.append(url)
    let data = self.data
    let error = self.error
    return URLSessionDataTaskMock {
      completionHandler(data, nil, error)
    }
  }

  override func dataTask(
    with request: URLRequest, completionHandler: @escaping CompletionHandler
  ) -> URLSessionDataTask {
    return dataTask(with: request.url!, completionHandler: completionHandler)
  }
}

private class DownloadTaskMock: URLSessionDownloadTask {
  override func resume() {}
}

private class UploadTaskMock: URLSessionUploadTask {
  override func resume() {}
}

final class WeatherServiceTests: XCTestCase {
  func testTheProtocolMockAnswers() throws {
    let session = MockSession()
    session.data = Data("sunny".utf8)
    session.response = HTTPURLResponse(
      url: URL(string: "https://weather.example.com")!, statusCode: 200, httpVersion: nil, headerFields: nil)
    var result: Result<String, Error>?
    WeatherService(session: session).forecast(for: "Paris") { result = $0 }
    XCTAssertEqual(try result?.get(), "sunny")
    XCTAssertEqual(session.lastURL?.absoluteString, "https://weather.example.com/Paris")
  }

  func testTheTaskIsResumedAndThePreviousOneCancelled() {
    let session = MockSession()
    let (first, second) = (MockDataTask(), MockDataTask())
    let service = WeatherService(session: session)
    session.nextTask = first
    service.forecast(for: "Rome") { _ in }
    session.nextTask = second
    service.forecast(for: "Oslo") { _ in }
    XCTAssertEqual(first.resumeCount, 1)
    XCTAssertTrue(first.isCancelled)
    XCTAssertFalse(second.isCancelled)
  }

  func testTheAsyncMockAnswers() async throws {
    let session = MockSession()
    session.data = Data("rain".utf8)
    let forecast = try await WeatherService(session: session).forecast(for: "Bergen")
    XCTAssertEqual(forecast, "rain")
    session.error = URLError(.timedOut)
    do {
      _ = try await WeatherService(session: session).forecast(for: "Bergen")
      XCTFail("no error")
    } catch {
      XCTAssertEqual((error as? URLError)?.code, .timedOut)
    }
  }

  func testTheSubclassesReplaceSessionAndTask() {
    let session = URLSessionMock()
    session.data = Data([0, 1, 0, 1])
    let url = URL(fileURLWithPath: "url")
    var received: Data?
    let task = PlainLoader(session: session).load(url) { data, _ in received = data }
    XCTAssertEqual(received, session.data)
    XCTAssertEqual(session.urls, [url])
    XCTAssertEqual(task.state, .completed)
    var service: Result<String, Error>?
    session.error = URLError(.cannotFindHost)
    WeatherService(session: session).forecast(for: "Nowhere") { service = $0 }
    XCTAssertThrowsError(try service?.get())
  }

  func testTheRealSessionConformsToTheProtocol() async {
    let session: URLSessionProtocol = URLSession(configuration: .ephemeral)
    let request = URLRequest(url: URL(string: "data:text/plain,hello")!)
    let data = try? await session.data(for: request).0
    XCTAssertEqual(data, Data("hello".utf8))
    XCTAssertNotNil(session.dataTask(with: request) { _, _, _ in } as? URLSessionDataTask)
  }
}
