import Foundation
import Retriever
import XCTest

final class APIClientTests: XCTestCase {
  private var client: APIClient!

  override func setUp() {
    super.setUp()
    MockURLProtocol.seen = []
    client = APIClient(
      baseURL: URL(string: "https://api.example.com/v1")!, token: "secret",
      protocolClasses: [MockURLProtocol.self])
  }

  override func tearDown() {
    MockURLProtocol.requestHandler = nil
    client = nil
    super.tearDown()
  }

  private func respond(_ status: Int, _ body: String, headers: [String: String]? = nil) {
    MockURLProtocol.requestHandler = { request in
      let response = HTTPURLResponse(
        url: request.url!, statusCode: status, httpVersion: nil, headerFields: headers)!
      return (response, body.data(using: .utf8))
    }
  }

  func testAUserIsDecoded() async throws {
    respond(200, #"{"id": 7, "name": "Ada", "created_at": "2026-11-23T10:00:00Z"}"#)
    let user: User = try await client.send(
      Endpoint(path: "users/7", query: [URLQueryItem(name: "include", value: "all & more")]))
    XCTAssertEqual(user.name, "Ada")
    XCTAssertNotNil(user.createdAt)
    let request = try XCTUnwrap(MockURLProtocol.seen.first)
    XCTAssertEqual(
      request.url?.absoluteString, "https://api.example.com/v1/users/7?include=all%20%26%20more")
    XCTAssertEqual(request.httpMethod, "GET")
    XCTAssertEqual(request.value(forHTTPHeaderField: "authorization"), "Bearer secret")
    XCTAssertEqual(request.allHTTPHeaderFields?["Accept"], "application/json")
  }

  func testTheBodyOfAPostArrives() async throws {
    respond(201, #"{"id": 8, "name": "Rex"}"#)
    let body = try JSONEncoder().encode(["name": "Rex"])
    let user: User = try await client.send(Endpoint(method: "POST", path: "users", body: body))
    XCTAssertEqual(user.id, 8)
    let request = try XCTUnwrap(MockURLProtocol.seen.first)
    XCTAssertEqual(request.bodyData(), body)
    XCTAssertEqual(request.value(forHTTPHeaderField: "Content-Type"), "application/json")
    let data = Data(repeating: 7, count: 10_000)
    MockURLProtocol.requestHandler = { request in
      XCTAssertEqual(request.bodyData(), data)
      return (
        HTTPURLResponse(url: request.url!, statusCode: 204, httpVersion: "HTTP/1.1", headerFields: nil)!, nil
      )
    }
    let status = try await client.upload(data, to: "photo")
    XCTAssertEqual(status, 204)
  }

  func testAStatusIsAnError() async {
    respond(422, "name is missing", headers: ["X-Request-Id": "1"])
    do {
      let _: User = try await client.send(Endpoint(path: "users"))
      XCTFail("no error")
    } catch {
      XCTAssertEqual(error as? APIError, .status(422, message: "name is missing"))
    }
  }

  func testAnErrorOfTheConnectionArrives() async {
    MockURLProtocol.requestHandler = { _ in throw URLError(.notConnectedToInternet) }
    do {
      let _: User = try await client.send(Endpoint(path: "users"))
      XCTFail("no error")
    } catch let error as URLError {
      XCTAssertEqual(error.code, .notConnectedToInternet)
    } catch {
      XCTFail("\(error)")
    }
    let nsError = NSError(domain: "mock", code: 42, userInfo: nil)
    MockURLProtocol.requestHandler = { _ in throw nsError }
    do {
      let _: User = try await client.send(Endpoint(path: "users"))
      XCTFail("no error")
    } catch {
      XCTAssertEqual((error as NSError).domain, "mock")
      XCTAssertEqual((error as NSError).code, 42)
    }
  }

  func testTheCompletionHandlerIsCalled() {
    respond(200, #"[{"id": 1, "name": "A"}, {"id": 2, "name": "B"}]"#)
    let expectation = self.expectation(description: "users")
    let task = client.send(Endpoint<[User]>(path: "users")) { result in
      XCTAssertEqual(try? result.get().map(\.id), [1, 2])
      expectation.fulfill()
    }
    waitForExpectations(timeout: 10)
    XCTAssertEqual(task?.originalRequest?.url?.path, "/v1/users")
    XCTAssertEqual((task?.response as? HTTPURLResponse)?.statusCode, 200)
    XCTAssertNil(task?.error)
  }

  func testACancelledTaskFails() {
    let started = DispatchSemaphore(value: 0)
    let go = DispatchSemaphore(value: 0)
    MockURLProtocol.requestHandler = { request in
      started.signal()
      go.wait()
      throw URLError(.unknown)
    }
    let expectation = self.expectation(description: "cancelled")
    let task = client.send(Endpoint<User>(path: "slow")) { result in
      if case .failure(let error) = result { XCTAssertEqual((error as? URLError)?.code, .cancelled) }
      expectation.fulfill()
    }
    started.wait()
    task?.cancel()
    waitForExpectations(timeout: 10)
    go.signal()
  }
}
