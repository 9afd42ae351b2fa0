import Foundation
import RetrieverConformance
import TestSupport

/// A run of `curl`: its arguments, and the outcome from its report.
struct CurlRun: Sendable {
  private let exchange: ExchangeRequest
  private let options: SessionOptions
  private let directory: TemporaryDirectory
  private let number: Int

  init(_ exchange: ExchangeRequest, _ options: SessionOptions, directory: TemporaryDirectory, number: Int) {
    self.exchange = exchange
    self.options = options
    self.directory = directory
    self.number = number
  }

  /// The file for the output of `--write-out`.
  var report: String { path("report") }

  private func path(_ name: String) -> String { directory.path("\(number).\(name)") }

  // MARK: Arguments

  func arguments() throws -> [String] {
    var words = [
      "curl", "--disable", "--silent", "--show-error", "--globoff", "--location", "--max-redirs", "20",
    ]
    words += [
      "--compressed", "--suppress-connect-headers", "--output", path("body"), "--stderr", path("errors"),
    ]
    words += ["--write-out", "%{json}\n%{header_json}"]
    if let authority = options.trustedAuthority { words += ["--cacert", authority.path] }
    if let socket = options.unixSocketPath { words += ["--unix-socket", socket] }
    if let limit = options.resourceTimeout { words += ["--max-time", seconds(limit)] }
    if let limit = exchange.timeout ?? options.requestTimeout {
      // curl's closest equivalent of an idle time-out.
      words += ["--connect-timeout", seconds(limit), "--speed-limit", "1", "--speed-time"]
      words.append("\(max(1, limit.components.seconds))")
    }
    if exchange.handlesCookies {
      words += ["--cookie", directory.path("jar"), "--cookie-jar", directory.path("jar")]
    }
    words += try body()
    for (name, value) in exchange.headers {
      words += ["--header", value.isEmpty ? "\(name);" : "\(name): \(value)"]
    }
    return words + ["--url", exchange.url]
  }

  private func body() throws -> [String] {
    let method = ["--request", exchange.method]
    switch exchange.body {
    case .none:
      return exchange.method == "HEAD" ? ["--head"] : exchange.method == "GET" ? [] : method
    case .data(let data):
      let file = "@" + (try directory.write(data, to: "\(number).data").path)
      // Does not set POST explicitly, so that curl may change the method on a redirect.
      return (exchange.method == "POST" ? [] : method) + ["--data-binary", file]
    case .file(let file):
      return (exchange.method == "PUT" ? [] : method) + ["--upload-file", file.path]
    case .stream(let data):
      let file = "@" + (try directory.write(data, to: "\(number).data").path)
      return method + ["--data-binary", file, "--header", "Transfer-Encoding: chunked"]
    }
  }

  private func seconds(_ duration: Duration) -> String {
    String(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18)
  }

  // MARK: Outcome

  func outcome(_ ending: ChildProcess.Ending?) -> ExchangeOutcome {
    var outcome = ExchangeOutcome()
    switch ending {
    case .exited(0): read(into: &outcome)
    case .exited(let code): outcome.failure = failure(code)
    case .signalled(SIGTERM): outcome.failure = .url(URLError.Code.cancelled.rawValue)
    case .signalled(let signal): outcome.failure = .other("signal \(signal) ended curl")
    case nil: outcome.failure = .other("curl did not end")
    }
    return outcome
  }

  private func read(into outcome: inout ExchangeOutcome) {
    let text = (try? String(contentsOfFile: report, encoding: .utf8)) ?? ""
    let parts = text.split(separator: "\n", maxSplits: 1).map { Data($0.utf8) }
    let values = parts.first.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: Any]
    outcome.status = values?["response_code"] as? Int
    outcome.finalURL = values?["url_effective"] as? String
    let fields = parts.last.flatMap { try? JSONSerialization.jsonObject(with: $0) } as? [String: [String]]
    outcome.headers = (fields ?? [:]).mapValues { $0.joined(separator: ", ") }
    var file = URL(fileURLWithPath: path("body"))
    // curl does not create a file for an empty body.
    if !FileManager.default.fileExists(atPath: file.path) {
      _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    }
    if let destination = exchange.destination, exchange.kind == .download {
      try? FileManager.default.moveItem(at: file, to: destination)
      file = destination
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: file.path)
    // Only the size of very large downloads is compared.
    if exchange.kind != .download || (attributes?[.size] as? Int ?? 0) < 64 << 20 {
      outcome.body = (try? Data(contentsOf: file)) ?? Data()
    }
    if exchange.method == "HEAD" { outcome.body = Data() }
    guard exchange.kind == .download else { return }
    outcome.file = path("body")
    outcome.fileMode = (attributes?[.posixPermissions] as? Int).map { $0 & 0o777 }
  }

  /// Returns the URLError for an exit code.
  private func failure(_ code: Int32) -> ExchangeOutcome.Failure {
    let text = (try? String(contentsOfFile: path("errors"), encoding: .utf8)) ?? ""
    let error: URLError.Code? =
      switch code {
      case 1 where text.contains("HTTP/0.9") || text.contains("HTTP version"): .cannotParseResponse
      case 1: .unsupportedURL
      case 3: .badURL
      case 5, 6: .cannotFindHost
      case 7, 97: .cannotConnectToHost
      case 8, 16: .badServerResponse
      case 18, 52, 55, 56, 92: .networkConnectionLost
      case 26: .fileDoesNotExist
      case 28: .timedOut
      case 35: .secureConnectionFailed
      case 47: .httpTooManyRedirects
      case 60 where text.contains("expired"): .serverCertificateHasBadDate
      case 60 where text.contains("not yet valid"): .serverCertificateNotYetValid
      case 60 where text.contains("self-signed"), 60 where text.contains("local issuer"):
        .serverCertificateHasUnknownRoot
      case 60: .serverCertificateUntrusted
      case 61: .cannotDecodeContentData
      case 63, 27, 100: .dataLengthExceedsMaximum
      case 65: .requestBodyStreamExhausted
      default: nil
      }
    return error.map { .url($0.rawValue) } ?? .other("curl's exit code \(code): \(text)")
  }
}
