import Foundation
import TestSupport

extension ConformanceSuite {
  static let tls: [ConformanceCase] = certificates + shutdowns

  private static let certificates: [ConformanceCase] = [
    ConformanceCase(.tls, "tls-valid", "A trusted certificate for the host is accepted.", over: .https) {
      context in
      try expectResponse(try await context.perform(ExchangeRequest(.data, secure(context, .valid))))
    },
    ConformanceCase(.tls, "tls-expired", "An expired certificate is -1201 or -1202.", over: .https) {
      context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, secure(context, .expired))),
        .serverCertificateHasBadDate, .serverCertificateUntrusted)
    },
    ConformanceCase(
      .tls, "tls-not-yet-valid", "A certificate that is not yet valid is -1204, -1201 or -1202.", over: .https
    ) { context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, secure(context, .notYetValid))),
        .serverCertificateNotYetValid, .serverCertificateHasBadDate, .serverCertificateUntrusted)
    },
    ConformanceCase(.tls, "tls-wrong-host", "A certificate for another host is -1202.", over: .https) {
      context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, secure(context, .wrongHost))),
        .serverCertificateUntrusted)
    },
    ConformanceCase(.tls, "tls-self-signed", "A self-signed certificate is -1202 or -1203.", over: .https) {
      context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, secure(context, .selfSigned))),
        .serverCertificateUntrusted, .serverCertificateHasUnknownRoot)
    },
    ConformanceCase(
      .tls, "tls-unknown-authority", "A certificate of an untrusted authority is -1203 or -1202.",
      over: .https
    ) { context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, secure(context, .unknownAuthority))),
        .serverCertificateHasUnknownRoot, .serverCertificateUntrusted)
    },
    ConformanceCase(.tls, "tls-not-spoken", "A server that does not use TLS is -1200.", over: .https) {
      context in
      let server = context.keep(
        try ScriptedServer([.send("HTTP/1.1 400 Bad Request\r\n\r\n"), .readUntilClosed]))
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, "https://127.0.0.1:\(server.port)/")),
        .secureConnectionFailed)
    },
    ConformanceCase(
      .tls, "tls-closed-in-handshake", "A connection closed inside the handshake is -1200 or -1005.",
      over: .https
    ) { context in
      let server = context.keep(try ScriptedServer { _ = try $0.read() })
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, "https://127.0.0.1:\(server.port)/")),
        .secureConnectionFailed, .networkConnectionLost)
    },
    ConformanceCase(.tls, "tls-bytes", "A rejected certificate is an error for bytes too.", over: .https) {
      context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.bytes, secure(context, .selfSigned))),
        .serverCertificateUntrusted, .serverCertificateHasUnknownRoot)
    },
    ConformanceCase(
      .tls, "tls-download", "A rejected certificate is an error for a download too.", over: .https
    ) { context in
      try expectFailure(
        try await context.perform(ExchangeRequest(.download, secure(context, .wrongHost))),
        .serverCertificateUntrusted)
    },
    ConformanceCase(
      .tls, "tls-delegate-default", "Default handling of a server-trust challenge checks the certificate.",
      over: .https
    ) { context in
      var delegate = DelegatePolicy()
      delegate.challenge = { _ in .defaultHandling }
      let session = try context.session()
      let good = try await context.perform(
        ExchangeRequest(.data, secure(context, .valid), delegate: delegate), on: session)
      try expectResponse(good)
      let bad = try await context.perform(
        ExchangeRequest(.data, secure(context, .expired), delegate: delegate), on: session)
      try expectFailure(bad, .serverCertificateHasBadDate, .serverCertificateUntrusted)
    },
  ]

  static func secure(
    _ context: CaseContext, _ certificate: TestAuthority.Certificate
  ) throws -> String {
    try context.servers.nginx().secureURL(certificate: certificate).absoluteString
  }

  private static let shutdowns: [ConformanceCase] =
    reply(
      .tls, "tls-unclean-after-length",
      "A body that is complete by its length is complete without close_notify.",
      over: [.https], ending: .abrupt, [.send(Reply(text: "hello")), .close]
    ) { try expectResponse($0, text: "hello") }
    + reply(
      .tls, "tls-unclean-short", "A body that ends short without close_notify is an error.",
      over: [.https], ending: .abrupt,
      [.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly a part"), .close]
    ) { try expectFailure($0, .networkConnectionLost, .secureConnectionFailed) }
    + reply(
      .tls, "tls-unclean-chunks", "Chunks that end without the last one and close_notify are an error.",
      over: [.https], ending: .abrupt,
      [.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"), .close]
    ) {
      try expectFailure($0, .networkConnectionLost, .secureConnectionFailed, .cannotParseResponse)
    }
    + reply(
      .tls, "tls-unclean-until-close",
      "A body that ends with its connection, without close_notify, is an error or the data that arrived.",
      over: [.https], ending: .abrupt, [.send("HTTP/1.1 200 OK\r\n\r\nhello"), .close]
    ) { outcome in
      try expectFailure(outcome, .networkConnectionLost, .secureConnectionFailed, or: "“hello”") {
        $0.text == "hello"
      }
    }
}
