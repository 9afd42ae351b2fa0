#if !canImport(Darwin)
import Foundation

/// The metadata of a response: the URL, type and length of its content.
///
/// A response to an HTTP request is an ``HTTPURLResponse``.
// Unchecked because a subclass may add properties. The invariant for this class: nothing changes after `init`, except
// what HTTPURLResponse protects with a Mutex. Subclasses must follow the same rule.
open class URLResponse: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
  private let givenURL: URL?
  private let givenMIMEType: String?
  private let givenLength: Int64
  private let givenEncodingName: String?

  /// Creates a response.
  ///
  /// - Parameters:
  ///   - url: the URL of the content.
  ///   - mimeType: the media type of the content.
  ///   - expectedContentLength: the number of bytes of the content, or -1.
  ///   - textEncodingName: the name of its character encoding.
  public init(url: URL, mimeType: String?, expectedContentLength: Int, textEncodingName: String?) {
    givenURL = url
    givenMIMEType = mimeType
    givenLength = Int64(expectedContentLength)
    givenEncodingName = textEncodingName
    super.init()
  }

  /// Creates a response without a URL, for tests that need any response.
  public override init() {
    (givenURL, givenMIMEType, givenLength, givenEncodingName) = (nil, nil, -1, nil)
    super.init()
  }

  /// The URL of the content: after redirects, this is the last URL.
  open var url: URL? { givenURL }

  /// The media type of the content, without parameters; `nil` if it is unknown.
  open var mimeType: String? { givenMIMEType }

  /// The expected number of bytes of the content, or -1 if it is unknown. The actual number may differ.
  open var expectedContentLength: Int64 { givenLength }

  /// The character encoding of a text, by its IANA name; `nil` if it is unknown.
  open var textEncodingName: String? { givenEncodingName }

  /// A file name for the content.
  ///
  /// It is the first of these that exists: the name that the server proposed, the last component of the URL's path,
  /// the URL's host, or `Unknown`. If the name has no extension, the default extension of the content's type is
  /// added: the page at `https://example.com/` is `example.com.html`. The name is safe to append to a directory: it
  /// contains no separator, is neither `.` nor `..`, and is not longer than a file system allows.
  open var suggestedFilename: String? {
    SuggestedFilename.name(contentDisposition: nil, url: url, mimeType: mimeType)
  }

  // MARK: Coding

  /// Whether the class supports secure coding: true.
  public static var supportsSecureCoding: Bool { true }

  /// Decodes a response. Returns nil if the data are damaged.
  public required init?(coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return nil }
    givenURL = coder.decodeText(forKey: Key.url).flatMap { URL(string: $0) }
    givenMIMEType = coder.decodeText(forKey: Key.type)
    givenLength = coder.decodeInt64(forKey: Key.length)
    givenEncodingName = coder.decodeText(forKey: Key.encoding)
    super.init()
  }

  /// Encodes the response.
  open func encode(with coder: NSCoder) {
    guard coder.allowsKeyedCoding else { return }
    coder.encode(givenURL?.absoluteString as NSString?, forKey: Key.url)
    coder.encode(givenMIMEType as NSString?, forKey: Key.type)
    coder.encode(givenLength, forKey: Key.length)
    coder.encode(givenEncodingName as NSString?, forKey: Key.encoding)
  }

  private enum Key {
    static let url = "url"
    static let type = "mimeType"
    static let length = "expectedContentLength"
    static let encoding = "textEncodingName"
  }

  // MARK: Copying and comparing

  /// Returns the receiver, because a response is immutable.
  open override func copy() -> Any { self }

  /// Returns the receiver, because a response is immutable.
  open func copy(with zone: NSZone? = nil) -> Any { self }

  /// Whether `object` is an equal response.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? URLResponse else { return false }
    if other === self { return true }
    return type(of: other) == type(of: self) && url == other.url && mimeType == other.mimeType
      && expectedContentLength == other.expectedContentLength && textEncodingName == other.textEncodingName
  }

  /// A hash that is the same for equal responses.
  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(url)
    hasher.combine(mimeType)
    hasher.combine(expectedContentLength)
    hasher.combine(textEncodingName)
    return hasher.finalize()
  }

  var shownURL: String { url.flatMap(Redaction.withoutCredentials)?.description ?? "nil" }

  /// The URL, type and length. A name and password in the URL are left out.
  open override var description: String {
    "<\(type(of: self)) url: \(shownURL), type: \(mimeType ?? "unknown"), "
      + "length: \(expectedContentLength)>"
  }
}
#endif
