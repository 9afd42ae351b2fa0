import Foundation
import TerminalProgram

/// Writes what was done as JSON, one object a line; nothing unless `--json` was given.
///
/// On standard output, or on standard error where the body has that.
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

  func write(_ report: some Encodable & Sendable) async {
    guard isOn, let line = Self.line(report) else { return }
    if bodyTakesOutput {
      screen.warn(line)
    } else {
      // A reader who is gone is noticed with the next body or at the end.
      try? await output.write(line + "\n")
    }
  }

  static func line(_ report: some Encodable) -> String? {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(report)).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// One URL or file that failed.
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

/// One body that was fetched or sent.
struct TransferReport: Encodable, Sendable {
  var url: String
  /// Where it ended up after redirects, if somewhere else.
  var finalURL: String?
  var status: Int
  var contentType: String?
  var file: String?
  var bytes: Int64
  /// How many of them were there from an earlier run.
  var resumedFrom: Int64?
  var seconds: Double
}
