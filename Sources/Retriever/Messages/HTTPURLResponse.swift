#if !canImport(Darwin)
  import HTTPSyntax
  import Foundation
  import Synchronization

  /// The head of an HTTP response: its status and header fields, and what they say about the body.
  ///
  /// A status such as 404 is a response like any other; no method of a session throws because of it. The header
  /// fields of a response that came over the network are parsed when the first of them is asked for.
  // Unchecked as its superclass is. The invariant: the one thing that changes, the header fields that are parsed on
  // demand, is behind a Mutex.
  open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    private enum Head: Sendable {
      case received([UInt8])
      case parsed(HeaderFields)
    }

    private let code: Int
    private let head: Mutex<Head>
    private let cameOverNetwork: Bool
    /// The version in the status line, such as `HTTP/1.1`; `nil` when it was not said.
    package let httpVersion: String?

    /// Makes a response, for tests and for an implementation of a protocol.
    ///
    /// - Parameters:
    ///   - url: where the response is from.
    ///   - statusCode: its status, such as 200.
    ///   - httpVersion: the version in its status line, such as `HTTP/1.1`.
    ///   - headerFields: its header fields by name.
    public init?(url: URL, statusCode: Int, httpVersion: String?, headerFields: [String: String]?) {
      code = statusCode
      let entries = (headerFields ?? [:]).sorted { $0.key < $1.key }
      head = Mutex(.parsed(HeaderFields(entries.map { (name: $0.key, value: $0.value) })))
      cameOverNetwork = false
      self.httpVersion = httpVersion
      super.init(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    }

    /// Makes the response to a request that went over the network.
    ///
    /// - Parameters:
    ///   - url: the URL that was requested last.
    ///   - statusCode: its status.
    ///   - httpVersion: the version of the protocol.
    ///   - headerBlock: the field lines as the server sent them. They are not looked at before somebody asks.
    package init(url: URL, statusCode: Int, httpVersion: String, headerBlock: [UInt8]) {
      code = statusCode
      head = Mutex(.received(headerBlock))
      cameOverNetwork = true
      self.httpVersion = httpVersion
      super.init(url: url, mimeType: nil, expectedContentLength: -1, textEncodingName: nil)
    }

    /// The status, such as 200.
    open var statusCode: Int { code }

    /// Every header field by name; the values of a name that came several times are joined with a comma and a space.
    ///
    /// Well-known names are spelled the same way whatever the server sent (`Content-Type`, `Etag`), others as they
    /// came. ``value(forHTTPHeaderField:)`` finds a field whatever the case of its name.
    open var allHeaderFields: [AnyHashable: Any] {
      var fields: [AnyHashable: Any] = [:]
      for (name, value) in headerFields.dictionary(spelling: HeaderSpelling.canonical) {
        fields[name] = value
      }
      return fields
    }

    /// The value of a header field; several ones are joined with a comma and a space.
    ///
    /// - Parameter field: the name; its case does not matter.
    /// - Returns: the value, or `nil` when the response has no such field.
    open func value(forHTTPHeaderField field: String) -> String? { headerFields[field] }

    /// The fields as they were sent, each line by itself.
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

    /// Whether there may be a field called `name`: a look at the bytes, without parsing them.
    package func mayContainField(_ name: StaticString) -> Bool {
      head.withLock { head in
        switch head {
        case .parsed(let fields): fields.contains(name.description)
        case .received(let bytes): HeaderFields.lineBegins(with: name, in: bytes)
        }
      }
    }

    /// The type of the content in lower case, without parameters; `nil` when the server did not say.
    open override var mimeType: String? {
      guard let value = contentType?.value, !value.isEmpty else { return nil }
      return value
    }

    /// The character encoding the server named, in lower case; `nil` when it did not.
    open override var textEncodingName: String? {
      contentType?["charset"].map { ASCII.lowercased($0) }
    }

    /// How many bytes the content is expected to have, or -1 when the server did not say.
    ///
    /// A response that came compressed has its content decompressed on the way: its length is then not known before
    /// its end, so this is -1. A response to a HEAD request says what a GET would give.
    open override var expectedContentLength: Int64 {
      let fields = headerFields
      guard cameOverNetwork else { return Self.contentLength(in: fields) }
      if let coding = fields["Content-Encoding"], !coding.isEmpty,
        !ASCII.equalIgnoringCase(coding, "identity")
      {
        return -1
      }
      return Self.isChunked(fields) ? -1 : Self.contentLength(in: fields)
    }

    /// How many bytes of body will come over the wire (compressed, if they are), or -1 when that is not known. 0 when
    /// the status says that there is none. For a response to a HEAD request there is no body whatever this says.
    package var expectedBodyLength: Int64 {
      if (100..<200).contains(code) || code == 204 || code == 304 { return 0 }
      let fields = headerFields
      return Self.isChunked(fields) ? -1 : Self.contentLength(in: fields)
    }

    /// A name for a file to keep the content in: what `Content-Disposition` proposes, made safe, else as
    /// ``URLResponse/suggestedFilename`` says.
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

    /// One length, however often it is said; several different ones are none.
    private static func contentLength(in fields: HeaderFields) -> Int64 {
      let said = fields.values(for: "Content-Length").flatMap { $0.split(separator: ",") }
      let lengths = Set(said.map { ASCII.number(ASCII.trimmed($0)) })
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

    /// A hash that equal responses share.
    open override var hash: Int {
      var hasher = Hasher()
      hasher.combine(url)
      hasher.combine(statusCode)
      hasher.combine(headerFields)
      return hasher.finalize()
    }

    /// The URL, status, type and length. Header values are left out, and so are a name and password in the URL: they may
    /// be secret.
    open override var description: String {
      "<\(type(of: self)) url: \(shownURL), status: \(statusCode), "
        + "type: \(mimeType ?? "unknown"), length: \(expectedContentLength)>"
    }
  }
#endif
