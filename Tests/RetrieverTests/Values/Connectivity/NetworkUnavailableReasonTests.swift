#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

@Suite struct NetworkUnavailableReasonTests {
  @Test func `an error has the reason of its information`() {
    let key = NSURLErrorNetworkUnavailableReasonKey
    #expect(URLError(.notConnectedToInternet).networkUnavailableReason == nil)
    #expect(URLError(.notConnectedToInternet, userInfo: [key: 1]).networkUnavailableReason == .expensive)
    #expect(URLError(.notConnectedToInternet, userInfo: [key: 7]).networkUnavailableReason == nil)
  }
}
#endif
