import Foundation
import Retriever
import RetrieverTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct StubChallengeTests {
  private final class SignIn: NSObject, URLSessionTaskDelegate {
    typealias Answer = (URLSession.AuthChallengeDisposition, URLCredential?)
    private let answer: @Sendable (URLAuthenticationChallenge) -> Answer
    private let seen = Mutex<[Int]>([])
    var failureCounts: [Int] { seen.withLock { $0 } }

    init(_ answer: @escaping @Sendable (URLAuthenticationChallenge) -> Answer) { self.answer = answer }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge
    ) async -> (URLSession.AuthChallengeDisposition, URLCredential?) {
      seen.withLock { $0.append(challenge.previousFailureCount) }
      return answer(challenge)
    }
  }

  private static func credential(_ password: String) -> URLCredential {
    URLCredential(user: "ada", password: password, persistence: .none)
  }

  private let stubs = HTTPStubs()

  init() {
    stubs.when(
      "/private", answer: .text("woof").requiringBasic(user: "ada", password: "biscuit", realm: "dogs"))
  }

  @Test func `the right password gets the answer, and a wrong one another challenge`() async throws {
    let delegate = SignIn { challenge in
      #expect(challenge.protectionSpace.realm == "dogs" && challenge.protectionSpace.host == "api.test")
      #expect(challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
      #expect((challenge.failureResponse as? HTTPURLResponse)?.statusCode == 401)
      return (.useCredential, Self.credential(challenge.previousFailureCount < 2 ? "bone" : "biscuit"))
    }
    let (data, response) = try await stubs.session().data(from: .test("/private"), delegate: delegate)
    #expect(data == Data("woof".utf8) && (response as? HTTPURLResponse)?.statusCode == 200)
    #expect(delegate.failureCounts == [0, 1, 2])
  }

  @Test func `without an answer, the response has status 401`() async throws {
    let session = stubs.session()
    let (_, response) = try await session.data(from: .test("/private"))
    let http = try #require(response as? HTTPURLResponse)
    #expect(http.statusCode == 401)
    #expect(http.value(forHTTPHeaderField: "WWW-Authenticate") == #"Basic realm="dogs""#)
    let rejecting = SignIn { _ in (.rejectProtectionSpace, nil) }
    let rejected = try await session.data(from: .test("/private"), delegate: rejecting).1
    #expect((rejected as? HTTPURLResponse)?.statusCode == 401)
  }

  @Test func `a delegate cancels the load`() async throws {
    let delegate = SignIn { _ in (.cancelAuthenticationChallenge, nil) }
    let error = await urlError {
      _ = try await stubs.session().data(from: .test("/private"), delegate: delegate)
    }
    #expect(error?.code == .cancelled)
  }

  @Test func `a delegate that repeats a wrong password is not asked forever`() async throws {
    let delegate = SignIn { _ in (.useCredential, Self.credential("bone")) }
    let (_, response) = try await stubs.session().data(from: .test("/private"), delegate: delegate)
    #expect((response as? HTTPURLResponse)?.statusCode == 401)
    #expect(delegate.failureCounts.count == 16)
  }

  @Test func `the credential storage and the header field of a request are used`() async throws {
    let configuration = stubs.configuration()
    let space = URLProtectionSpace(
      host: "api.test", port: 443, protocol: "https", realm: "dogs",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    configuration.urlCredentialStorage?.setDefaultCredential(
      URLCredential(user: "ada", password: "biscuit", persistence: .forSession), for: space)
    #expect(try await URLSession(configuration: configuration).text("/private") == "woof")
    var request = URLRequest(url: try .test("/private"))
    let token = Data("ada:biscuit".utf8).base64EncodedString()
    request.setValue("Basic \(token)", forHTTPHeaderField: "Authorization")
    #expect(try await stubs.session().data(for: request).0 == Data("woof".utf8))
  }
}
