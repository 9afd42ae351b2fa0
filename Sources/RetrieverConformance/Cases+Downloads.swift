import Foundation
import TestSupport

extension ConformanceSuite {
  static let downloads: [ConformanceCase] = files + resumption

  private static let files: [ConformanceCase] = [
    ConformanceCase(.downloads, "download-file", "An async download leaves its file to the caller.") {
      context in
      let address = try context.servers.nginx().url("/lines").absoluteString
      let outcome = try await context.perform(ExchangeRequest(.download, address))
      try expectResponse(outcome)
      try expect(outcome.body.count == 1_000_000, "The file has \(outcome.body.count) of 1,000,000 bytes.")
      try expect(try exists(outcome), "The file is gone when the call has returned.")
      try removeFile(of: outcome)
    },
    ConformanceCase(.downloads, "download-mode", "Other users cannot read a downloaded file.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "secret") }
      let outcome = try await context.perform(ExchangeRequest(.download, origin))
      try expectResponse(outcome, text: "secret")
      try expect(outcome.fileMode == 0o600, "The file's mode is \(String(outcome.fileMode ?? 0, radix: 8)).")
      try removeFile(of: outcome)
    },
    ConformanceCase(.downloads, "download-move", "A downloaded file can be moved.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      var request = ExchangeRequest(.download, origin)
      let destination = try context.directory().file("photo")
      request.destination = destination
      try expectResponse(try await context.perform(request), text: "hello")
      try expect(try Data(contentsOf: destination) == Data("hello".utf8), "The file was not moved.")
    },
    ConformanceCase(.downloads, "download-empty", "An empty body is an empty file.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply() }
      let outcome = try await context.perform(ExchangeRequest(.download, origin))
      try expectResponse(outcome, text: "")
      try expect(try exists(outcome), "There is no file.")
      try removeFile(of: outcome)
    },
    ConformanceCase(.downloads, "download-status", "A 404 is a response with a file.") { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(404, text: "not here") }
      let outcome = try await context.perform(ExchangeRequest(.download, origin))
      try expectResponse(outcome, 404, text: "not here")
      try removeFile(of: outcome)
    },
    ConformanceCase(.downloads, "download-callback", "The handler of a download can read its file.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      let outcome = try await context.perform(ExchangeRequest(.downloadCallback, origin))
      try expectResponse(outcome, text: "hello")
      try expect(outcome.completions == 1, "The handler was called \(outcome.completions) times.")
    },
    ConformanceCase(.downloads, "download-callback-removed", "The file is removed after the handler.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      let outcome = try await context.perform(ExchangeRequest(.downloadCallback, origin))
      try expectResponse(outcome, text: "hello")
      let file = try path(of: outcome)
      let isGone = await eventually(within: .seconds(3)) { !FileManager.default.fileExists(atPath: file) }
      if !isGone { try removeFile(of: outcome) }
      try expect(isGone, "The file is still there.")
    },
    ConformanceCase(.downloads, "download-callback-moved", "A file that the handler moved stays.") {
      context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      var request = ExchangeRequest(.downloadCallback, origin)
      let destination = try context.directory().file("photo")
      request.destination = destination
      try expectResponse(try await context.perform(request), text: "hello")
      try expect(try Data(contentsOf: destination) == Data("hello".utf8), "The file was not moved.")
    },
    ConformanceCase(
      .downloads, "download-big", "A download of 1 GiB uses little memory.", limit: .seconds(60)
    ) { context in
      let address = try context.servers.nginx().url("/big").absoluteString
      ResourceSnapshot.resetPeak()
      let before = ResourceSnapshot.residentBytes()
      var request = ExchangeRequest(.download, address)
      let destination = try context.directory().file("big")
      request.destination = destination
      let outcome = try await context.perform(request, limit: .seconds(50))
      try expectResponse(outcome)
      let attributes = try FileManager.default.attributesOfItem(atPath: destination.path)
      try expect(attributes[.size] as? Int == 1 << 30, "The file has \(attributes[.size] ?? 0) bytes.")
      let growth = ResourceSnapshot.peakResidentBytes() - before
      try expect(growth < 128 << 20, "Resident memory grew by \(growth >> 20) MiB.")
    },
  ]

  private static let resumption: [ConformanceCase] = [
    ConformanceCase(
      .downloads, "download-resume", "A download cancelled with resume data continues where it stopped."
    ) { context in
      let content = resumable
      let halfway = Gate()
      let (origin, server) = try context.serve(serving(content, tag: { _ in "\"one\"" }, halfway: halfway))
      let session = try context.session()
      var request = ExchangeRequest(.download, origin + "/file")
      request.cancelForResumption = halfway
      let cancelled = try await context.perform(request, on: session)
      try expectFailure(cancelled, .cancelled)
      guard let resumeData = cancelled.resumeData else {
        throw CaseFailure(reason: "There is no resume data.")
      }
      var second = ExchangeRequest(.download, origin + "/file")
      second.resumeData = resumeData
      let outcome = try await context.perform(second, on: session)
      try expectResponse(outcome, 206)
      try expect(outcome.body == content, "The file has \(outcome.body.count) bytes and is not the original.")
      let range = server.requests.last?["Range"]
      try expect(
        range?.hasPrefix("bytes=") == true && range != "bytes=0-",
        "The request has the Range \(range ?? "none").")
      try expect(server.requests.last?["If-Range"] == "\"one\"", "The request had no If-Range.")
      try removeFile(of: outcome)
    },
    ConformanceCase(
      .downloads, "download-resume-changed", "A file that has changed is downloaded completely again."
    ) { context in
      let content = resumable
      let halfway = Gate()
      let (origin, _) = try context.serve(
        serving(content, tag: { $0 == 0 ? "\"one\"" : "\"two\"" }, halfway: halfway))
      let session = try context.session()
      var request = ExchangeRequest(.download, origin + "/file")
      request.cancelForResumption = halfway
      let cancelled = try await context.perform(request, on: session)
      guard let resumeData = cancelled.resumeData else {
        throw CaseFailure(reason: "There is no resume data.")
      }
      var second = ExchangeRequest(.download, origin + "/file")
      second.resumeData = resumeData
      let outcome = try await context.perform(second, on: session)
      try expectResponse(outcome, 200)
      try expect(outcome.body == content, "The file has \(outcome.body.count) bytes and is not the new one.")
      try removeFile(of: outcome)
    },
    ConformanceCase(
      .downloads, "download-resume-nonsense", "Invalid resume data is an error and does not crash."
    ) { context in
      let (origin, _) = try context.serveHTTP { _ in Reply(text: "hello") }
      var request = ExchangeRequest(.download, origin)
      request.resumeData = Data("no resume data".utf8)
      let outcome = try await context.perform(request)
      try expect(outcome.failure != nil, "It was accepted.")
    },
  ]

  private static let resumable = Data((0..<(512 << 10)).map { UInt8(truncatingIfNeeded: $0 / 1000 + $0) })

  /// Serves a file with ETag and ranges. The first connection stops in the middle and opens the gate.
  private static func serving(
    _ content: Data, tag: @escaping @Sendable (Int) -> String, halfway: Gate
  ) -> @Sendable (ScriptedConnection) throws -> Void {
    { connection in
      while let request = try connection.nextRequest() {
        let tag = tag(connection.index)
        let headers = [
          ("ETag", tag), ("Accept-Ranges", "bytes"), ("Last-Modified", "Mon, 02 Jun 2025 10:00:00 GMT"),
        ]
        let start = request["Range"].flatMap { Int($0.dropFirst("bytes=".count).prefix { $0 != "-" }) }
        if let start, request["If-Range"] == nil || request["If-Range"] == tag {
          let range = ("Content-Range", "bytes \(start)-\(content.count - 1)/\(content.count)")
          try connection.send(Reply(206, headers: headers + [range], body: content.dropFirst(start)))
        } else if connection.index == 0 {
          let reply = Reply(headers: headers, body: content)
          try connection.send(reply.head + content.prefix(content.count / 2))
          // Gives the client time to write some of the data. The case works with any amount.
          try connection.pacing(.milliseconds(300))
          halfway.open()
          try connection.readUntilClosed()
          return
        } else {
          try connection.send(Reply(headers: headers, body: content))
        }
      }
    }
  }

  private static func path(of outcome: ExchangeOutcome) throws -> String {
    guard let file = outcome.file else { throw CaseFailure(reason: "The outcome has no file.") }
    return file
  }

  private static func exists(_ outcome: ExchangeOutcome) throws -> Bool {
    FileManager.default.fileExists(atPath: try path(of: outcome))
  }

  private static func removeFile(of outcome: ExchangeOutcome) throws {
    try? FileManager.default.removeItem(atPath: try path(of: outcome))
  }
}
