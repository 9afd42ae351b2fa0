#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// Whether a response may be stored.
package enum StoreDecision: Sendable, Equatable {
  /// Store it, with this head.
  case store(StoredHead)
  /// Do not store it. What is stored for the same request stays.
  case ignore
}

/// Which responses a private cache stores (RFC 9111, 3).
package enum StoreRule {
  /// A request and the response to it.
  package struct Exchange: Sendable {
    package var key: CacheKey
    package var url: URL
    package var method: String
    /// The fields as they were sent, including those that the session added.
    package var requestFields: HeaderFields
    package var policy: URLRequest.CachePolicy
    package var requestTime: Date
    package var status: Int
    package var version: String?
    package var responseFields: HeaderFields

    package init(
      key: CacheKey, url: URL, method: String = "GET", requestFields: HeaderFields = HeaderFields(),
      policy: URLRequest.CachePolicy = .useProtocolCachePolicy, requestTime: Date, status: Int = 200,
      version: String? = "HTTP/1.1", responseFields: HeaderFields
    ) {
      self.key = key
      self.url = url
      self.method = method
      self.requestFields = requestFields
      self.policy = policy
      self.requestTime = requestTime
      self.status = status
      self.version = version
      self.responseFields = responseFields
    }
  }

  package static func decide(_ exchange: Exchange, now: Date) -> StoreDecision {
    let control = CacheControl(exchange.responseFields)
    guard exchange.method == "GET", isStorable(exchange.status),
      exchange.key.text.utf8.count <= maximumKeyLength,
      !CacheControl(exchange.requestFields).contains("no-store"),
      !control.contains("no-store") || (control.contains("must-understand") && isUnderstood(exchange.status)),
      !control.contains("must-understand") || isUnderstood(exchange.status),
      let selection = VarySelection(
        response: exchange.responseFields, request: exchange.requestFields,
        byUser: exchange.requestFields.contains("Authorization") && !isForEveryUser(control))
    else { return .ignore }
    let head = StoredHead(
      key: exchange.key, url: exchange.url,
      kind: .http(status: exchange.status, version: exchange.version, isFromNetwork: true),
      fields: storedFields(of: exchange.responseFields), selection: selection,
      requestTime: min(exchange.requestTime, now), responseTime: now,
      staysInMemory: mayIdentifyUser(exchange.requestFields) || exchange.responseFields.contains("Set-Cookie")
    )
    guard
      head.hasExplicitLifetime || allowsHeuristics(exchange.status) || control.contains("public")
        || control.contains("private")
    else { return .ignore }
    // A response that could never be used is not worth the memory, except for a request that accepts any.
    let freshness = head.freshness(now: now)
    let acceptsAny =
      exchange.policy == .returnCacheDataElseLoad || exchange.policy == .returnCacheDataDontLoad
    guard
      freshness.isFresh || head.hasValidator || freshness.staleWhileRevalidate > 0
        || freshness.staleIfError > 0 || acceptsAny
    else { return .ignore }
    return .store(head)
  }

  /// The maximum length of a URL that is stored.
  package static let maximumKeyLength = 8192

  /// Whether a response with this status is final and complete, and may answer other requests. Partial content is never
  /// stored as complete. A 304 response only updates what is stored. The statuses 412 and 416 are about the conditions
  /// or the range of one request.
  package static func isStorable(_ status: Int) -> Bool {
    200...599 ~= status && ![206, 304, 412, 416].contains(status)
  }

  /// Whether the cache knows the meaning of a status for caches, as `must-understand` requires.
  package static func isUnderstood(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 300, 301, 302, 303, 307, 308, 400, 401, 403, 404, 405, 410, 414, 500, 501, 502, 503,
      504:
      true
    default: false
    }
  }

  /// The statuses that RFC 9110, 15.1 calls heuristically cacheable, except for partial content.
  package static func allowsHeuristics(_ status: Int) -> Bool {
    switch status {
    case 200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501: true
    default: false
    }
  }

  /// Whether a response to a request with `Authorization` may answer requests of other users (RFC 9111, 3.5). The RFC asks
  /// this of shared caches only. The sessions of one program may act for several users, so it applies here too.
  private static func isForEveryUser(_ control: CacheControl) -> Bool {
    ["public", "s-maxage", "must-revalidate"].contains { control.contains($0) }
  }

  /// Responses to requests that may identify the user are kept in memory only.
  package static func mayIdentifyUser(_ request: HeaderFields) -> Bool {
    request.contains("Authorization") || request.contains("Cookie")
  }

  // MARK: Fields

  /// The fields that belong to one connection (RFC 9111, 3.1) or to the sign-in of one request, in lower case.
  private static let connectionFields: Set = [
    "authentication-info", "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
    "proxy-authorization",
    "proxy-connection", "te", "transfer-encoding", "upgrade",
  ]

  /// Whether a name may be one of these: most names have another first letter.
  private static func isConnectionField(_ name: String) -> Bool {
    switch name.utf8.first.map({ ASCII.lowercased($0) }) {
    case UInt8(ascii: "a"): ASCII.equalIgnoringCase(name, "authentication-info")
    case UInt8(ascii: "c"): ASCII.equalIgnoringCase(name, "connection")
    case UInt8(ascii: "k"), UInt8(ascii: "p"), UInt8(ascii: "t"), UInt8(ascii: "u"):
      connectionFields.contains(ASCII.lowercased(name))
    default: false
    }
  }

  /// Returns the fields of a response without those that belong to the connection.
  package static func storedFields(of response: HeaderFields) -> HeaderFields {
    guard response.entries.contains(where: { isConnectionField($0.name) }) else { return response }
    let listed = response.values(for: "Connection").flatMap(ASCII.listMembers).map { ASCII.lowercased($0) }
    let removed = connectionFields.union(listed)
    var fields = response
    fields.removeAll { removed.contains(ASCII.lowercased($0)) }
    return fields
  }
}
#endif
