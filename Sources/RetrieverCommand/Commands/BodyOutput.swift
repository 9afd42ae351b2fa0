import Foundation
import Retriever
import TerminalProgram

/// Writes one body to standard output.
struct BodyOutput {
  let context: CommandContext
  let session: URLSession
  let request: URLRequest
  let url: URL
  let limit: Int64?
  let showsProgress: Bool

  /// - Parameters:
  ///   - accept: Checks the response before any part of the body is written.
  ///   - check: Checks the first piece of the body.
  func run(
    accept: (HTTPURLResponse) throws -> Void = { _ in }, check: (Data) throws -> Void = { _ in }
  ) async throws -> (TransferReport, HTTPURLResponse) {
    let start = ContinuousClock.now
    let (body, answer) = try await session.bytes(for: request)
    guard let response = answer as? HTTPURLResponse else {
      throw Failure(.connection, "The response is not an HTTP response.")
    }
    try accept(response)
    let progress = showsProgress ? context.progress.begin(url.shown) : nil
    defer { progress?.end() }
    let length = response.expectedContentLength
    progress?.expect(length >= 0 ? length : nil)
    let count = try await BodyCopy.run(body, into: context.output, limit: limit, check: check) {
      progress?.advance(to: $0)
    }
    let report = TransferReport(
      url: url.shown, finalURL: nil, status: response.statusCode, contentType: response.mimeType, file: nil,
      bytes: count, resumedFrom: nil, seconds: (.now - start).inSeconds)
    return (report, response)
  }
}
