import Foundation
import TestSupport

/// One request of a case, in terms that every client similar to URLSession can perform.
public struct ExchangeRequest: Sendable {
  /// The method of the client to use.
  public enum Kind: String, Sendable {
    /// `data(for:delegate:)`.
    case data
    /// `upload(for:from:delegate:)` or `upload(for:fromFile:delegate:)`.
    case upload
    /// `download(for:delegate:)`, or `download(resumeFrom:delegate:)` with resume data.
    case download
    /// `bytes(for:delegate:)`, read byte by byte.
    case bytes
    /// `bytes(for:delegate:).lines`.
    case lines
    /// `dataTask(with:completionHandler:)`.
    case dataCallback
    /// `uploadTask(with:from:completionHandler:)`.
    case uploadCallback
    /// `downloadTask(with:completionHandler:)`.
    case downloadCallback
  }

  /// The body to send.
  public enum Body: Sendable {
    /// Nothing.
    case none
    /// These bytes.
    case data(Data)
    /// The file's bytes.
    case file(URL)
    /// These bytes as a stream.
    case stream(Data)
  }

  /// The method of the client to use.
  public var kind: Kind
  /// The URL as text.
  public var url: String
  /// The HTTP method.
  public var method: String
  /// The header fields.
  public var headers: [(String, String)] = []
  /// The body.
  public var body: Body
  /// The request's time-out interval.
  public var timeout: Duration?
  /// Whether cookies are stored and sent.
  public var handlesCookies = true
  /// The per-call delegate.
  public var delegate: DelegatePolicy?
  /// Cancels the call (the surrounding task, or the session task for callback forms) when it opens.
  public var cancel: Gate?
  /// Cancels a download by producing resume data when it opens.
  public var cancelForResumption: Gate?
  /// The resume data with which to continue a download.
  public var resumeData: Data?
  /// The destination to which a downloaded file is moved, while the client's call or handler has it.
  public var destination: URL?
  /// The number of bytes or lines after which the loop over them ends.
  public var elementLimit: Int?
  /// Called when `bytes` has returned the response, before the first byte is read.
  public var onHead: (@Sendable (Int) -> Void)?
  /// Called with each line or (for `bytes`) with the number of bytes so far, as soon as the loop receives it.
  public var onElement: (@Sendable (String) async -> Void)?

  /// Creates a request. All other properties have default values.
  public init(
    _ kind: Kind = .data, _ url: String, method: String = "GET", body: Body = .none,
    delegate: DelegatePolicy? = nil
  ) {
    self.kind = kind
    self.url = url
    self.method = method
    self.body = body
    self.delegate = delegate
  }
}

/// The behaviour of a delegate of a session or a task.
public struct DelegatePolicy: Sendable {
  /// The form of the delegate's methods.
  public enum Form: String, Sendable {
    /// With completion handlers.
    case completion
    /// As async methods.
    case async
  }

  /// A challenge as the delegate received it.
  public struct Challenge: Sendable, Equatable {
    /// The authentication method's constant.
    public var method: String
    /// The host of the protection space.
    public var host: String
    /// The realm of the protection space.
    public var realm: String?
    /// The number of credentials that were rejected before.
    public var previousFailures: Int
    /// The status of the failure response.
    public var status: Int?

    /// Creates a challenge.
    public init(method: String, host: String, realm: String?, previousFailures: Int, status: Int?) {
      self.method = method
      self.host = host
      self.realm = realm
      self.previousFailures = previousFailures
      self.status = status
    }
  }

  /// The answer to a challenge.
  public enum Answer: Sendable {
    /// `.useCredential` with this user and password, kept for the session.
    case credential(user: String, password: String)
    /// `.useCredential` without a credential.
    case noCredential
    /// `.performDefaultHandling`.
    case defaultHandling
    /// `.cancelAuthenticationChallenge`.
    case cancel
    /// `.rejectProtectionSpace`.
    case reject
    /// `.useCredential` with the trust of the challenge.
    case acceptServer
  }

  /// The form of the methods.
  public var form = Form.completion
  /// Answers `didReceive challenge`. If nil, the delegate does not implement the method.
  public var challenge: (@Sendable (Challenge) -> Answer)?
  /// Answers `willPerformHTTPRedirection`: returns whether to follow the new URL. If nil, the delegate does not
  /// implement the method.
  public var redirect: (@Sendable (String) -> Bool)?

  /// Creates a delegate that only records.
  public init(form: Form = .completion) {
    self.form = form
  }
}

/// The options of a client's session.
public struct SessionOptions: Sendable {
  /// A PEM file with the only trusted certificate authority.
  public var trustedAuthority: URL?
  /// `timeoutIntervalForRequest`.
  public var requestTimeout: Duration?
  /// `timeoutIntervalForResource`.
  public var resourceTimeout: Duration?
  /// Whether the case depends on connections that are kept between requests.
  public var needsKeptConnections = false
  /// The session's delegate.
  public var delegate: DelegatePolicy?
  /// The host and port of the HTTP proxy in `connectionProxyDictionary`.
  public var proxy: (host: String, port: Int, exceptions: [String])?
  /// An option that Apple does not have: the maximum number of bytes that `data` collects before it fails.
  public var maximumBufferedBodySize: Int64?
  /// An option that Apple does not have: the Unix-domain socket for all connections.
  public var unixSocketPath: String?
  /// An option that Apple does not have: whether loopback and private addresses are refused.
  public var refusesPrivateAddresses = false

  /// Creates default options.
  public init() {}
}
