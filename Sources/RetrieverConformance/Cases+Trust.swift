import Foundation
import TestSupport

extension ConformanceSuite {
  static let trust: [ConformanceCase] = [
    trusting("trust-asked", "A delegate is asked about the server's certificate.", .valid, .defaultHandling) {
      try expectResponse($0)
      try expect(
        $0.challenges.map(\.method) == ["NSURLAuthenticationMethodServerTrust"],
        "The challenges are \($0.challenges.map(\.method)).")
      try expect($0.challenges.first?.host == "localhost", "The host is another one.")
    },
    trusting("trust-unknown", "A delegate may accept an unknown authority.", .unknownAuthority, .acceptServer)
    {
      try expectResponse($0)
    },
    trusting(
      "trust-self-signed", "A delegate may accept a self-signed certificate.", .selfSigned, .acceptServer
    ) {
      try expectResponse($0)
    },
    trusting("trust-expired", "A delegate may accept an expired certificate.", .expired, .acceptServer) {
      try expectResponse($0)
    },
    trusting("trust-cancelled", "A delegate may cancel, which is -999.", .valid, .cancel) {
      try expectFailure($0, .cancelled)
    },
    trusting(
      "trust-default", "Default handling refuses an unknown authority.", .unknownAuthority, .defaultHandling
    ) {
      try expectFailure($0, .serverCertificateUntrusted, .serverCertificateHasUnknownRoot)
      try expect($0.challenges.count == 1, "\($0.challenges.count) challenges.")
    },
    ConformanceCase(
      .trust, "trust-one-task", "A lenient delegate of one task accepts nothing for another.", over: .https
    ) { context in
      let address = try secure(context, .unknownAuthority)
      let session = try context.session()
      var policy = DelegatePolicy()
      policy.challenge = { _ in .acceptServer }
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, address, delegate: policy), on: session))
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, address), on: session), .serverCertificateUntrusted,
        .serverCertificateHasUnknownRoot)
    },
  ]

  private static func trusting(
    _ id: String, _ title: String, _ certificate: TestAuthority.Certificate, _ answer: DelegatePolicy.Answer,
    judge: @escaping @Sendable (ExchangeOutcome) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(.trust, id, title, over: .https) { context in
      var policy = DelegatePolicy()
      policy.challenge = { _ in answer }
      let address = try secure(context, certificate)
      try judge(try await context.perform(ExchangeRequest(.data, address, delegate: policy)))
    }
  }
}
