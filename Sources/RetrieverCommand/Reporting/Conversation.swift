import Foundation
import Retriever

/// Formats requests and responses for `--verbose` and `inspect`, without secrets.
enum Conversation {
  static func lines(of transaction: URLSessionTaskTransactionMetrics) -> [String] {
    let request = transaction.request
    let url = request.url.map { Redaction.text(of: $0) } ?? "no URL"
    var lines = ["> \(request.httpMethod ?? "GET") \(url)"]
    lines += fields(request.allHTTPHeaderFields ?? [:]).map { "> \($0.name): \($0.value)" }
    let address = remoteAddress(of: transaction).map { " from \($0)" } ?? ""
    guard let response = transaction.response as? HTTPURLResponse else {
      return lines + ["< no response\(address)"]
    }
    lines.append("< \(status(of: response)), \(protocolName(transaction))\(address)")
    return lines + fields(of: response).map { "< \($0.name): \($0.value)" }
  }

  static func status(of response: HTTPURLResponse) -> String {
    "\(response.statusCode) \(phrase(response.statusCode))"
  }

  /// The meaning of a status in words.
  static func phrase(_ status: Int) -> String {
    status == 200 ? "OK" : HTTPURLResponse.localizedString(forStatusCode: status)
  }

  static func fields(of response: HTTPURLResponse) -> [(name: String, value: String)] {
    var fields: [String: String] = [:]
    for (name, value) in response.allHeaderFields { fields["\(name)"] = "\(value)" }
    return Self.fields(fields)
  }

  private static func fields(_ fields: [String: String]) -> [(name: String, value: String)] {
    fields.sorted { $0.key.lowercased() < $1.key.lowercased() }
      .map { ($0.key, Redaction.value($0.value, ofHeader: $0.key)) }
  }

  static func protocolName(_ transaction: URLSessionTaskTransactionMetrics) -> String {
    switch transaction.networkProtocolName {
    case "h2": "HTTP/2"
    case "h3": "HTTP/3"
    case let name?: name.uppercased()
    case nil: "HTTP"
    }
  }

  /// Returns the server's address; nil if no connection was made.
  static func remoteAddress(of transaction: URLSessionTaskTransactionMetrics) -> String? {
    transaction.remoteAddress.map { address($0, transaction.remotePort) }
  }

  static func localAddress(of transaction: URLSessionTaskTransactionMetrics) -> String? {
    transaction.localAddress.map { address($0, transaction.localPort) }
  }

  private static func address(_ address: String, _ port: Int?) -> String {
    let host = address.contains(":") ? "[\(address)]" : address
    return port.map { "\(host):\($0)" } ?? host
  }
}
