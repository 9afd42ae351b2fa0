#if !canImport(Darwin)
import Foundation
import Retriever
import Synchronization
import TestSupport
import TransferEngine

/// A server's side of Digest, written independently of the client's: it checks each request's response.
final class DigestServer: Sendable {
  struct Options: Sendable {
    var user = "user"
    var password = "pass"
    var realm = "kennel"
    var algorithm = "MD5"
    var hash = HashAlgorithm.md5
    var qop: String? = "auth"
    /// Further parameters of the challenge.
    var parameters = ""
    /// Further fields of each refusal.
    var fields: [(String, String)] = []
    /// The number of uses after which a nonce is stale.
    var usesOfNonce = Int.max
    /// Whether a stale nonce is refused without saying that it is stale.
    var hidesStaleness = false
    var sendsNextNonce = false
    var sendsProof = false
    var wrongProof = false
    var isProxy = false
    /// The body that the proof of an accepted reply covers.
    var replyBody = Data("in".utf8)
  }

  private struct State {
    var nonces = 0
    var used: [String: Set<String>] = [:]
    var replays = 0
    var refusals = 0
    var accepted: [[String: String]] = []
  }

  let options: Options
  private let state = Mutex(State())

  init(_ change: (inout Options) -> Void = { _ in }) {
    var options = Options()
    change(&options)
    self.options = options
  }

  /// How often a request repeated a count that was used before.
  var replays: Int { state.withLock { $0.replays } }
  /// The number of refusals.
  var refusals: Int { state.withLock { $0.refusals } }
  /// The parameters of the accepted requests.
  var accepted: [[String: String]] { state.withLock { $0.accepted } }

  private func hash(_ text: String) -> String { hash(Data(text.utf8)) }

  private func hash(_ bytes: Data) -> String {
    (Digests.hash(options.hash, bytes) ?? []).map { String(format: "%02x", $0) }.joined()
  }

  /// The nonce of the next challenge. It is not unique: loads that are challenged at the same time share it.
  private func currentNonce(_ state: State) -> String { "nonce-\(state.nonces)" }

  private func refusal(stale: Bool) -> Reply {
    let nonce = state.withLock { state in
      state.refusals += 1
      return currentNonce(state)
    }
    var value = "Digest realm=\"\(options.realm)\", nonce=\"\(nonce)\", algorithm=\(options.algorithm)"
    if let qop = options.qop { value += ", qop=\"\(qop)\"" }
    if stale, !options.hidesStaleness { value += ", stale=true" }
    let name = options.isProxy ? "Proxy-Authenticate" : "WWW-Authenticate"
    return Reply(
      options.isProxy ? 407 : 401, headers: [(name, value + options.parameters)] + options.fields,
      text: "out")
  }

  /// Returns a refusal of a request; nil if it is accepted.
  func refusal(of request: ScriptedRequest) -> Reply? {
    check(method: request.method, target: request.target, body: request.text, request)
  }

  /// Returns the reply to a request.
  func reply(to request: ScriptedRequest) -> Reply {
    check(method: request.method, target: request.target, body: request.text, request) ?? Reply(text: "in")
  }

  /// Returns a refusal, or the fields of an accepted reply.
  private func check(method: String, target: String, body: String, _ request: ScriptedRequest) -> Reply? {
    let field = request[options.isProxy ? "Proxy-Authorization" : "Authorization"]
    guard let field, let sent = AuthenticateOffer.parse([field]).first?.parameters,
      let nonce = sent["nonce"]
    else { return refusal(stale: false) }
    let key = "\(options.user):\(options.realm):\(options.password)"
    var a1 = hash(key)
    if options.algorithm.lowercased().hasSuffix("-sess") {
      a1 = hash("\(a1):\(nonce):\(sent["cnonce"] ?? "")")
    }
    let qop = sent["qop"]
    let a2 = hash("\(method):\(target)" + (qop == "auth-int" ? ":\(hash(body))" : ""))
    let middle = qop.map { "\(nonce):\(sent["nc"] ?? ""):\(sent["cnonce"] ?? ""):\($0)" } ?? nonce
    let user = sent["userhash"] == "true" ? hash("\(options.user):\(options.realm)") : options.user
    guard sent["username"] == user, sent["uri"] == target, sent["realm"] == options.realm,
      sent["response"] == hash("\(a1):\(middle):\(a2)")
    else { return refusal(stale: false) }
    let isStale = state.withLock { state -> Bool in
      let count = sent["nc"] ?? "\(state.used[nonce]?.count ?? 0)"
      if !state.used[nonce, default: []].insert(count).inserted { state.replays += 1 }
      let isOld = nonce != currentNonce(state)
      if isOld { return true }
      if (state.used[nonce]?.count ?? 0) >= options.usesOfNonce { state.nonces += 1 }
      state.accepted.append(sent)
      return false
    }
    if isStale { return refusal(stale: true) }
    guard options.sendsNextNonce || options.sendsProof else { return nil }
    var info: [String] = []
    if options.sendsProof {
      let covered = qop == "auth-int" ? ":\(hash(options.replyBody))" : ""
      let proof = options.wrongProof ? "0" : hash("\(a1):\(middle):\(hash(":\(target)" + covered))")
      info.append("rspauth=\"\(proof)\"")
      if let qop { info.append("qop=\(qop)") }
    }
    if options.sendsNextNonce {
      let next = state.withLock { state in
        state.nonces += 1
        return currentNonce(state)
      }
      info.append("nextnonce=\"\(next)\"")
    }
    let name = options.isProxy ? "Proxy-Authentication-Info" : "Authentication-Info"
    return Reply(headers: [(name, info.joined(separator: ", "))], text: "in")
  }
}

extension CredentialCache {
  /// Remembers a credential for Basic.
  func remember(_ credential: URLCredential, for space: URLProtectionSpace, at url: URL) {
    remember(
      ChallengeMachine.Acceptance(
        credential: credential, protectionSpace: space, url: url,
        authorizer: .basic(user: credential.user ?? "", password: credential.password ?? "")))
  }
}
#endif
