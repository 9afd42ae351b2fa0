#if !canImport(Darwin)
import Foundation
import HTTPSyntax

/// Everything that the cache knows about a stored response, except for its body.
package struct StoredHead: Sendable, Equatable {
  /// What kind of response it is.
  package enum Kind: Sendable, Equatable {
    /// - Parameter isFromNetwork: Whether the body was decoded after it arrived, so that its length is not the announced
    ///   one.
    case http(status: Int, version: String?, isFromNetwork: Bool)
    /// A response of another protocol, which a program stored itself.
    case other(mimeType: String?, length: Int64, encodingName: String?)
  }

  package var key: CacheKey
  package var url: URL
  package var kind: Kind
  package var fields: HeaderFields
  /// The request's fields that `Vary` names, in their normalised form.
  package var selection: VarySelection
  /// When the request was sent, and when the response arrived.
  package var requestTime: Date
  package var responseTime: Date
  /// Whether the entry must not be written to disk.
  package var staysInMemory: Bool
  /// Which bytes of the body are stored; nil if the body is complete.
  package var extent: StoredExtent?

  package init(
    key: CacheKey, url: URL, kind: Kind, fields: HeaderFields, selection: VarySelection = VarySelection(),
    requestTime: Date, responseTime: Date, staysInMemory: Bool = false, extent: StoredExtent? = nil
  ) {
    self.key = key
    self.url = url
    self.kind = kind
    self.fields = fields
    self.selection = selection
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.staysInMemory = staysInMemory
    self.extent = extent
  }

  package var status: Int { if case .http(let status, _, _) = kind { status } else { 200 } }

  package var isHTTP: Bool { if case .http = kind { true } else { false } }

  /// Whether the body is encoded on the wire. Ranges of it cannot be taken from the decoded body.
  package var isEncoded: Bool {
    guard let coding = fields["Content-Encoding"] else { return false }
    return !ASCII.trimmed(coding).isEmpty && !ASCII.equalIgnoringCase(coding, "identity")
  }

  package var hasValidator: Bool { fields.contains("ETag") || fields.contains("Last-Modified") }

  /// The number of bytes that the head uses in memory, roughly.
  package var cost: Int {
    fields.entries.reduce(256 + key.text.utf8.count * 2) {
      $0 + $1.name.utf8.count + $1.value.utf8.count + 64
    }
      + selection.cost
  }
}

/// The values of the request's fields that select one of the responses of a resource (RFC 9111, 4.1).
package struct VarySelection: Sendable, Hashable {
  /// Names in lower case, sorted, each once.
  package private(set) var names: [String]
  /// A value for each name; nil if the request did not have the field.
  package private(set) var values: [String?]

  package init() { (names, values) = ([], []) }

  package init(names: [String], values: [String?]) {
    self.names = names
    self.values = Array((values + Array(repeating: nil, count: names.count)).prefix(names.count))
  }

  /// Takes the fields that a response names.
  ///
  /// - Parameter byUser: Whether the response also varies by the user whom `Authorization` names.
  /// - Returns: nil if the response varies by something other than fields (`*`).
  package init?(response: HeaderFields, request: HeaderFields, byUser: Bool = false) {
    var fields = Set(response.values(for: "Vary").flatMap(ASCII.listMembers).map { ASCII.lowercased($0) })
    guard !fields.contains("*") else { return nil }
    if byUser { fields.insert(Self.authorization) }
    names = fields.sorted()
    values = names.map { Self.normalised(request, $0) }
  }

  /// Whether a request selects the response.
  ///
  /// - Parameter ignored: Names of fields, in lower case, that are not compared if the request does not have them.
  package func matches(_ request: HeaderFields, ignoring ignored: Set<String> = []) -> Bool {
    zip(names, values).allSatisfy { name, value in
      let requested = Self.normalised(request, name)
      return requested == value || (requested == nil && ignored.contains(name))
    }
  }

  private static let authorization = "authorization"

  var cost: Int {
    zip(names, values).reduce(0) { $0 + $1.0.utf8.count + ($1.1?.utf8.count ?? 0) + 64 }
  }

  /// Joins the lines of a field and removes the spaces around commas. Where the case has no meaning, it is ignored.
  private static func normalised(_ fields: HeaderFields, _ name: String) -> String? {
    let values = fields.values(for: name)
    guard !values.isEmpty else { return nil }
    if name == authorization, let user = digestUser(values) { return user }
    let parts = values.flatMap { $0.split(separator: ",", omittingEmptySubsequences: false) }
    let joined = parts.map { ASCII.trimmed($0) }.joined(separator: ",")
    switch name {
    case "accept-language", "accept-encoding", "accept-charset":
      return ASCII.lowercased(joined.filter { $0 != " " && $0 != "\t" })
    default: return joined
    }
  }

  /// The user and realm of a Digest answer, whose other parts differ in each request.
  private static func digestUser(_ values: [String]) -> String? {
    guard let answer = AuthenticateOffer.parse(values).first, answer.scheme == "digest" else { return nil }
    let parameters = answer.parameters
    return ["digest", parameters["username"] ?? parameters["username*"] ?? "", answer.realm ?? ""]
      .joined(separator: "\n")
  }
}
#endif
