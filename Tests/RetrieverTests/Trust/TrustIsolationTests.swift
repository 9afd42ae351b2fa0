#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// A decision of one delegate must not open a server for loads with another delegate, or without one.
@Suite(.timeLimit(.minutes(5))) struct TrustIsolationTests {
  @Test(arguments: [true, false])
  func `a lenient delegate does not open the host for a strict one`(lenientFirst: Bool) async throws {
    let server = try SecureServer(.selfSigned)
    let session = try URLSession.trustingTestAuthority()
    let (lenient, strict) = (TaskTrustDelegate(ChallengeLog.accepts), TaskTrustDelegate(ChallengeLog.cancels))
    for isLenient in lenientFirst ? [true, false, true, false] : [false, true, false, true] {
      if isLenient {
        #expect(try await session.text(from: server.url("/lenient"), delegate: lenient) == "hello")
      } else {
        #expect(
          await errorCode { _ = try await session.text(from: server.url("/strict"), delegate: strict) }
            == .cancelled)
      }
      // Without a delegate, the session's authorities decide.
      #expect(
        await errorCode { _ = try await session.text(from: server.url("/plain")) }
          == .serverCertificateHasUnknownRoot)
    }
    #expect(server.server.requests.map(\.path) == ["/lenient", "/lenient"])
    #expect(lenient.log.all.count == 1)
    #expect(strict.log.all.count == 2)
  }

  @Test func `concurrent loads of lenient and strict delegates get their own results`() async throws {
    let server = try SecureServer(.selfSigned)
    let session = try URLSession.trustingTestAuthority()
    let (lenient, strict) = (TaskTrustDelegate(ChallengeLog.accepts), TaskTrustDelegate(ChallengeLog.cancels))
    await withTaskGroup(of: (Bool, Bool).self) { group in
      for number in 0..<40 {
        let isLenient = number % 2 == 0
        group.addTask {
          let delegate = isLenient ? lenient : strict
          let text = try? await session.text(
            from: server.url(isLenient ? "/lenient" : "/strict"), delegate: delegate)
          return (isLenient, text == "hello")
        }
      }
      for await (isLenient, isLoaded) in group { #expect(isLenient == isLoaded) }
    }
    #expect(server.server.requests.allSatisfy { $0.path == "/lenient" })
    #expect(server.server.requests.count == 20)
    #expect(lenient.log.all.count == 1)
    #expect(strict.log.all.count == 20)
  }

  @Test func `resuming a TLS session does not skip a decision`() async throws {
    let server = try SecureServer(.selfSigned) { _ in Reply(text: "hello", framing: .untilClose) }
    let session = try URLSession.trustingTestAuthority()
    let lenient = TaskTrustDelegate(ChallengeLog.accepts)
    let strict = TaskTrustDelegate(ChallengeLog.performsDefault)
    for _ in 0..<4 { #expect(try await session.text(from: server.url, delegate: lenient) == "hello") }
    // The lenient delegate's connections resume sessions, so this test can fail.
    #expect(try server.report.resumed > 0)
    for _ in 0..<2 {
      #expect(
        await errorCode { _ = try await session.text(from: server.url, delegate: strict) }
          == .serverCertificateHasUnknownRoot)
      #expect(
        await errorCode { _ = try await session.text(from: server.url) } == .serverCertificateHasUnknownRoot)
    }
    #expect(server.server.requests.count == 4)
  }

  @Test func `the decisions of a delegate end with it`() async throws {
    let server = try SecureServer(.selfSigned)
    let session = try URLSession.trustingTestAuthority()
    let strict = TaskTrustDelegate(ChallengeLog.cancels)
    for _ in 0..<12 {
      // A new object often has the address of the previous one.
      #expect(
        try await session.text(from: server.url, delegate: TaskTrustDelegate(ChallengeLog.accepts)) == "hello"
      )
      #expect(
        await errorCode { _ = try await session.text(from: server.url, delegate: strict) } == .cancelled)
    }
    #expect(session.delegateClients.count <= 2)
    #expect(await eventually { server.server.openConnectionCount <= 1 })
  }

  @Test func `the number of delegates with connections is limited`() async throws {
    let server = try SecureServer(.selfSigned)
    let session = try URLSession.trustingTestAuthority()
    let delegates = (0..<DelegateClients.maximumClients + 8).map { _ in
      TaskTrustDelegate(ChallengeLog.accepts)
    }
    for delegate in delegates {
      #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    }
    #expect(session.delegateClients.count == DelegateClients.maximumClients)
    #expect(await eventually { server.server.openConnectionCount <= DelegateClients.maximumClients })
    // A forgotten delegate is asked again.
    #expect(try await session.text(from: server.url, delegate: delegates[0]) == "hello")
    #expect(delegates[0].log.all.count == 2)
  }

  @Test func `resetting the session forgets decisions`() async throws {
    let server = try SecureServer(.selfSigned)
    let delegate = SessionTrustDelegate(ChallengeLog.accepts)
    let session = try URLSession.trustingTestAuthority(delegate: delegate)
    #expect(try await session.text(from: server.url) == "hello")
    await session.reset()
    #expect(try await session.text(from: server.url) == "hello")
    #expect(delegate.log.all.count == 2)
    session.invalidateAndCancel()
    #expect(await errorCode { _ = try await session.text(from: server.url) } != nil)
    #expect(await eventually { server.server.openConnectionCount == 0 })
  }

  @Test func `a response of an invalid server is not stored for other loads`() async throws {
    let server = try SecureServer(.selfSigned) { _ in
      Reply(headers: [("Cache-Control", "max-age=1000")], text: "hello")
    }
    let session = try URLSession.trustingTestAuthority()
    let delegate = TaskTrustDelegate(ChallengeLog.accepts)
    #expect(try await session.text(from: server.url, delegate: delegate) == "hello")
    #expect(
      await errorCode { _ = try await session.text(from: server.url) } == .serverCertificateHasUnknownRoot)
    let valid = try SecureServer { _ in Reply(headers: [("Cache-Control", "max-age=1000")], text: "hello") }
    for _ in 0..<2 { #expect(try await session.text(from: valid.url, delegate: delegate) == "hello") }
    #expect(valid.server.requests.count == 1)
  }
}
#endif
