import Foundation

/// What became of one request.
public struct ExchangeOutcome: Sendable {
  /// The error a client gave.
  public enum Failure: Sendable, Equatable, CustomStringConvertible {
    /// A `URLError` with this code.
    case url(Int)
    /// Anything else.
    case other(String)

    /// The code, or the text of the other error.
    public var description: String {
      switch self {
      case .url(let code): "URLError \(code)"
      case .other(let text): "an error that is no URLError (\(text))"
      }
    }
  }

  /// The status code.
  public var status: Int?
  /// The response's fields, names in lower case.
  public var headers: [String: String] = [:]
  /// The body: the data, the bytes iterated, or the downloaded file's contents.
  public var body = Data()
  /// The lines iterated.
  public var lines: [String] = []
  /// The response's URL.
  public var finalURL: String?
  /// The error.
  public var failure: Failure?
  /// Where a download's file was.
  public var file: String?
  /// The permission bits of a download's file.
  public var fileMode: Int?
  /// The resume data that a cancelled download gave.
  public var resumeData: Data?
  /// How many times a completion handler was called.
  public var completions = 0
  /// The new URLs that the delegate was asked about.
  public var redirects: [String] = []
  /// The challenges that the delegate was asked about.
  public var challenges: [DelegatePolicy.Challenge] = []
  /// How many times metrics came.
  public var metricsCount = 0
  /// How many transactions the metrics had.
  public var transactionCount = 0
  /// Whether metrics came before the call returned or the completion handler was called.
  public var metricsCameFirst = false
  /// What the client does not offer, so that the case cannot be tried.
  public var notOffered: String?

  /// How long it took; set by the suite.
  public var elapsed = Duration.zero
  /// Whether the suite's watchdog ended the wait; set by the suite.
  public var isHung = false

  /// An outcome to be filled in.
  public init() {}

  /// An outcome that says what is missing in the client.
  public static func notOffered(_ what: String) -> ExchangeOutcome {
    var outcome = ExchangeOutcome()
    outcome.notOffered = what
    return outcome
  }

  /// The body as text.
  public var text: String { String(decoding: body, as: UTF8.self) }
}
