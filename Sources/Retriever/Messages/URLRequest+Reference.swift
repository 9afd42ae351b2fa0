#if !canImport(Darwin)
import Foundation

extension URLRequest: ReferenceConvertible, _ObjectiveCBridgeable {
  /// The class form of a request.
  public typealias ReferenceType = NSURLRequest

  /// Whether and how the cache may answer a request.
  public typealias CachePolicy = NSURLRequest.CachePolicy

  /// The purpose of a request's traffic.
  public typealias NetworkServiceType = NSURLRequest.NetworkServiceType

  /// The initiator of a request.
  public typealias Attribution = NSURLRequest.Attribution

  /// Creates the object for `request as NSURLRequest`.
  public func _bridgeToObjectiveC() -> NSURLRequest { NSURLRequest(self) }

  /// Returns the value for `object as! URLRequest`.
  public static func _forceBridgeFromObjectiveC(_ object: NSURLRequest, result: inout URLRequest?) {
    result = object.value
  }

  /// Returns the value for `object as? URLRequest`.
  public static func _conditionallyBridgeFromObjectiveC(
    _ object: NSURLRequest, result: inout URLRequest?
  ) -> Bool {
    result = object.value
    return true
  }

  /// Returns the value for `object as URLRequest`.
  public static func _unconditionallyBridgeFromObjectiveC(_ object: NSURLRequest?) -> URLRequest {
    // The compiler passes nil only where a program has declared that an object cannot be nil.
    object?.value ?? URLRequest()
  }

  /// A request without a URL. Loading it fails.
  init() {
    self.init(url: URL(fileURLWithPath: "/"))
    url = nil
  }
}

/// Values that `URLProtocol` keeps with a request. They do not belong to the request's identity, and are not sent.
struct ProtocolProperties: Hashable, @unchecked Sendable {
  // Unchecked because the program chooses the values' types, as it does on Apple's platforms. The library only stores
  // and returns them.
  var values: [String: Any] = [:]

  static func == (left: ProtocolProperties, right: ProtocolProperties) -> Bool { true }
  func hash(into hasher: inout Hasher) {}
}

// MARK: Coding

extension URLRequest {
  private enum Key {
    static let url = "url"
    static let cachePolicy = "cachePolicy"
    static let timeout = "timeoutInterval"
    static let method = "httpMethod"
    static let headers = "headerFields"
    static let body = "httpBody"
    static let mainDocument = "mainDocumentURL"
    static let service = "networkServiceType"
    static let attribution = "attribution"
    static let flags = "flags"
  }

  private static let flags: [any WritableKeyPath<URLRequest, Bool> & Sendable] = [
    \.allowsCellularAccess, \.allowsExpensiveNetworkAccess, \.allowsConstrainedNetworkAccess,
    \.assumesHTTP3Capable, \.requiresDNSSECValidation, \.allowsPersistentDNS, \.httpShouldHandleCookies,
    \.httpShouldUsePipelining,
  ]

  func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(url?.absoluteString as NSString?, forKey: Key.url)
    coder.encode(Int(cachePolicy.rawValue), forKey: Key.cachePolicy)
    coder.encode(timeoutInterval, forKey: Key.timeout)
    coder.encode(httpMethod as NSString?, forKey: Key.method)
    headerFields.encode(with: coder, forKey: Key.headers)
    coder.encode(httpBody as NSData?, forKey: Key.body)
    coder.encode(mainDocumentURL?.absoluteString as NSString?, forKey: Key.mainDocument)
    coder.encode(Int(networkServiceType.rawValue), forKey: Key.service)
    coder.encode(Int(attribution.rawValue), forKey: Key.attribution)
    var bits = 0
    for (index, flag) in Self.flags.enumerated() where self[keyPath: flag] { bits |= 1 << index }
    coder.encode(bits, forKey: Key.flags)
  }

  init?(decodedFrom coder: NSCoder) {
    guard coder.allowsKeyedCoding, let text = coder.decodeText(forKey: Key.url), let url = URL(string: text)
    else { return nil }
    self.init(url: url, timeoutInterval: coder.decodeDouble(forKey: Key.timeout))
    cachePolicy =
      UInt(exactly: coder.decodeInteger(forKey: Key.cachePolicy)).flatMap(CachePolicy.init)
      ?? .useProtocolCachePolicy
    httpMethod = coder.decodeText(forKey: Key.method)
    if let fields = HeaderFields(decodedFrom: coder, forKey: Key.headers), !fields.entries.isEmpty {
      self.fields.headerFields = fields
    }
    httpBody = coder.decodeObject(of: NSData.self, forKey: Key.body) as Data?
    mainDocumentURL = coder.decodeText(forKey: Key.mainDocument).flatMap { URL(string: $0) }
    networkServiceType =
      UInt(exactly: coder.decodeInteger(forKey: Key.service)).flatMap(NetworkServiceType.init) ?? .default
    attribution =
      UInt(exactly: coder.decodeInteger(forKey: Key.attribution)).flatMap(Attribution.init) ?? .developer
    let bits = coder.decodeInteger(forKey: Key.flags)
    for (index, flag) in Self.flags.enumerated() { self[keyPath: flag] = bits & 1 << index != 0 }
  }
}
#endif
