#if !canImport(Darwin)
import Foundation

/// Everything that a task of a background session needs to continue in the program's next run.
struct BackgroundTaskRecord: Codable, Equatable, Sendable {
  enum Kind: Codable, Equatable, Sendable {
    case download
    /// - Parameter path: The path of the file to send.
    case upload(path: String)
  }

  /// The properties that the program sets and reads.
  struct Attributes: Codable, Equatable, Sendable {
    var priority: Float
    var taskDescription: String?
    var earliestBeginDate: Date?
    var clientExpectsToSend: Int64
    var clientExpectsToReceive: Int64
  }

  /// The file of a download that is not complete.
  struct Partial: Codable, Equatable, Sendable {
    var name: String
    /// Whether the file is in the temporary directory, because the download began with resume data.
    var isTemporary: Bool
    /// The response whose body the file has; nil until it arrives.
    var response: StoredResponse?
    /// An entity tag or a date, if the server can send the rest of the file.
    var validator: String?
    /// The length of the complete file; nil if it is unknown.
    var length: Int64?
    /// The number of bytes that the disk has, even after a power failure.
    var syncedLength: Int64 = 0
    /// The run of the machine in which the file was created. In the same run, the file has all bytes that were written.
    var boot: String?
  }

  /// A complete download whose delegate has not been called.
  struct Finished: Codable, Equatable, Sendable {
    var response: StoredResponse
    var length: Int64
  }

  var identifier: Int
  var kind: Kind
  var request: StoredRequest
  var attributes: Attributes
  var isSuspended = true
  /// When the task was resumed for the first time.
  var began: Date?
  /// Whether a request that is not idempotent may have reached the server.
  var isUnderWay = false
  var isCancelled = false
  var partial: Partial?
  var finished: Finished?
  /// Whether the delegate may have received the file.
  var isDelivering = false

  /// The number of bytes that the record's texts and data have, roughly.
  var cost: Int { 512 + request.cost + (attributes.taskDescription?.utf8.count ?? 0) }
}

/// The properties of a request that decide what is sent.
struct StoredRequest: Codable, Equatable, Sendable {
  private var url: String
  private(set) var method: String
  private var fields: [[String]]?
  private var body: Data?
  private var cachePolicy: UInt
  private var timeoutInterval: Double
  private var mainDocumentURL: String?
  private var service: UInt
  private var attribution: UInt
  private var switches: [Bool]

  /// The maximum length of a body that is stored. A longer body belongs into a file, for an upload task.
  static let maximumBody = 1 << 20

  /// Returns nil for a request without a URL, or with a stream as its body.
  init?(_ request: URLRequest) {
    guard let url = request.url, request.httpBodyStream == nil else { return nil }
    self.url = url.absoluteString
    method = request.httpMethod ?? "GET"
    fields =
      request.allHTTPHeaderFields == nil ? nil : request.headerFields.entries.map { [$0.name, $0.value] }
    body = request.httpBody
    cachePolicy = request.cachePolicy.rawValue
    // JSON has no number for infinity.
    timeoutInterval = max(-1e12, min(request.timeoutInterval, 1e12))
    mainDocumentURL = request.mainDocumentURL?.absoluteString
    service = request.networkServiceType.rawValue
    attribution = request.attribution.rawValue
    switches = Self.switches.map { request.fields[keyPath: $0] }
  }

  private static var switches: [WritableKeyPath<URLRequest.Fields, Bool>] {
    [
      \.allowsCellularAccess, \.allowsExpensiveNetworkAccess, \.allowsConstrainedNetworkAccess,
      \.assumesHTTP3Capable, \.requiresDNSSECValidation, \.allowsPersistentDNS, \.httpShouldHandleCookies,
      \.httpShouldUsePipelining,
    ]
  }

  /// The request; nil if the record is damaged.
  var request: URLRequest? {
    guard let url = URL(string: url) else { return nil }
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = body
    for field in fields ?? [] {
      guard field.count == 2 else { return nil }
      request.headerFields.add(field[1], for: field[0])
    }
    if fields?.isEmpty == true { request.allHTTPHeaderFields = [:] }
    request.cachePolicy = .init(rawValue: cachePolicy) ?? .useProtocolCachePolicy
    request.timeoutInterval = timeoutInterval
    request.mainDocumentURL = mainDocumentURL.flatMap { URL(string: $0) }
    request.networkServiceType = .init(rawValue: service) ?? .default
    request.attribution = .init(rawValue: attribution) ?? .developer
    for (path, value) in zip(Self.switches, switches) { request.fields[keyPath: path] = value }
    return request
  }

  /// Whether the request has something that must not stay on disk longer than necessary.
  var hasSecrets: Bool {
    body != nil || url.contains("@") || url.contains("?")
      || (fields ?? []).contains { $0.first.map(SensitiveNames.containsHeader) ?? false }
  }

  var cost: Int {
    url.utf8.count + (body?.count ?? 0) * 4 / 3
      + (fields ?? []).reduce(0) { $0 + $1.reduce(8) { $0 + $1.utf8.count } }
  }
}

/// The head of a response, without cookies and other secrets.
struct StoredResponse: Codable, Equatable, Sendable {
  private var url: String
  private(set) var status: Int
  private var version: String?
  private var fields: [[String]]

  /// Longer heads are stored without their fields.
  private static let maximumBytes = 64 << 10

  init?(_ response: URLResponse) {
    guard let url = response.url else { return nil }
    self.url = url.absoluteString
    let http = response as? HTTPURLResponse
    status = http?.statusCode ?? 200
    version = http?.httpVersion
    fields = (http?.headerFields.entries ?? [])
      .filter { !SensitiveNames.containsHeader($0.name) }.map { [$0.name, $0.value] }
    let bytes = fields.reduce(0) { $0 + $1.reduce(0) { $0 + $1.utf8.count } }
    if bytes > Self.maximumBytes { fields = [] }
  }

  /// The response; nil if the record is damaged.
  var response: HTTPURLResponse? {
    guard let url = URL(string: url) else { return nil }
    let entries = fields.filter { $0.count == 2 }.map { (name: $0[0], value: $0[1]) }
    return HTTPURLResponse(
      url: url, statusCode: status, httpVersion: version, fields: HeaderFields(entries), isFromNetwork: true)
  }
}
#endif
