import Foundation
import TestSupport

extension ConformanceSuite {
  /// Cases of HTTP Digest. They run in their own processes, because a client that does not support it may trap.
  static let digest: [ConformanceCase] =
    answering("digest-md5", "A Digest challenge with MD5 is answered.")
    + answering("digest-no-qop", "A Digest challenge without qop is answered.", qop: nil)
    + answering(
      "digest-sha-256", "A Digest challenge with SHA-256 is answered.", algorithm: "SHA-256",
      function: "EVP_sha256")
    + answering(
      "digest-upload", "The body is sent again after a Digest challenge.", .upload, body: "dog")
    + [
      ConformanceCase(
        .challenges, "digest-before-basic", "Digest is preferred to Basic.", in: .ownProcess
      ) { context in
        let basic = ("WWW-Authenticate", "Basic realm=\"kennel\"")
        let (origin, _) = try context.serveHTTP(DigestGuard(further: [basic]).reply)
        let outcome = try await context.perform(ExchangeRequest(.data, origin, delegate: signingIn))
        try expectResponse(outcome, text: "welcome ")
        try expect(outcome.challenges.first?.method == method, "The first challenge is another one.")
      },
      ConformanceCase(
        .challenges, "digest-wrong-password", "A password that Digest rejects is asked for again.",
        in: .ownProcess
      ) { context in
        let (origin, _) = try context.serveHTTP(DigestGuard().reply)
        var answer = DelegatePolicy(form: .completion)
        answer.challenge = {
          .credential(user: "user", password: $0.previousFailures < 2 ? "wrong" : "password")
        }
        let outcome = try await context.perform(ExchangeRequest(.data, origin, delegate: answer))
        try expectResponse(outcome, text: "welcome ")
        let failures = outcome.challenges.map(\.previousFailures)
        try expect(failures == [0, 1, 2], "The counts of failures are \(failures).")
      },
      ConformanceCase(
        .challenges, "digest-remembered",
        "Later requests answer a Digest server before it asks, with increasing counts.", in: .ownProcess
      ) { context in
        let (origin, server) = try context.serveHTTP(DigestGuard().reply)
        let session = try context.session()
        for count in [1, 0, 0] {
          let outcome = try await context.perform(
            ExchangeRequest(.data, origin + "/photos", delegate: signingIn), on: session)
          try expectResponse(outcome, text: "welcome ")
          try expect(
            outcome.challenges.count == count, "The delegate was asked \(outcome.challenges.count) times.")
        }
        let counts = server.requests.compactMap {
          $0["Authorization"].map { DigestGuard.parameter("nc", of: $0) }
        }
        try expect(counts == ["00000001", "00000002", "00000003"], "The counts are \(counts).")
      },
      ConformanceCase(
        .challenges, "digest-stale", "A stale nonce is replaced without another challenge.", in: .ownProcess
      ) { context in
        let (origin, _) = try context.serveHTTP(DigestGuard(usesOfNonce: 1).reply)
        let session = try context.session()
        for count in [1, 0, 0] {
          let outcome = try await context.perform(
            ExchangeRequest(.data, origin, delegate: signingIn), on: session)
          try expectResponse(outcome, text: "welcome ")
          try expect(
            outcome.challenges.count == count, "The delegate was asked \(outcome.challenges.count) times.")
        }
      },
    ]

  private static let method = "NSURLAuthenticationMethodHTTPDigest"

  private static let signingIn: DelegatePolicy = {
    var policy = DelegatePolicy(form: .completion)
    policy.challenge = { challenge in
      challenge.method.hasSuffix("ServerTrust")
        ? .defaultHandling : .credential(user: "user", password: "password")
    }
    return policy
  }()

  private static func answering(
    _ id: String, _ title: String, _ kind: ExchangeRequest.Kind = .data, body: String = "",
    algorithm: String = "MD5", function: String = "EVP_md5", qop: String? = "auth"
  ) -> [ConformanceCase] {
    each(.challenges, id, title, in: .ownProcess) { context in
      let digest = DigestGuard(algorithm: algorithm, function: function, qop: qop)
      let (origin, server) = try context.serveHTTP(digest.reply)
      let outcome = try await context.perform(
        ExchangeRequest(
          kind, origin + "/a?b=%22c%22", method: body.isEmpty ? "GET" : "POST",
          body: body.isEmpty ? .none : .data(Data(body.utf8)), delegate: signingIn))
      try expectResponse(outcome, text: "welcome " + body)
      let asked = outcome.challenges.filter { $0.method == method }
      try expect(asked.count == 1, "The delegate was asked \(asked.count) times.")
      try expect(asked.first?.realm == "kennel", "The realm given is \(asked.first?.realm ?? "none").")
      try expect(server.requests.count == 2, "\(server.requests.count) requests were sent.")
    }
  }
}

/// The server's side of Digest.
private struct DigestGuard: Sendable {
  var algorithm = "MD5"
  var function = "EVP_md5"
  var qop: String? = "auth"
  /// Further fields of a refusal.
  var further: [(String, String)] = []
  /// The nonce of a request with a higher count is stale.
  var usesOfNonce = Int.max

  private func hash(_ text: String) throws -> String { try MessageDigest.hexadecimal(function, text) }

  func reply(to request: ScriptedRequest) throws -> Reply {
    guard let field = request["Authorization"] else { return refusal(nonce: "first", isStale: false) }
    func sent(_ name: String) -> String { Self.parameter(name, of: field) }
    let key = try hash("user:kennel:password")
    let protected = try hash("\(request.method):\(request.target)")
    let middle = qop == nil ? sent("nonce") : "\(sent("nonce")):\(sent("nc")):\(sent("cnonce")):auth"
    guard sent("username") == "user", sent("uri") == request.target,
      sent("response") == (try hash("\(key):\(middle):\(protected)"))
    else { return refusal(nonce: "next", isStale: false) }
    if let count = Int(sent("nc"), radix: 16), count > usesOfNonce {
      return refusal(nonce: sent("nonce") + "+", isStale: true)
    }
    return Reply(text: "welcome " + request.text)
  }

  private func refusal(nonce: String, isStale: Bool) -> Reply {
    var value = "Digest realm=\"kennel\", nonce=\"\(nonce)\", algorithm=\(algorithm)"
    if let qop { value += ", qop=\"\(qop)\"" }
    if isStale { value += ", stale=true" }
    return Reply(401, headers: further + [("WWW-Authenticate", value)], text: "locked")
  }

  /// The value of a parameter; empty if there is none. No value here contains a comma or an escape.
  static func parameter(_ name: String, of field: String) -> String {
    let items = field.dropFirst("Digest ".count).split(separator: ",")
    let item = items.first { $0.trimmingCharacters(in: .whitespaces).hasPrefix(name + "=") } ?? ""
    return item.drop { $0 != "=" }.dropFirst().trimmingCharacters(in: CharacterSet(charactersIn: "\" "))
  }
}
