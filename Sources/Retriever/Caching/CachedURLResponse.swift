#if !canImport(Darwin)
import Foundation

/// A response and its body, as a ``URLCache`` stores them.
// Unchecked because `userInfo` may contain values of any type. The invariant: no property changes after `init`.
open class CachedURLResponse: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
  /// The response.
  public let response: URLResponse

  /// The body, decoded if the server sent it compressed.
  public let data: Data

  /// Values that the program attached to the response; nil if there are none.
  ///
  /// On disk, a cache keeps them only if they form a property list whose keys are strings.
  public let userInfo: [AnyHashable: Any]?

  /// Where the response may be stored.
  public let storagePolicy: URLCache.StoragePolicy

  /// What the cache knows about the response; nil if a program created it.
  let origin: StoredHead?

  /// Creates a cached response that may be stored in memory and on disk.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - data: its body.
  public convenience init(response: URLResponse, data: Data) {
    self.init(response: response, data: data, userInfo: nil, storagePolicy: .allowed)
  }

  /// Creates a cached response.
  ///
  /// - Parameters:
  ///   - response: the response.
  ///   - data: its body.
  ///   - userInfo: values to keep with it.
  ///   - storagePolicy: where it may be stored.
  public init(
    response: URLResponse, data: Data, userInfo: [AnyHashable: Any]? = nil,
    storagePolicy: URLCache.StoragePolicy
  ) {
    self.response = response
    self.data = data
    self.userInfo = userInfo
    self.storagePolicy = storagePolicy
    origin = nil
    super.init()
  }

  init(_ entry: StoredEntry) {
    response = entry.head.makeResponse()
    data = entry.body
    userInfo = entry.userInfo?.values
    storagePolicy = entry.head.staysInMemory ? .allowedInMemoryOnly : .allowed
    origin = entry.head
    super.init()
  }

  /// Returns the receiver, because a cached response is immutable.
  open override func copy() -> Any { copy(with: nil) }

  /// Returns the receiver, because a cached response is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether `value` is a cached response with an equal response, body and policy. Values in ``userInfo`` are compared
  /// only if they form equal dictionaries of Foundation.
  open override func isEqual(_ value: Any?) -> Bool {
    guard let other = value as? CachedURLResponse else { return false }
    if other === self { return true }
    guard response.isEqual(other.response), data == other.data, storagePolicy == other.storagePolicy else {
      return false
    }
    switch (userInfo, other.userInfo) {
    case (nil, nil): return true
    case (let mine?, let theirs?):
      return NSDictionary(dictionary: mine).isEqual(to: theirs)
    default: return false
    }
  }

  /// A hash that is the same for equal cached responses.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(response.hash)
    hasher.combine(data)
    hasher.combine(storagePolicy)
    return hasher.finalize()
  }

  // MARK: Archiving

  /// Whether the class can be decoded securely.
  public static var supportsSecureCoding: Bool { true }

  /// Encodes the response, its body and its policy. Values in ``userInfo`` are encoded if they form a property list.
  open func encode(with coder: NSCoder) {
    guard let contents = EntryCoding.encodedHead(of: StoredEntry(self)) else { return }
    coder.encode((contents + data) as NSData, forKey: "entry")
    coder.encode(Int64(storagePolicy.rawValue), forKey: "storagePolicy")
  }

  /// Decodes a cached response. Returns nil if the archive contains no valid one.
  public required convenience init?(coder: NSCoder) {
    guard let contents = coder.decodeObject(of: NSData.self, forKey: "entry") as Data?,
      let entry = EntryCoding.decode(contents),
      let policy = UInt(exactly: coder.decodeInt64(forKey: "storagePolicy"))
        .flatMap(URLCache.StoragePolicy.init)
    else { return nil }
    self.init(
      response: entry.head.makeResponse(), data: entry.body, userInfo: entry.userInfo?.values,
      storagePolicy: policy)
  }
}

extension StoredHead {
  /// The response that a program gets.
  package func makeResponse() -> URLResponse {
    switch kind {
    case .http(let status, let version, let isFromNetwork):
      HTTPURLResponse(
        url: url, statusCode: status, httpVersion: version, fields: fields, isFromNetwork: isFromNetwork)
    case .other(let mimeType, let length, let encodingName):
      URLResponse(
        url: url, mimeType: mimeType, expectedContentLength: Int(clamping: length),
        textEncodingName: encodingName)
    }
  }

  /// - Parameters:
  ///   - key: The key of the request; nil for the response's own URL.
  ///   - requestFields: The fields of the request.
  init(
    _ response: URLResponse, key: CacheKey? = nil, requestFields: HeaderFields = HeaderFields(),
    now: Date = Date()
  ) {
    let url = response.url ?? URL(fileURLWithPath: "/")
    let key = key ?? CacheKey(url) ?? CacheKey(text: "")
    if let response = response as? HTTPURLResponse {
      let fields = response.headerFields
      self.init(
        key: key, url: url,
        kind: .http(
          status: response.statusCode, version: response.httpVersion, isFromNetwork: response.isFromNetwork),
        fields: fields,
        // A program may store a response that varies by something other than fields. Any request may get it then.
        selection: VarySelection(response: fields, request: requestFields) ?? VarySelection(),
        requestTime: now,
        responseTime: now)
    } else {
      self.init(
        key: key, url: url,
        kind: .other(
          mimeType: response.mimeType, length: response.expectedContentLength,
          encodingName: response.textEncodingName),
        fields: HeaderFields(), requestTime: now, responseTime: now)
    }
  }
}

extension StoredEntry {
  init(_ cached: CachedURLResponse, key: CacheKey? = nil, requestFields: HeaderFields = HeaderFields()) {
    self.init(
      head: StoredHead(cached.response, key: key, requestFields: requestFields), body: cached.data,
      userInfo: cached.userInfo.map { UserInfo(values: $0) })
  }

  func makeCachedResponse() -> CachedURLResponse { CachedURLResponse(self) }

  /// An entry for a response that a subclass of a cache returned for a request.
  ///
  /// A response that the cache itself had stored keeps its times, and answers only the requests that select it.
  init(answer: CachedURLResponse, key: CacheKey, requestFields: HeaderFields) {
    self.init(answer, key: key, requestFields: requestFields)
    if let origin = answer.origin, origin.key == key { head = origin }
  }
}
#endif
