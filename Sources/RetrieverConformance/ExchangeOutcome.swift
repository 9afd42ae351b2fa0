import Foundation

/// The outcome of one request.
public struct ExchangeOutcome: Sendable {
  /// The error of a client.
  public enum Failure: Sendable, Equatable, CustomStringConvertible {
    /// A `URLError` with this code.
    case url(Int)
    /// Any other error.
    case other(String)

    /// The code, or the text of another error.
    public var description: String {
      switch self {
      case .url(let code): "URLError \(code)"
      case .other(let text): "an error that is not a URLError (\(text))"
      }
    }
  }

  /// The status code.
  public var status: Int?
  /// The response's fields, names in lower case.
  public var headers: [String: String] = [:]
  /// The body: the data, the iterated bytes, or the contents of the downloaded file.
  public var body = Data()
  /// The iterated lines.
  public var lines: [String] = []
  /// The response's URL.
  public var finalURL: String?
  /// The error.
  public var failure: Failure?
  /// The path of a downloaded file.
  public var file: String?
  /// The permission bits of a downloaded file.
  public var fileMode: Int?
  /// The resume data of a cancelled download.
  public var resumeData: Data?
  /// The number of calls of the completion handler.
  public var completions = 0
  /// The new URLs for which the delegate was called.
  public var redirects: [String] = []
  /// The challenges for which the delegate was called.
  public var challenges: [DelegatePolicy.Challenge] = []
  /// The number of times that metrics arrived.
  public var metricsCount = 0
  /// The number of transactions in the metrics.
  public var transactionCount = 0
  /// Whether metrics arrived before the call returned or the completion handler was called.
  public var metricsCameFirst = false
  /// The feature that the client does not have, so that the case cannot run.
  public var notOffered: String?

  /// The duration of the request. Set by the suite.
  public var elapsed = Duration.zero
  /// Whether the suite's watchdog ended the wait; set by the suite.
  public var isHung = false

  /// Creates an empty outcome.
  public init() {}

  /// Creates an outcome that reports a missing feature of the client.
  public static func notOffered(_ what: String) -> ExchangeOutcome {
    var outcome = ExchangeOutcome()
    outcome.notOffered = what
    return outcome
  }

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }
}
