import Foundation

/// The pattern of a URL: `https://*.example.com/dogs/:id/**?page=2`. All parts except the path may be missing. The port
/// may be `*`.
struct URLPattern: Sendable {
  private enum Segment: Sendable {
    case text(Glob)
    case parameter(String)
    /// `**`: any number of segments.
    case rest
  }

  private struct QueryItem: Sendable {
    let name: String
    /// Nil for any value.
    let value: Glob?
  }

  let text: String
  private let scheme: String?
  private let host: Glob?
  private let port: Int?
  private let path: String
  private let segments: [Segment]
  private let query: [QueryItem]

  init(_ pattern: String) {
    text = pattern
    var rest = Substring(pattern)
    if let fragment = rest.firstIndex(of: "#") { rest = rest[..<fragment] }
    if let mark = rest.firstRange(of: "://") {
      let scheme = rest[..<mark.lowerBound].lowercased()
      rest = rest[mark.upperBound...]
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      rest = rest[authority.endIndex...]
      let parts = Self.hostAndPort(authority)
      self.scheme = scheme == "*" ? nil : scheme
      host = Glob(parts.host.lowercased())
      port = parts.port == "*" ? nil : parts.port.flatMap { Int($0) } ?? Self.defaultPort(scheme)
    } else {
      (scheme, host, port) = (nil, nil, nil)
    }
    var items: [QueryItem] = []
    if let mark = rest.firstIndex(of: "?") {
      items = rest[rest.index(after: mark)...].split(separator: "&").map { item in
        let name = item.prefix { $0 != "=" }
        let hasValue = name.endIndex != item.endIndex
        let value = hasValue ? Self.decoded(item[item.index(after: name.endIndex)...]) : nil
        return QueryItem(name: Self.decoded(name), value: value.map { Glob($0) })
      }
      rest = rest[..<mark]
    }
    query = items
    path = rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    segments = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false).map { segment in
      if segment == "**" { return .rest }
      if segment.hasPrefix(":"), segment.count > 1 { return .parameter(String(segment.dropFirst())) }
      return .text(Glob(Self.decoded(segment)))
    }
  }

  private static func hostAndPort(_ authority: Substring) -> (host: Substring, port: Substring?) {
    // The address of IPv6 has colons in brackets.
    guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else {
      return (authority, nil)
    }
    return (authority[..<colon], authority[authority.index(after: colon)...])
  }

  private static func defaultPort(_ scheme: String?) -> Int? {
    switch scheme {
    case "https", "wss": 443
    case "http", "ws": 80
    default: nil
    }
  }

  private static func decoded(_ text: some StringProtocol) -> String {
    String(text).removingPercentEncoding ?? String(text)
  }

  /// Compares a URL. Returns the named segments, or what differs.
  func match(_ url: URL) -> (parameters: [String: String], differences: [String]) {
    var differences: [String] = []
    let components = URLComponents(url: url, resolvingAgainstBaseURL: true)
    let actualScheme = components?.scheme?.lowercased() ?? ""
    if let scheme, scheme != actualScheme {
      differences.append("the scheme is \(actualScheme), not \(scheme)")
    }
    let actualHost = components?.host?.lowercased() ?? ""
    if let host, !host.matches(actualHost) {
      differences.append("the host is \(actualHost), not \(host.text)")
    } else if let port, let actual = components?.port ?? Self.defaultPort(actualScheme), port != actual,
      scheme == nil || scheme == actualScheme
    {
      differences.append("the port is \(actual), not \(port)")
    }
    let actualPath = components?.percentEncodedPath ?? ""
    let parameters = parameters(of: actualPath.isEmpty ? "/" : actualPath)
    if parameters == nil {
      differences.append("the path is \(actualPath.isEmpty ? "/" : actualPath), not \(path)")
    }
    differences += queryDifferences(components?.queryItems ?? [])
    return (parameters ?? [:], differences)
  }

  /// Returns the named segments of a path; nil if the path does not match.
  private func parameters(of path: String) -> [String: String]? {
    let actual = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
      .map(Self.decoded)
    var found: [Int: String] = [:]
    var (index, position) = (0, 0)
    /// Where to continue when segments differ: the last `**` takes one more.
    var retry: (index: Int, position: Int)?
    while position < actual.count {
      if index < segments.count, case .rest = segments[index] {
        retry = (index, position)
        index += 1
      } else if index < segments.count, matches(segments[index], actual[position]) {
        found[index] = actual[position]
        index += 1
        position += 1
      } else if let last = retry {
        retry = (last.index, last.position + 1)
        (index, position) = (last.index + 1, last.position + 1)
      } else {
        return nil
      }
    }
    guard segments[index...].allSatisfy({ if case .rest = $0 { true } else { false } }) else { return nil }
    var parameters: [String: String] = [:]
    for (index, segment) in segments.enumerated() {
      if case .parameter(let name) = segment { parameters[name] = found[index] }
    }
    return parameters
  }

  private func matches(_ segment: Segment, _ actual: String) -> Bool {
    switch segment {
    case .text(let glob): glob.matches(actual)
    case .parameter: !actual.isEmpty
    case .rest: true
    }
  }

  private func queryDifferences(_ actual: [URLQueryItem]) -> [String] {
    query.compactMap { item in
      let values = actual.filter { $0.name == item.name }.map { $0.value ?? "" }
      if values.isEmpty { return "the query has no \(item.name)" }
      guard let value = item.value, !values.contains(where: value.matches) else { return nil }
      let text = RequestText.queryValue(values[0], of: item.name)
      return "the query item \(item.name) is \(text), not \(value.text)"
    }
  }
}
