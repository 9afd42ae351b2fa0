import Foundation
import TestSupport

/// One request as a behaviour case states it, in terms every URLSession-shaped client can carry out.
public struct ExchangeRequest: Sendable {
  /// Which of the client's methods is to be used.
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

  /// What is sent as the body.
  public enum Body: Sendable {
    /// Nothing.
    case none
    /// These bytes.
    case data(Data)
    /// The file's bytes.
    case file(URL)
    /// These bytes by way of a stream.
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
  /// The resume data a download goes on from.
  public var resumeData: Data?
  /// Where a download's file is moved to while the client's call or handler has it.
  public var destination: URL?
  /// After how many bytes or lines the loop over them is left.
  public var elementLimit: Int?
  /// Called when `bytes` has returned the response, before the first byte is asked for.
  public var onHead: (@Sendable (Int) -> Void)?
  /// Called with each line, or (for `bytes`) with the number of bytes so far, as soon as the loop has it.
  public var onElement: (@Sendable (String) async -> Void)?

  /// A request with defaults for all the rest.
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

/// How a delegate of the session or of one task answers.
public struct DelegatePolicy: Sendable {
  /// How the delegate's methods are written.
  public enum Form: String, Sendable {
    /// With completion handlers.
    case completion
    /// As async methods.
    case async
  }

  /// A challenge as the delegate got it.
  public struct Challenge: Sendable, Equatable {
    /// The authentication method's constant.
    public var method: String
    /// The host of the protection space.
    public var host: String
    /// The realm of the protection space.
    public var realm: String?
    /// How many credentials were refused before.
    public var previousFailures: Int
    /// The status of the failure response.
    public var status: Int?

    /// A challenge of these parts.
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
  }

  /// The form of the methods.
  public var form = Form.completion
  /// Answers `didReceive challenge`; nil: the method is not implemented.
  public var challenge: (@Sendable (Challenge) -> Answer)?
  /// Answers `willPerformHTTPRedirection` given the new URL: whether to follow; nil: not implemented.
  public var redirect: (@Sendable (String) -> Bool)?

  /// A delegate that only counts.
  public init(form: Form = .completion) {
    self.form = form
  }
}

/// What a client's session is made with.
public struct SessionOptions: Sendable {
  /// A PEM file with the one authority to trust.
  public var trustedAuthority: URL?
  /// `timeoutIntervalForRequest`.
  public var requestTimeout: Duration?
  /// `timeoutIntervalForResource`.
  public var resourceTimeout: Duration?
  /// Whether the case is about connections that are kept between requests.
  public var needsKeptConnections = false
  /// The session's delegate.
  public var delegate: DelegatePolicy?
  /// Beyond Apple: how many bytes `data` collects before it fails.
  public var maximumBufferedBodySize: Int64?
  /// Beyond Apple: the Unix-domain socket all connections go to.
  public var unixSocketPath: String?
  /// Beyond Apple: whether loopback and private addresses are refused.
  public var refusesPrivateAddresses = false

  /// A session with defaults.
  public init() {}
}
