import Foundation
import TestSupport

extension ConformanceSuite {
  static let protocols: [ConformanceCase] = [
    plain(
      .protocols, "protocol-answers", "A protocol answers a load.", .protocolAnswers, "start", "stop",
      "status 201", "kind stub", "hello"),
    plain(
      .protocols, "protocol-pieces", "A protocol answers from another thread, in pieces.", .protocolPieces,
      "start", "stop", "status 201", "kind stub", "hello"),
    plain(.protocols, "protocol-fails", "A protocol's error is the load's.", .protocolFails, "-1009"),
    plain(
      .protocols, "protocol-redirects", "A protocol's redirect is followed.", .protocolRedirects,
      "http://stub.test/to", "hello"),
    ConformanceCase(.protocols, "protocol-refuses", "What a protocol refuses comes from the network.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "network") }
      try await context.play(.protocolRefuses, at: origin, expecting: ["network"])
    },
    plain(
      .protocols, "protocol-order", "The first protocol of a configuration that accepts answers.",
      .protocolOrder, "first"),
    plain(
      .protocols, "protocol-cancelled", "Cancelling a load stops its protocol.", .protocolCancelled, "start",
      "stop", "-999"),
    plain(.protocols, "protocol-body", "A protocol gets a body as a stream.", .protocolBody, "POST photo"),
    plain(
      .protocols, "protocol-download", "A protocol's response can be downloaded.", .protocolDownload,
      "file hello"),
    plain(
      .protocols, "protocol-property", "A request carries properties to its protocol.", .protocolProperty,
      "property dog"),
    plain(
      .protocols, "protocol-data-file", "Addresses with data: and file: are loaded.", .dataAndFiles,
      "text/plain hello", "file"),
  ]
}
