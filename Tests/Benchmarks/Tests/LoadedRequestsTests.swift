// What h2load prints.
import Testing

@testable import bench

struct LoadedRequestsTests {
  @Test func `requests and statuses are read, and other lines are not`() throws {
    let line = "requests: 12 total, 12 started, 11 done, 10 succeeded, 0 failed, 0 errored, 0 timeout"
    #expect(try LoadedRequests(line)?.done == 10)
    #expect(try LoadedRequests("finished in 1.00s, 10 req/s") == nil)
    let statuses = LoadedRequests.statuses("status codes: 0 2xx, 10 3xx, 0 4xx, 0 5xx")
    #expect(statuses == ["2": 0, "3": 10, "4": 0, "5": 0])
    #expect(LoadedRequests.statuses("traffic: 1B") == nil)
  }

  @Test(arguments: [
    "requests: 2 total, 2 started, 2 done, 1 succeeded, 1 failed, 0 errored, 0 timeout",
    "requests: 2 total, 2 started, 2 done, 1 succeeded, 0 failed, 1 errored, 0 timeout",
    "requests: 0 total, 0 started, 0 done, 0 succeeded, 0 failed, 0 errored, 0 timeout",
  ])
  func `failed requests are an error`(line: String) {
    #expect(throws: (any Error).self) { try LoadedRequests(line) }
  }
}
