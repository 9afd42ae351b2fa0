#if !canImport(Darwin)
import HTTPSyntax
import Foundation
import Synchronization

/// The head of an HTTP response: its status, its header fields, and what they say about the body.
///
/// A status such as 404 is an ordinary response; no method of a session throws because of it. The header fields of a
/// response from the network are parsed when the program first accesses one.
// Unchecked as its superclass is. The invariant: only the lazily parsed header fields change, and a Mutex protects
// them.
open class HTTPURLResponse: URLResponse, @unchecked Sendable {
  private enum Head: Sendable {
    case received([UInt8])
    case parsed(HeaderFields)
  }

  private let code: Int
  private let head: Mutex<Head>
  /// Whether the body was decoded when it arrived, so that the announced length may not be its length.
  package let isFromNetwork: Bool
  /// The version in the status line, such as `HTTP/1.1`; `nil` if it is unknown.
  package let httpVersion: String?

  /// Creates a response, for tests and for protocol implementations.
  ///
  /// - Parameters:
  ///   - url: the URL of the response.
  ///   - statusCode: its status, such as 200.
  ///   - httpVersion: the version in its status line, such as `HTTP/1.1`.
  ///   - headerFields: its header fields by name.
  public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
    code = statusCode
    let entries = (headerFields ?? [:]).sorted { $0.key < $1.key }
    head = Mutex(.parsed(HeaderFields(entries.map { (name: $0.key, value: $0.value) })))
    isFromNetwork = false
    self.httpVersion = httpVersion
    super.init(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
  }

  /// Creates a response without a URL and with status 0, for tests that need any response.
  public override init() {
    code = 0
    head = Mutex(.parsed(HeaderFields()))
    isFromNetwork = false
    httpVersion = nil
    super.init()
  }

  /// Creates the response to a request that was sent over the network.
  ///
  /// - Parameters:
  ///   - url: the URL of the last request.
  ///   - statusCode: its status.
  ///   - httpVersion: the version of the protocol.
  ///   - headerBlock: the field lines as the server sent them, parsed on first access.
  package init(url: URL, statusCode: Int, httpVersion: String, headerBlock: [UInt8]) {
    code = statusCode
    head = Mutex(.received(headerBlock))
    isFromNetwork = true
    self.httpVersion = httpVersion
    super.init(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
  }

  /// Decodes a response. Returns nil if the data are damaged.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding, let fields = HeaderFields(decodedFrom: coder, forKey: Key.fields) else {
      return nil
    }
    code = coder.decodeInteger(forKey: Key.status)
    head = Mutex(.parsed(fields))
    isFromNetwork = coder.decodeBool(forKey: Key.isFromNetwork)
    httpVersion = coder.decodeText(forKey: Key.version)
    super.init(coder: coder)
  }

  /// Encodes the response with all its header fields, including those that may be secret, such as `Set-Cookie`.
  open override func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    super.encode(with: coder)
    headerFields.encode(with: coder, forKey: Key.fields)
    coder.encode(code, forKey: Key.status)
    coder.encode(isFromNetwork, forKey: Key.isFromNetwork)
    coder.encode(httpVersion as NSString?, forKey: Key.version)
  }

  private enum Key {
    static let fields = "headerFields"
    static let status = "statusCode"
    static let isFromNetwork = "isFromNetwork"
    static let version = "httpVersion"
  }

  /// Creates a response from parsed header fields.
  package init(
    url: URL, statusCode: Int, httpVersion: String?, fields: HeaderFields, isFromNetwork: Bool
  ) {
    code = statusCode
    head = Mutex(.parsed(fields))
    self.isFromNetwork = isFromNetwork
    self.httpVersion = httpVersion
    super.init(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
  }

  /// The status, such as 200.
  open var statusCode: Int { code }

  /// All header fields by name. Repeated fields are joined with a comma and a space.
  ///
  /// Well-known names are always spelled the same way (`Content-Type`, `Etag`), others as the server sent them.
  /// ``value(forHTTPHeaderField:)`` finds a field regardless of the case of its name.
  open var allHeaderFields: [AnyHashable: Any] {
    var fields: [AnyHashable: Any] = [:]
    for (name, value) in headerFields.dictionary(spelling: HeaderSpelling.canonical) {
      fields[name] = value
    }
    return fields
  }

  /// Returns the value of a header field. Repeated fields are joined with a comma and a space.
  ///
  /// - Parameter field: the name, in any case.
  /// - Returns: the value, or `nil` if the response has no such field.
  open func value(forHTTPHeaderField field: String) -> String? { headerFields[field] }

  /// The fields as they were sent, each line separately.
  package var headerFields: HeaderFields {
    head.withLock { head in
      switch head {
      case .parsed(let fields):
        return fields
      case .received(let bytes):
        let fields = HeaderFields.parse(headerBlock: bytes)
        head = .parsed(fields)
        return fields
      }
    }
  }

  /// Returns whether there may be a field called `name`, by searching the bytes without parsing them.
  package func mayContainField(_ name: StaticString) -> Bool {
    head.withLock { head in
      switch head {
      case .parsed(let fields): fields.contains(name.description)
      case .received(let bytes): HeaderFields.lineBegins(with: name, in: bytes)
      }
    }
  }

  /// The media type of the content in lower case, without parameters; `nil` if the server did not specify it.
  open override var mimeType: String? {
    guard let value = contentType?.value, !value.isEmpty else { return nil }
    return value
  }

  /// The character encoding in lower case; `nil` if the server did not specify it.
  open override var textEncodingName: String? {
    contentType?["charset"].map { ASCII.lowercased($0) }
  }

  /// The expected number of bytes of the content, or -1 if the server did not specify it.
  ///
  /// If the response was compressed, its content is decompressed while it is received. The length is then unknown
  /// before the end, so this is -1. For a HEAD request, this is the length that a GET would return.
  open override var expectedContentLength: Int64 {
    let fields = headerFields
    guard isFromNetwork else { return Self.contentLength(in: fields) }
    if let coding = fields["Content-Encoding"], !coding.isEmpty,
      !ASCII.equalIgnoringCase(coding, "identity")
    {
      return -1
    }
    return Self.isChunked(fields) ? -1 : Self.contentLength(in: fields)
  }

  /// The number of bytes of body that the server will send (compressed, if it is), or -1 if it is unknown. It is 0 if
  /// the status does not allow a body. A response to a HEAD request has no body, regardless of this value.
  package var expectedBodyLength: Int64 {
    if (100..<200).contains(code) || code == 204 || code == 304 { return 0 }
    let fields = headerFields
    return Self.isChunked(fields) ? -1 : Self.contentLength(in: fields)
  }

  /// A file name for the content: the name in `Content-Disposition`, made safe, or otherwise the name that
  /// ``URLResponse/suggestedFilename`` describes.
  open override var suggestedFilename: String? {
    SuggestedFilename.name(
      contentDisposition: headerFields.values(for: "Content-Disposition").first, url: url,
      mimeType: mimeType)
  }

  private var contentType: HeaderParameters? {
    headerFields.values(for: "Content-Type").last.map(HeaderParameters.init)
  }

  private static func isChunked(_ fields: HeaderFields) -> Bool {
    guard let coding = fields["Transfer-Encoding"] else { return false }
    return !ASCII.equalIgnoringCase(coding, "identity")
  }

  /// Returns the length, which may be repeated; -1 if there are different values.
  private static func contentLength(in fields: HeaderFields) -> Int64 {
    let stated = fields.values(for: "Content-Length").flatMap { $0.split(separator: ",") }
    let lengths = Set(stated.map { ASCII.number(ASCII.trimmed($0)) })
    guard lengths.count == 1, let only = lengths.first, let length = only else { return -1 }
    return length
  }

  /// Whether `object` is a response with the same URL, status and header fields.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? HTTPURLResponse else { return false }
    if other === self { return true }
    return type(of: other) == type(of: self) && url == other.url && statusCode == other.statusCode
      && headerFields == other.headerFields
  }

  /// A hash that is the same for equal responses.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(url)
    hasher.combine(statusCode)
    hasher.combine(headerFields)
    return hasher.finalize()
  }

  /// The URL, status, type and length. Header values, and a name and password in the URL, are left out because they
  /// may be secret.
  open override var description: String {
    "<\(type(of: self)) url: \(shownURL), status: \(statusCode), "
      + "type: \(mimeType ?? "unknown"), length: \(expectedContentLength)>"
  }
}
#endif
