import Foundation
import TerminalProgram

/// Writes reports as JSON, one object per line, if `--json` was given.
///
/// Reports go to standard output, or to standard error if standard output carries the body.
final class ReportWriter: Sendable {
  let isOn: Bool
  private let bodyTakesOutput: Bool
  private let output: DescriptorWriter
  private let screen: Screen

  init(isOn: Bool, bodyTakesOutput: Bool, output: DescriptorWriter, screen: Screen) {
    self.isOn = isOn
    self.bodyTakesOutput = bodyTakesOutput
    self.output = output
    self.screen = screen
  }

  func write(_ report: some Encodable & Sendable) async throws(Failure) {
    guard isOn else { return }
    let line = try Self.line(report)
    if bodyTakesOutput {
      screen.warn(line)
    } else {
      try await output.write(line + "\n")
    }
  }

  static func line(_ report: some Encodable) throws(Failure) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    do {
      return String(decoding: try encoder.encode(report), as: UTF8.self)
    } catch {
      throw Failure(.failure, "Could not write the report as JSON: \(error)")
    }
  }
}

/// The report of a URL or file that failed.
struct FailureReport: Encodable, Sendable {
  struct Details: Encodable, Sendable {
    var code: Int32
    var kind: String
    var message: String
  }

  var url: String
  var error: Details

  init(_ subject: String, _ failure: Failure) {
    url = subject
    error = Details(code: failure.status.rawValue, kind: failure.status.word, message: failure.message)
  }
}

/// The report of a body that was fetched or sent.
struct TransferReport: Encodable, Sendable {
  var url: String
  /// The final URL after redirects, if it differs.
  var finalURL: String?
  var status: Int
  var contentType: String?
  var file: String?
  var bytes: Int64
  /// The number of bytes that existed from an earlier run.
  var resumedFrom: Int64?
  var seconds: Double
}
