#if !canImport(Darwin)
import Foundation
import HTTPSyntax
import TransferEngine

/// How the cache takes part in the next transfer of a task.
enum CacheInstruction: Sendable {
  case lookUp
  /// Answer with this response, which was just validated, or which replaces an error.
  case answer(StoredEntry)
  /// Ask the server, even if a response is stored.
  case bypass
  /// Look for a stored response, but ask the server if it is stale.
  case renew
  /// Look for a stored response, but ask the server in any case: it has asked who the user is.
  case validate
}

/// The part of the cache in one transfer.
struct CacheExchange: Sendable {
  let key: CacheKey
  let url: URL
  let method: String
  let policy: URLRequest.CachePolicy
  /// The fields as they are sent.
  let headers: [TransferHeader]
  /// The value of `Accept-Encoding` that the program or the configuration chose; nil for the session's own.
  private let chosenEncodings: String?
  /// The value of `Authorization` that stands for the user who is signed in with the connection, and not by a field.
  private let user: String?
  /// Whether the server may know the user, although no field says who it is.
  var identifiesUser: Bool
  var requestTime: Date
  /// When the request began, among the invalidations of the cache.
  var moment: CacheInvalidations.Moment
  /// Whether a stale response may be used while the server is asked.
  var usesStale = true
  /// Whether the server must be asked about a stored response.
  var mustValidate = false
  /// Whether the response comes from the cache.
  var isStored = false
  /// The response that is validated.
  var validated: StoredEntry?
  /// The incomplete response whose rest is loaded.
  var completes: StoredEntry?
  /// The incomplete response that the server's response does not fit.
  var misfit: StoredHead?
  /// Others that wait for the response.
  var lead: LeadingLoad?
  /// When the load began to wait for others; nil if it has not.
  var waitsSince: ContinuousClock.Instant?
  /// Whether the load may wait for others.
  var mayWait = true
  /// The length that the body must have to be stored; nil for a complete response, whose framing determines it.
  var storedLength: Int64?
  /// What to store when the body is complete; nil if nothing is.
  var head: StoredHead?
  /// The body so far, unless the task collects it anyway.
  private(set) var recorded = Data()
  var records = false
  private var limit = 0

  init(
    _ wanted: TransferRequest, url: URL, key: CacheKey, policy: URLRequest.CachePolicy,
    moment: CacheInvalidations.Moment = 0
  ) {
    self.key = key
    self.moment = moment
    self.url = url
    self.policy = policy
    method = wanted.method
    headers = wanted.headers
    // An empty value is the session's own, for a body that must not be encoded.
    chosenEncodings = wanted.acceptedEncodings.flatMap { $0.isEmpty ? nil : $0 }
    // Without a name, the system's Kerberos tickets sign in, whose user can be another one each time. So the response
    // answers no other request.
    user = wanted.signIn.map { "\($0.scheme) \($0.user.isEmpty ? UUID().uuidString : $0.user)" }
    identifiesUser = user != nil
    requestTime = Date()
  }

  /// The fields that select a response. The user of a connection is in `Authorization`, as if it were sent.
  var fields: HeaderFields {
    var fields = HeaderFields(headers.map { (name: $0.name, value: $0.value) })
    if let chosenEncodings { fields.add(chosenEncodings, for: "Accept-Encoding") }
    if let user { fields.add(user, for: "Authorization") }
    return fields
  }

  var request: CacheRule.Request {
    CacheRule.Request(
      method: method, policy: mustValidate ? .reloadRevalidatingCacheData : policy, fields: fields,
      usesStale: usesStale)
  }

  /// Prepares to store a response.
  ///
  /// - Parameters:
  ///   - records: Whether the body has to be collected here.
  ///   - limit: The maximum size of a stored response.
  mutating func prepareToStore(_ head: StoredHead, records: Bool, limit: Int) {
    self.head = head
    self.records = records
    self.limit = min(limit, StoredEntry.maximumBody)
  }

  /// Whether the response may answer other requests for the same URL, and responses to them this one. A request with
  /// conditions, a range or directives for caches has its own response.
  var mayBeShared: Bool {
    guard mayWait, !mustValidate, method == "GET",
      policy == .useProtocolCachePolicy || policy == .returnCacheDataElseLoad
    else { return false }
    return !headers.contains { Self.isSpecific($0.name) }
  }

  private static func isSpecific(_ name: String) -> Bool {
    switch name.utf8.first.map({ ASCII.lowercased($0) }) {
    case UInt8(ascii: "r"): ASCII.equalIgnoringCase(name, "Range")
    case UInt8(ascii: "i"): ASCII.lowercased(name).hasPrefix("if-")
    case UInt8(ascii: "c"): ASCII.equalIgnoringCase(name, "Cache-Control")
    case UInt8(ascii: "p"): ASCII.equalIgnoringCase(name, "Pragma")
    default: false
    }
  }

  /// Adds bytes to the body. A body that is too long is not stored.
  mutating func record(_ bytes: UnsafeRawBufferPointer) {
    guard records, head != nil else { return }
    guard recorded.count + bytes.count <= limit else {
      head = nil
      recorded = Data()
      return
    }
    recorded.append(contentsOf: bytes)
  }

  /// What to store after the end of a complete body.
  ///
  /// - Parameter collected: The body, if the task collected it.
  func entry(collected: Data) -> StoredEntry? {
    guard let head else { return nil }
    let body = body(collected: collected)
    if let storedLength, storedLength != Int64(body.count) { return nil }
    return body.count <= limit ? StoredEntry(head: head, body: body) : nil
  }

  /// What to store of a body that has ended early.
  ///
  /// - Parameter length: The length that the server announced.
  func interrupted(collected: Data, length: Int64) -> StoredEntry? {
    guard let head, storedLength == nil else { return nil }
    return PartialRule.interrupted(head, body: body(collected: collected), length: length)
  }

  private func body(collected: Data) -> Data { records ? recorded : collected }
}
#endif
