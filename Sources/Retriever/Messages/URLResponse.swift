#if !canImport(Darwin)
  import Foundation

  /// What came back for a request, apart from the body itself: where it is from, what it is and how long.
  ///
  /// A response to an HTTP request is an ``HTTPURLResponse``.
  // Unchecked because a subclass may add what it likes. The invariant for ours: nothing changes after `init`, apart
  // from what HTTPURLResponse keeps behind a Mutex. A subclass must keep it so.
  open class URLResponse: NSObject, NSCopying, @unchecked Sendable {
    private let givenURL: URL?
    private let givenMIMEType: String?
    private let givenLength: Int64
    private let givenEncodingName: String?

    /// Makes a response.
    ///
    /// - Parameters:
    ///   - url: where the content is from.
    ///   - mimeType: the type of the content.
    ///   - expectedContentLength: how many bytes the content has, or -1.
    ///   - textEncodingName: the name of its character encoding.
    public init(url: URL, mimeType: String?, expectedContentLength: Int, textEncodingName: String?) {
      givenURL = url
      givenMIMEType = mimeType
      givenLength = Int64(expectedContentLength)
      givenEncodingName = textEncodingName
      super.init()
    }

    /// Where the content is from: after redirects the last URL, not the first.
    open var url: URL? { givenURL }

    /// The type of the content, without parameters; `nil` when it was not said.
    open var mimeType: String? { givenMIMEType }

    /// How many bytes the content is expected to have, or -1 when that is not known. More or fewer may come.
    open var expectedContentLength: Int64 { givenLength }

    /// The name of the character encoding of a text, as registered with IANA; `nil` when it was not said.
    open var textEncodingName: String? { givenEncodingName }

    /// A name for a file to keep the content in.
    ///
    /// It is one the server proposed, else the last component of the URL's path, else the URL's host, else `Unknown`.
    /// A usual extension for the type of the content is added where there was none: the page at `https://example.com/`
    /// is `example.com.html`. It is safe to append to a directory: there is no
    /// separator in it, it is neither `.` nor `..`, and no longer than a file system allows.
    open var suggestedFilename: String? {
      SuggestedFilename.name(contentDisposition: nil, url: url, mimeType: mimeType)
    }

    /// The response itself: it never changes, so there is no need for another.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` is a response that says the same.
    open override func isEqual(_ object: Any?) -> Bool {
      guard let other = object as? URLResponse else { return false }
      if other === self { return true }
      return type(of: other) == type(of: self) && url == other.url && mimeType == other.mimeType
        && expectedContentLength == other.expectedContentLength && textEncodingName == other.textEncodingName
    }

    /// A hash that equal responses share.
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
