#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import Synchronization
import TransferEngine

/// The nonces of one Digest challenge, which all loads of a `URLSession` share while the server accepts them.
///
/// The server may refuse a count (`nc`) that it has seen before, so every request takes the next one.
package final class DigestSession: Sendable {
  /// The parts of a request that its response protects.
  package struct Request: Sendable {
    /// The method.
    let method: String
    /// The target, as in the request line.
    let target: String
    /// The hash of the body; nil if it is not known.
    let bodyHash: @Sendable (HashAlgorithm) -> [UInt8]?

    package init(
      method: String, target: String, bodyHash: @escaping @Sendable (HashAlgorithm) -> [UInt8]?
    ) {
      self.method = method
      self.target = target
      self.bodyHash = bodyHash
    }
  }

  /// A response to the challenge that was sent with a request.
  package struct Proof: Sendable {
    /// The value of `Authorization` or `Proxy-Authorization`.
    package let fieldValue: String
    fileprivate let session: DigestSession
    fileprivate let key: String
    fileprivate let nonce: String
    fileprivate let count: String
    fileprivate let target: String

    /// Reads `Authentication-Info` or `Proxy-Authentication-Info`: uses the next nonce, and checks the server's proof.
    ///
    /// A proof that also covers the response's body (`auth-int`) can be checked only after the body: see ``bodyProof(in:)``.
    ///
    /// - Returns: False if the server sent a proof that is wrong, so that it does not know the password.
    package func isConfirmed(by fieldValues: [String]) -> Bool {
      let info = AuthenticateOffer.parse(fieldValues.map { "Digest \($0)" })
      for parameters in info.lazy.map(\.parameters) {
        let qop = ASCII.lowercased(parameters["qop"] ?? session.challenge.protection.rawValue)
        if let proof = parameters["rspauth"], session.challenge.protection != .legacy, qop == "auth" {
          let expected = session.response(
            key: key, nonce: nonce, count: count, protection: .auth, request: ":\(target)")
          guard let expected, ASCII.equalIgnoringCase(proof, expected) else { return false }
        }
        if let next = parameters["nextnonce"] { session.use(nonce: next) }
      }
      return true
    }

    /// The server's proof that also covers the response's body; nil if it sent none.
    package func bodyProof(in fieldValues: [String]) -> BodyProof? {
      guard session.challenge.protection == .authInt else { return nil }
      for parameters in AuthenticateOffer.parse(fieldValues.map({ "Digest \($0)" })).map(\.parameters) {
        let qop = ASCII.lowercased(parameters["qop"] ?? DigestChallenge.Protection.authInt.rawValue)
        if let value = parameters["rspauth"], qop == DigestChallenge.Protection.authInt.rawValue {
          return BodyProof(value: value, proof: self)
        }
      }
      return nil
    }

    /// The algorithm whose hash of the response's body is needed to check the server's proof; nil if none is needed.
    package var algorithmOfBody: HashAlgorithm? {
      session.challenge.protection == .authInt ? session.challenge.algorithm : nil
    }
  }

  /// A value of `rspauth` that covers the response's body (RFC 7616, 3.5).
  package struct BodyProof: Sendable {
    private let value: String
    private let proof: Proof

    fileprivate init(value: String, proof: Proof) {
      self.value = value
      self.proof = proof
    }

    /// Whether the proof is right for a body, given its hashes before decoding. It counts as right if the hash is unknown.
    package func isRight(for bodyHashes: [HashAlgorithm: [UInt8]]) -> Bool {
      let session = proof.session
      guard let hash = bodyHashes[session.challenge.algorithm] else { return true }
      let expected = session.response(
        key: proof.key, nonce: proof.nonce, count: proof.count, protection: .authInt,
        request: ":\(proof.target):\(DigestSession.hexadecimal(hash))")
      return expected.map { ASCII.equalIgnoringCase(value, $0) } ?? true
    }
  }

  private struct State {
    var nonce: String
    /// How often each of the latest nonces was used. The server may repeat a nonce.
    var counts: [(nonce: String, count: UInt32)]

    mutating func use(_ next: String) {
      nonce = next
      guard !counts.contains(where: { $0.nonce == next }) else { return }
      if counts.count >= DigestSession.maximumNonces { counts.removeFirst() }
      counts.append((next, 0))
    }

    mutating func nextCount() -> UInt32 {
      guard let index = counts.firstIndex(where: { $0.nonce == nonce }) else { return 1 }
      counts[index].count &+= 1
      return counts[index].count
    }
  }

  /// The number of a server's latest nonces whose counts are remembered.
  static let maximumNonces = 16

  package let challenge: DigestChallenge
  private let clientNonce: String
  private let state: Mutex<State>

  /// - Parameter clientNonce: The random text that the client adds; tests use a known one.
  package init(_ challenge: DigestChallenge, clientNonce: String = DigestSession.randomNonce()) {
    self.challenge = challenge
    self.clientNonce = clientNonce
    state = Mutex(State(nonce: challenge.nonce, counts: [(challenge.nonce, 0)]))
  }

  /// The nonce of the next request.
  package var nonce: String { state.withLock { $0.nonce } }

  /// Returns 128 random bits as text.
  package static func randomNonce() -> String {
    (0..<2).map { _ in
      let digits = String(UInt64.random(in: 0 ... .max), radix: 16)
      return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }.joined()
  }

  private func use(nonce: String) {
    guard DigestChallenge.isRepeatable(nonce) else { return }
    state.withLock { $0.use(nonce) }
  }

  /// Returns the response for one request; nil if the name cannot be sent, or the body's hash is needed and unknown.
  ///
  /// Each call counts as one use of the nonce.
  package func proof(user: String, password: String, for request: Request) -> Proof? {
    let user = challenge.isUTF8 ? user.precomposedStringWithCanonicalMapping : user
    let password = challenge.isUTF8 ? password.precomposedStringWithCanonicalMapping : password
    guard let name = nameParameters(user), let key = key(user: user, password: password) else { return nil }
    var protected = "\(request.method):\(request.target)"
    if challenge.protection == .authInt {
      guard let hash = request.bodyHash(challenge.algorithm) else { return nil }
      protected += ":\(Self.hexadecimal(hash))"
    }
    let (nonce, number) = state.withLock { ($0.nonce, $0.nextCount()) }
    let digits = String(number, radix: 16)
    let count = String(repeating: "0", count: 8 - digits.utf8.count) + digits
    guard
      let response = response(
        key: key, nonce: nonce, count: count, protection: challenge.protection, request: protected)
    else { return nil }

    var parameters = name
    parameters += [
      ("realm", Self.quoted(challenge.realm)), ("nonce", Self.quoted(nonce)),
      ("uri", Self.quoted(request.target)), ("response", Self.quoted(response)),
    ]
    if let name = challenge.algorithmName { parameters.append(("algorithm", name)) }
    if let opaque = challenge.opaque { parameters.append(("opaque", Self.quoted(opaque))) }
    if challenge.protection != .legacy {
      parameters += [
        ("qop", challenge.protection.rawValue), ("nc", count), ("cnonce", Self.quoted(clientNonce)),
      ]
    }
    return Proof(
      fieldValue: "Digest " + parameters.map { "\($0.0)=\($0.1)" }.joined(separator: ", "),
      session: self, key: key, nonce: nonce, count: count, target: request.target)
  }

  /// The user's name as the server wants it; nil if it cannot be expressed.
  private func nameParameters(_ user: String) -> [(String, String)]? {
    if challenge.hashesUser {
      guard let hash = hash("\(user):\(challenge.realm)") else { return nil }
      return [("username", Self.quoted(hash)), ("userhash", "true")]
    }
    let isPlain = user.utf8.allSatisfy { $0 < 0x80 } && !DigestChallenge.hasControlCharacters(user)
    if !isPlain, challenge.isUTF8 { return [("username*", "UTF-8''" + Self.extended(user))] }
    guard !DigestChallenge.hasControlCharacters(user) else { return nil }
    return [("username", Self.quoted(user))]
  }

  /// The hash of A1 (RFC 7616, 3.4.2). A session keeps the nonces of its challenge, even after `nextnonce`.
  private func key(user: String, password: String) -> String? {
    guard let secret = hash("\(user):\(challenge.realm):\(password)") else { return nil }
    return challenge.isSession ? hash("\(secret):\(challenge.nonce):\(clientNonce)") : secret
  }

  /// The value of `response` or `rspauth` for A2 (RFC 7616, 3.4.1).
  fileprivate func response(
    key: String, nonce: String, count: String, protection: DigestChallenge.Protection, request: String
  ) -> String? {
    guard let hash = hash(request) else { return nil }
    if protection == .legacy { return self.hash("\(key):\(nonce):\(hash)") }
    return self.hash("\(key):\(nonce):\(count):\(clientNonce):\(protection.rawValue):\(hash)")
  }

  private func hash(_ text: String) -> String? {
    Digests.hash(challenge.algorithm, text.utf8).map(Self.hexadecimal)
  }

  fileprivate static func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(
      decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      if scalar == "\"" || scalar == "\\" { result += "\\" }
      result.unicodeScalars.append(scalar)
    }
    return result + "\""
  }

  /// A text as `value-chars` (RFC 8187, 3.2.1).
  private static func extended(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let allowed = Set("!#$&+-.^_`|~".utf8)
    var result: [UInt8] = []
    for byte in text.utf8 {
      let isLetter = UInt8(ascii: "a")...UInt8(ascii: "z") ~= ASCII.lowercased(byte)
      if ASCII.isDigit(byte) || isLetter || allowed.contains(byte) {
        result.append(byte)
      } else {
        result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
#endif
