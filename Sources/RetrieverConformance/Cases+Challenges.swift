import Foundation
import TestSupport

extension ConformanceSuite {
  static let challenges: [ConformanceCase] = answered + declined + kept

  private static let basicField = "Basic " + Data("user:password".utf8).base64EncodedString()

  /// A server that answers 401 until the request has the right Basic credentials, and then 200 with the body that was
  /// sent.
  private static func locked(
    _ scheme: String = "Basic realm=\"kennel\""
  ) -> @Sendable (ScriptedRequest) -> Reply {
    { request in
      if request["Authorization"] == basicField { return Reply(text: "welcome " + request.text) }
      return Reply(401, headers: [("WWW-Authenticate", scheme)], text: "locked")
    }
  }

  private static func policy(
    _ form: DelegatePolicy.Form = .completion,
    _ answer: @escaping @Sendable (DelegatePolicy.Challenge) -> DelegatePolicy.Answer
  ) -> DelegatePolicy {
    var policy = DelegatePolicy(form: form)
    policy.challenge = answer
    return policy
  }

  private static let right: @Sendable (DelegatePolicy.Challenge) -> DelegatePolicy.Answer = { _ in
    .credential(user: "user", password: "password")
  }

  private static func signingIn(
    _ id: String, _ title: String, _ kind: ExchangeRequest.Kind = .data,
    _ form: DelegatePolicy.Form = .completion,
    method: String = "GET", body: ExchangeRequest.Body = .none, expecting text: String = "welcome "
  ) -> ConformanceCase {
    ConformanceCase(.challenges, id, title) { context in
      let (origin, server) = try context.serveHTTP(locked())
      let outcome = try await context.perform(
        ExchangeRequest(kind, origin, method: method, body: body, delegate: policy(form, right)))
      try expectResponse(outcome, text: text)
      let asked = outcome.challenges.filter { $0.method == basicMethod }
      try expect(asked.count == 1, "The delegate was asked \(asked.count) times.")
      try expect(asked.first?.realm == "kennel", "The realm given is \(asked.first?.realm ?? "none").")
      try expect(asked.first?.previousFailures == 0, "The first challenge has a failure count.")
      try expect(asked.first?.status == 401, "The challenge has no failure response.")
      try expect(server.requests.count == 2, "\(server.requests.count) requests were sent.")
      if let file = outcome.file { try? FileManager.default.removeItem(atPath: file) }
    }
  }

  /// The value of the constant. The constant itself belongs to each client's library.
  private static let basicMethod = "NSURLAuthenticationMethodHTTPBasic"

  private static let answered: [ConformanceCase] =
    [
      signingIn(
        "basic-completion", "A per-call delegate answers a Basic challenge with its completion handler."),
      signingIn(
        "basic-async", "A per-call delegate answers a Basic challenge with an async method.", .data, .async),
      signingIn(
        "basic-callback", "A task's delegate answers a challenge of a task with a handler.", .dataCallback),
      signingIn("basic-download", "A per-call delegate answers the challenge of a download.", .download),
      signingIn("basic-bytes", "A per-call delegate answers the challenge of bytes.", .bytes),
      signingIn(
        "basic-upload", "The body is sent again after the challenge of an upload.", .upload, .completion,
        method: "POST", body: .data(Data("dog".utf8)), expecting: "welcome dog"),
      signingIn(
        "basic-stream", "A body stream is sent again after a challenge.", .data, .completion, method: "POST",
        body: .stream(Data("dog".utf8)), expecting: "welcome dog"),
    ]
    + each(over: [.https], .challenges, "basic-over-tls", "A Basic challenge is answered over TLS too.") {
      context in
      let (origin, _) = try context.serveHTTP(locked())
      let answer = policy { challenge in
        challenge.method == basicMethod ? right(challenge) : .defaultHandling
      }
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, origin, delegate: answer)), text: "welcome ")
    }
    + [
      ConformanceCase(
        .challenges, "basic-session-delegate", "The session's delegate answers if the task has no delegate."
      ) {
        context in
        let (origin, _) = try context.serveHTTP(locked())
        let session = try context.session { $0.delegate = policy(.completion, right) }
        try expectResponse(
          try await context.perform(ExchangeRequest(.data, origin), on: session), text: "welcome ")
      },
      ConformanceCase(
        .challenges, "basic-task-before-session", "The task's delegate is called before the session's."
      ) {
        context in
        let (origin, _) = try context.serveHTTP(locked())
        let session = try context.session { options in
          options.delegate = policy { _ in .credential(user: "nobody", password: "wrong") }
        }
        let outcome = try await context.perform(
          ExchangeRequest(.data, origin, delegate: policy(.completion, right)), on: session)
        try expectResponse(outcome, text: "welcome ")
      },
      ConformanceCase(.challenges, "basic-second-try", "A rejected credential is asked for again.") {
        context in
        let (origin, _) = try context.serveHTTP(locked())
        let answer = policy { challenge in
          .credential(user: "user", password: challenge.previousFailures < 2 ? "wrong" : "password")
        }
        let outcome = try await context.perform(ExchangeRequest(.data, origin, delegate: answer))
        try expectResponse(outcome, text: "welcome ")
        let failures = outcome.challenges.map(\.previousFailures)
        try expect(failures == [0, 1, 2], "The counts of failures are \(failures).")
      },
      ConformanceCase(.challenges, "basic-unicode", "A password with non-ASCII characters is sent as UTF-8.")
      { context in
        let (origin, server) = try context.serveHTTP { request in
          request["Authorization"] == nil
            ? Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"k\", charset=\"UTF-8\"")]) : Reply()
        }
        let answer = policy { _ in .credential(user: "hündin", password: "pässword") }
        try expectResponse(try await context.perform(ExchangeRequest(.data, origin, delegate: answer)))
        let expected = "Basic " + Data("hündin:pässword".utf8).base64EncodedString()
        try expect(server.requests.last?["Authorization"] == expected, "The field has another value.")
      },
      ConformanceCase(.challenges, "several-schemes", "Basic is found among several schemes in one field.") {
        context in
        let scheme = "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"kennel\""
        let (origin, _) = try context.serveHTTP(locked(scheme))
        let outcome = try await context.perform(
          ExchangeRequest(.data, origin, delegate: policy(.completion, right)))
        try expectResponse(outcome, text: "welcome ")
      },
    ]

  private static func declining(
    _ id: String, _ title: String, scheme: String = "Basic realm=\"kennel\"", _ delegate: DelegatePolicy?
  ) -> ConformanceCase {
    ConformanceCase(.challenges, id, title) { context in
      let (origin, _) = try context.serveHTTP(locked(scheme))
      let outcome = try await context.perform(ExchangeRequest(.data, origin, delegate: delegate))
      try expectResponse(outcome, 401, text: "locked")
    }
  }

  private static let declined: [ConformanceCase] = [
    declining("basic-no-delegate", "Without a delegate the 401 is the response.", nil),
    declining(
      "basic-no-method", "A delegate that implements no challenge method gets the 401.", DelegatePolicy()),
    declining(
      "basic-default", "After default handling the 401 is the response.", policy { _ in .defaultHandling }),
    declining("basic-none", "Without a credential the 401 is the response.", policy { _ in .noCredential }),
    declining(
      "basic-reject", "After all schemes are rejected the 401 is the response.", policy { _ in .reject }),
    declining(
      "unknown-scheme", "An unknown scheme gives the 401 directly.", scheme: "Bearer realm=\"kennel\"",
      policy { _ in .cancel }),
    declining(
      "broken-scheme", "A broken challenge gives the 401.", scheme: "=,\"Basic\\", policy { _ in .cancel }
    ),
    ConformanceCase(.challenges, "basic-cancel", "Cancelling the challenge is -999.") { context in
      let (origin, _) = try context.serveHTTP(locked())
      let outcome = try await context.perform(
        ExchangeRequest(.data, origin, delegate: policy { _ in .cancel }))
      try expectFailure(outcome, .cancelled)
    },
    ConformanceCase(
      .challenges, "basic-cancel-after-failures", "Cancelling after rejected credentials is -999."
    ) {
      context in
      let (origin, server) = try context.serveHTTP(locked())
      let answer = policy { challenge in
        challenge.previousFailures < 2 ? .credential(user: "user", password: "wrong") : .cancel
      }
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin, delegate: answer)), .cancelled)
      try expect(server.requests.count == 3, "\(server.requests.count) requests were sent.")
    },
  ]

  private static let kept: [ConformanceCase] = [
    ConformanceCase(
      .challenges, "basic-remembered", "A credential kept for the session is not asked for again."
    ) {
      context in
      let (origin, _) = try context.serveHTTP(locked())
      let session = try context.session()
      for count in [1, 0] {
        let outcome = try await context.perform(
          ExchangeRequest(.data, origin + "/photos", delegate: policy(.completion, right)), on: session)
        try expectResponse(outcome, text: "welcome ")
        try expect(
          outcome.challenges.count == count, "The delegate was asked \(outcome.challenges.count) times.")
      }
    },
    ConformanceCase(
      .challenges, "basic-stays-home", "A credential is not sent to the origin of a redirect."
    ) { context in
      let (other, elsewhere) = try context.serveHTTP { _ in Reply(text: "other") }
      let (origin, _) = try context.serveHTTP { request in
        request["Authorization"] == basicField
          ? .redirect(to: other + "/there") : Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"k\"")])
      }
      let outcome = try await context.perform(
        ExchangeRequest(.data, origin, delegate: policy(.completion, right)))
      try expectResponse(outcome, text: "other")
      try expect(elsewhere.requests.first?["Authorization"] == nil, "The credential went to another origin.")
    },
  ]
}
