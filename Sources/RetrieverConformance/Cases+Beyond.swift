import Foundation
import TestSupport

extension ConformanceSuite {
  static let beyond: [ConformanceCase] = [
    ConformanceCase(.beyond, "limit-body", "A body longer than the limit is -1103.") { context in
      let session = try context.session { $0.maximumBufferedBodySize = 1 << 20 }
      let (origin, _) = try context.serve(endless(opening: Gate()))
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin), on: session), .dataLengthExceedsMaximum)
    },
    ConformanceCase(
      .beyond, "limit-bomb", "A decompression bomb beyond the limit is -1103, using little memory."
    ) {
      context in
      let bomb = CompressedFixture.gzipBomb(size: 512 << 20)
      let session = try context.session { $0.maximumBufferedBodySize = 4 << 20 }
      let (origin, _) = try context.serveHTTP { _ in
        Reply(headers: [("Content-Encoding", "gzip")], body: bomb)
      }
      let before = ResourceSnapshot.residentBytes()
      try expectFailure(
        try await context.perform(ExchangeRequest(.data, origin), on: session), .dataLengthExceedsMaximum)
      let growth = ResourceSnapshot.residentBytes() - before
      try expect(growth < 96 << 20, "Resident memory grew by \(growth >> 20) MiB.")
    },
    ConformanceCase(.beyond, "unix-socket", "A session can use a Unix-domain socket.") { context in
      let path = try context.directory().path("socket")
      let server = context.keep(
        try ScriptedServer.http(on: .unixSocket(path)) { _ in Reply(text: "healthy") })
      let session = try context.session { $0.unixSocketPath = path }
      try expectResponse(
        try await context.perform(ExchangeRequest(.data, server.address("/x")), on: session), text: "healthy")
    },
    ConformanceCase(.beyond, "policy-loopback", "A session for public addresses refuses loopback.") {
      context in
      let (origin, server) = try context.serveHTTP { _ in Reply(text: "private") }
      let session = try context.session(isJudgedAfterwards: false) { $0.refusesPrivateAddresses = true }
      for address in [origin, origin.replacingOccurrences(of: "127.0.0.1", with: "localhost")] {
        let outcome = try await context.perform(ExchangeRequest(.data, address), on: session)
        try expect(outcome.failure != nil, "It was fetched: \(describe(outcome)).")
      }
      try expect(server.connectionCount == 0, "The client connected to the server.")
    },
  ]
}
