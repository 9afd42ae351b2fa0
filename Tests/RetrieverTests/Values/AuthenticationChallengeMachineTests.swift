#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

struct AuthenticationChallengeMachineTests {
  private let url = URL(string: "https://Dogs.example/private/a.jpg")!
  private let alice = URLCredential(user: "alice", password: "wonder", persistence: .forSession)
  private let bob = URLCredential(user: "bob", password: "builder", persistence: .none)

  private func response(_ fields: [String], url: URL? = nil) throws -> HTTPURLResponse {
    let lines = fields.map { "WWW-Authenticate: \($0)\r\n" }.joined()
    return HTTPURLResponse(
      url: url ?? self.url, statusCode: 401, httpVersion: "HTTP/1.1", headerBlock: Array(lines.utf8))
  }

  private func question(_ action: ChallengeMachine.Action) throws -> ChallengeMachine.Question {
    guard case .ask(let question) = action else { throw Unexpected(action: "\(action)") }
    return question
  }

  private struct Unexpected: Error { let action: String }

  private func authorization(_ action: ChallengeMachine.Action) -> String? {
    if case .retry(let authorizer) = action { fieldValue(of: authorizer) } else { nil }
  }

  private func fieldValue(of authorizer: Authorizer?) -> String? {
    authorizer?.answer(for: .init(method: "GET", target: "/", bodyHash: { _ in nil }))?.fieldValue
  }

  private func isDelivery(_ action: ChallengeMachine.Action) -> Bool {
    if case .deliver = action { true } else { false }
  }

  @Test func `a challenge describes the requested authentication`() throws {
    var machine = ChallengeMachine()
    let response = try response([#"Basic realm="dogs""#])
    let challenge = try question(machine.refused(by: response, url: url, lookup: { _ in nil }))
      .makeChallenge()
    #expect(challenge.protectionSpace.host == "dogs.example")
    #expect(challenge.protectionSpace.port == 443)
    #expect(challenge.protectionSpace.protocol == NSURLProtectionSpaceHTTPS)
    #expect(challenge.protectionSpace.realm == "dogs")
    #expect(challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodHTTPBasic)
    #expect(challenge.previousFailureCount == 0)
    #expect(challenge.proposedCredential == nil)
    #expect(challenge.failureResponse === response)
  }

  @Test func `a credential is sent, and reported when it is accepted`() throws {
    var machine = ChallengeMachine()
    _ = machine.refused(by: try response([#"Basic realm="dogs""#]), url: url, lookup: { _ in nil })
    #expect(
      authorization(machine.answered(.useCredential, alice))
        == BasicAuthorization.fieldValue(user: "alice", password: "wonder"))
    let acceptance = machine.accepted()
    #expect(acceptance?.credential == alice)
    #expect(acceptance?.protectionSpace.realm == "dogs")
    #expect(acceptance?.url == url)
    #expect(machine.accepted() == nil)
  }

  @Test func aRefusedCredentialIsCountedAndNamed() throws {
    var machine = ChallengeMachine()
    let refusal = try response([#"Basic realm="dogs""#])
    for count in 0..<3 {
      let asked = try question(machine.refused(by: refusal, url: url, lookup: { _ in nil }))
      #expect(asked.previousFailureCount == count)
      #expect(asked.refusedCredential == (count == 0 ? nil : alice))
      #expect(authorization(machine.answered(.useCredential, alice)) != nil)
    }
  }

  @Test func anotherRealmCountsItsOwnFailures() throws {
    var machine = ChallengeMachine()
    _ = machine.refused(by: try response([#"Basic realm="dogs""#]), url: url, lookup: { _ in nil })
    _ = machine.answered(.useCredential, alice)
    let asked = try question(
      machine.refused(by: try response([#"Basic realm="cats""#]), url: url, lookup: { _ in nil }))
    #expect(asked.previousFailureCount == 0)
    #expect(asked.refusedCredential == nil)
  }

  @Test func `without a credential, the 401 is the response`() throws {
    var machine = ChallengeMachine()
    _ = machine.refused(by: try response(["Basic"]), url: url, lookup: { _ in nil })
    #expect(isDelivery(machine.answered(.useCredential, nil)))
    #expect(machine.accepted() == nil)
  }

  @Test func defaultHandlingUsesAStoredCredentialOnceOnly() throws {
    var machine = ChallengeMachine()
    let stored = alice
    let refusal = try response([#"Basic realm="dogs""#])
    let first = try question(machine.refused(by: refusal, url: url, lookup: { _ in stored }))
    #expect(first.proposedCredential == stored)
    #expect(authorization(machine.answered(.performDefaultHandling, nil)) != nil)
    let second = try question(machine.refused(by: refusal, url: url, lookup: { _ in stored }))
    #expect(second.proposedCredential == nil)
    #expect(second.refusedCredential == stored)
    #expect(isDelivery(machine.answered(.performDefaultHandling, nil)))
  }

  @Test func theURLsOwnNameAndPasswordAreTriedBeforeAStoredCredential() throws {
    var machine = ChallengeMachine()
    let url = URL(string: "https://car%40l:p%3Aw@dogs.example/")!
    let stored = alice
    let refusal = try response(["Basic"], url: url)
    let first = try question(machine.refused(by: refusal, url: url, lookup: { _ in stored }))
    #expect(first.proposedCredential?.user == "car@l")
    #expect(first.proposedCredential?.password == "p:w")
    _ = machine.answered(.performDefaultHandling, nil)
    let second = try question(machine.refused(by: refusal, url: url, lookup: { _ in stored }))
    #expect(second.proposedCredential == stored)
  }

  @Test func cancellingFailsTheTask() throws {
    var machine = ChallengeMachine()
    _ = machine.refused(by: try response(["Basic"]), url: url, lookup: { _ in nil })
    guard case .fail(let error) = machine.answered(.cancelAuthenticationChallenge, nil) else {
      Issue.record("the challenge was cancelled")
      return
    }
    #expect(error.code == .cancelled)
    #expect(error.failingURL == url)
  }

  @Test func rejectingASpaceAsksForTheNextOneThenDelivers() throws {
    var machine = ChallengeMachine()
    let stored = alice
    let refusal = try response([#"Negotiate, Basic realm="one", Basic realm="two""#])
    let first = try question(machine.refused(by: refusal, url: url, lookup: { _ in stored }))
    #expect(first.protectionSpace.realm == "one")
    let second = try question(machine.answered(.rejectProtectionSpace, nil))
    #expect(second.protectionSpace.realm == "two")
    #expect(isDelivery(machine.answered(.rejectProtectionSpace, nil)))
  }

  @Test func `the offered spaces are those of the questions`() throws {
    let refusal = try response([#"Negotiate, Basic realm="one", Basic realm="two""#])
    let spaces = ChallengeMachine.offeredSpaces(by: refusal, url: url)
    var machine = ChallengeMachine()
    let first = try question(machine.refused(by: refusal, url: url, lookup: { _ in nil }))
    let second = try question(machine.answered(.rejectProtectionSpace, nil))
    #expect(spaces == [first.protectionSpace, second.protectionSpace])
  }

  @Test(arguments: [[], ["Negotiate"], ["Unheard-of realm=x"]])
  func `a 401 without a supported offer is the response`(_ fields: [String]) throws {
    var machine = ChallengeMachine()
    #expect(isDelivery(machine.refused(by: try response(fields), url: url, lookup: { _ in nil })))
  }

  @Test func `an answer without a question is ignored`() throws {
    var machine = ChallengeMachine()
    guard case .ignore = machine.answered(.useCredential, alice) else {
      Issue.record("no question was asked yet")
      return
    }
    _ = machine.refused(by: try response(["Basic"]), url: url, lookup: { _ in nil })
    _ = machine.answered(.useCredential, alice)
    guard case .ignore = machine.answered(.useCredential, bob) else {
      Issue.record("the question was already answered")
      return
    }
    #expect(machine.accepted()?.credential == alice)
  }

  @Test func aRememberedCredentialThatIsRefusedCountsAsAFailure() throws {
    var machine = ChallengeMachine()
    let cache = CredentialCache()
    let space = URLProtectionSpace(
      host: "dogs.example", port: 443, protocol: "https", realm: "dogs",
      authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
    cache.remember(alice, for: space, at: url)
    machine.willSend(try #require(cache.entry(for: url)), to: url)
    let known = alice
    let asked = try question(
      machine.refused(by: try response([#"Basic realm="dogs""#]), url: url, lookup: { _ in known }))
    #expect(asked.previousFailureCount == 1)
    #expect(asked.refusedCredential == alice)
    #expect(asked.proposedCredential == nil)
  }

  @Test func anAcceptedCredentialFollowsARedirectWithinItsOriginOnly() throws {
    for (destination, goesAlong) in [
      ("https://dogs.example/other", true), ("https://cats.example/", false),
      ("http://dogs.example/", false),
    ] {
      var machine = ChallengeMachine()
      _ = machine.refused(by: try response(["Basic"]), url: url, lookup: { _ in nil })
      let sent = authorization(machine.answered(.useCredential, bob))
      _ = machine.accepted()
      let next = try #require(URL(string: destination))
      let followed = fieldValue(of: machine.willFollowRedirect(to: next))
      #expect(followed == (goesAlong ? sent : nil), "\(destination)")
      #expect(machine.accepted()?.url == (goesAlong ? next : nil), "\(destination)")
    }
  }

  @Test func `a credential is not sent again after a redirect to another origin`() throws {
    var machine = ChallengeMachine()
    _ = machine.refused(by: try response(["Basic"]), url: url, lookup: { _ in nil })
    _ = machine.answered(.useCredential, bob)
    _ = machine.accepted()
    let other = try #require(URL(string: "https://cats.example/"))
    #expect(fieldValue(of: machine.willFollowRedirect(to: other)) == nil)
    #expect(fieldValue(of: machine.willFollowRedirect(to: url)) == nil)
  }

  @Test func `a delegate that always retries is stopped`() throws {
    var machine = ChallengeMachine()
    let refusal = try response(["Basic"])
    var requests = 0
    while case .ask = machine.refused(by: refusal, url: url, lookup: { _ in nil }), requests < 1000 {
      _ = machine.answered(.useCredential, alice)
      requests += 1
    }
    #expect(requests == ChallengeMachine.maximumRefusals)
  }
}
#endif
