import Foundation
import Retriever
import TerminalProgram

/// Downloads one body into a file. A partial file in the same directory holds the data until the download is
/// complete.
struct BodyDownload: Sendable {
  let context: CommandContext
  let session: URLSession
  let request: URLRequest
  let url: URL
  let destination: Destination
  let replaces: Bool
  /// Whether to continue a download that an earlier run has left.
  let resumes: Bool
  /// Whether an interrupted download is kept for a later run.
  let keepsPart: Bool
  let limit: Int64?

  func run() async throws -> TransferReport {
    let start = ContinuousClock.now
    let name =
      url.lastPathComponent.isEmpty || url.lastPathComponent == "/" ? url.host ?? "" : url.lastPathComponent
    let progress = context.progress.begin(name)
    defer { progress.end() }
    if case .file(let path) = destination { try checkFree(path) }
    let leftover = resumes ? try findLeftover() : nil
    if let leftover { try checkFree(leftover.target) }
    do {
      return try await attempt(leftover, progress, start)
    } catch is NoRange {
      context.screen.say("\(url.shown): The server cannot resume this download. Starting again.")
      return try await attempt(nil, progress, start)
    }
  }

  /// The server cannot continue the partial file, for example because it answered with status 416.
  private struct NoRange: Error {}

  private func findLeftover() throws(Failure) -> PartialFile.Leftover? {
    switch destination {
    case .file(let path):
      guard case .file(let end) = try OutputPlace(path) else { return nil }
      return PartialFile.leftover(for: end, url: url)
    case .directory(let path): return PartialFile.leftover(in: path, url: url)
    case .standardOutput: return nil
    }
  }

  private func attempt(
    _ leftover: PartialFile.Leftover?, _ progress: ProgressDisplay.Handle, _ start: ContinuousClock.Instant
  ) async throws -> TransferReport {
    var request = request
    if let leftover {
      request.setValue("bytes=\(leftover.offset)-", forHTTPHeaderField: "Range")
      request.setValue(leftover.record.validator, forHTTPHeaderField: "If-Range")
    }
    let (body, answer) = try await session.bytes(for: request)
    guard let response = answer as? HTTPURLResponse else {
      throw Failure(.connection, "The response is not an HTTP response.")
    }
    if response.statusCode == 416, leftover != nil { throw NoRange() }
    guard (200..<300).contains(response.statusCode) else { throw Failure.httpStatus(response) }
    var offset: Int64 = 0
    let length = response.expectedContentLength
    var total = length >= 0 ? length : nil
    if response.statusCode == 206, let leftover {
      offset = leftover.offset
      total = leftover.record.length(continuedBy: response, at: offset)
      if total == nil { throw NoRange() }
    }
    let target = leftover?.target ?? targetPath(response)
    let place = try OutputPlace(target, followsLinks: !isNameProposed)
    if let limit, let total, total > limit { throw Failure.tooLarge(limit) }
    let label = target.split(separator: "/").last.map(String.init) ?? target
    progress.describe(label, completed: offset, total: total)
    let count: Int64
    if case .file(let file) = place {
      try checkFree(file)
      count = try await fill(file, body, progress, response, offset: offset, total: total)
    } else if let writer = try await DescriptorWriter.stream(target, at: place) {
      count = try await BodyCopy.run(body, into: writer, limit: limit) { progress.advance(to: $0) }
      try await writer.close()
    } else {
      count = 0
    }
    return TransferReport(
      url: url.shown, finalURL: response.url.flatMap { $0 == url ? nil : $0.shown },
      status: response.statusCode, contentType: response.mimeType, file: shownPath(target), bytes: count,
      resumedFrom: offset > 0 ? offset : nil, seconds: (.now - start).inSeconds)
  }

  private func targetPath(_ response: HTTPURLResponse) -> String {
    switch destination {
    case .file(let path): path
    case .directory(let path): Destination.path(SafeName.make(response.suggestedFilename), in: path)
    case .standardOutput: "-"
    }
  }

  /// Whether the server suggested the name of the file.
  private var isNameProposed: Bool {
    if case .directory = destination { true } else { false }
  }

  /// The path as given on the command line.
  private func shownPath(_ target: String) -> String {
    if case .file(let path) = destination { path } else { target }
  }

  private func checkFree(_ path: String) throws(Failure) {
    switch FileSystem.kind(path) {
    case .directory: throw Failure(.fileSystem, "Could not write \(path): it is a directory.")
    case .regular where !replaces: throw FileSystem.exists(path)
    default: break
    }
  }

  private func fill(
    _ target: String, _ body: URLSession.AsyncBytes, _ progress: ProgressDisplay.Handle,
    _ response: HTTPURLResponse, offset: Int64, total: Int64?
  ) async throws -> Int64 {
    let file = try PartialFile(for: target, keeping: offset)
    var isResumable = offset > 0
    do {
      if offset == 0, keepsPart,
        let record = ResumeRecord(url: url, response: response, total: total)
      {
        try record.write(PartialFile.recordPath(for: target))
        isResumable = true
      }
      var count = offset
      for try await piece in body.chunks {
        count += Int64(piece.count)
        if let limit, count > limit { throw Failure.tooLarge(limit) }
        try await file.write(piece)
        progress.advance(to: count)
      }
      try Task.checkCancellation()
      if let total, count != total {
        throw Failure(.connection, "The response ended after \(count) of \(ByteText.exact(total)).")
      }
      try await file.finish(replaces: replaces)
      return count
    } catch {
      let failure = Failure(error)
      let kept = FileSystem.size(file.path) ?? 0
      guard isResumable, kept > 0, failure.status != .tooLarge else {
        await file.remove()
        if failure.status == .interrupted {
          context.screen.say("\(target): Cancelled. The download cannot be resumed, so the data was removed.")
        }
        throw failure
      }
      await file.keep()
      let amount = ByteText.short(kept) + (total.map { " of \(ByteText.short($0))" } ?? "")
      context.screen.say("\(target): \(amount) are kept in \(file.path). Use --resume to continue.")
      throw failure
    }
  }
}

/// Copies a body as it arrives.
enum BodyCopy {
  static func run(
    _ body: URLSession.AsyncBytes, into writer: DescriptorWriter, limit: Int64?,
    check: (Data) throws -> Void = { _ in }, _ note: (Int64) -> Void
  ) async throws -> Int64 {
    var count: Int64 = 0
    for try await piece in body.chunks {
      if count == 0 { try check(piece) }
      count += Int64(piece.count)
      if let limit, count > limit { throw Failure.tooLarge(limit) }
      try await writer.write(piece)
      note(count)
    }
    try Task.checkCancellation()
    return count
  }
}
