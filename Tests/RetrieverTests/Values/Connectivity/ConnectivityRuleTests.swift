#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

@Suite struct ConnectivityRuleTests {
  @Test func `a load without a network waits, and its delegate is informed once`() {
    var rule = ConnectivityRule()
    let first = rule.failed(.notConnectedToInternet, network: .offline)
    #expect(first == .wait(upTo: .seconds(60), isFirst: true))
    let second = rule.failed(.cannotFindHost, network: .offline)
    #expect(second == .wait(upTo: .seconds(60), isFirst: false))
  }

  @Test func `a load with a network fails`() {
    for code in [URLError.Code.cannotFindHost, .dnsLookupFailed, .notConnectedToInternet] {
      var rule = ConnectivityRule()
      let decision = rule.failed(code, network: .online)
      #expect(decision == .fail)
    }
  }

  @Test(arguments: [
    URLError.Code.cannotConnectToHost, .networkConnectionLost, .timedOut, .badServerResponse,
    .serverCertificateUntrusted, .dataNotAllowed, .badURL,
  ])
  func `an error that has another cause fails the load`(_ code: URLError.Code) {
    for network in [ConnectivityRule.Network.online, .offline, .unknown] {
      var rule = ConnectivityRule()
      let decision = rule.failed(code, network: network)
      #expect(decision == .fail)
    }
  }

  @Test func `a few attempts follow after the network has come back`() {
    var rule = ConnectivityRule()
    _ = rule.failed(.dnsLookupFailed, network: .offline)
    var pauses: [Int64] = []
    while case .wait(let limit, let isFirst) = rule.failed(.dnsLookupFailed, network: .online) {
      #expect(!isFirst)
      pauses.append(limit.components.seconds)
    }
    #expect(pauses == [1, 2, 4, 8, 16])
  }

  @Test func `losing the network again allows new attempts`() {
    var rule = ConnectivityRule()
    _ = rule.failed(.dnsLookupFailed, network: .offline)
    for _ in 0..<5 { _ = rule.failed(.dnsLookupFailed, network: .online) }
    let offline = rule.failed(.dnsLookupFailed, network: .offline)
    let online = rule.failed(.dnsLookupFailed, network: .online)
    #expect(offline != .fail && online != .fail)
  }

  @Test func `without knowledge of the networks, the pauses grow to a minute`() {
    var rule = ConnectivityRule()
    var pauses: [Int64] = []
    for _ in 0..<9 {
      guard case .wait(let limit, _) = rule.failed(.dnsLookupFailed, network: .unknown) else { break }
      pauses.append(limit.components.seconds)
    }
    #expect(pauses == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    // A name that does not exist is not a missing network.
    var other = ConnectivityRule()
    let decision = other.failed(.cannotFindHost, network: .unknown)
    #expect(decision == .fail)
  }
}
#endif
