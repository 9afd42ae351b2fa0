import Glibc

/// What went wrong in a server, or with what it was given.
public struct HTTPServerError: Error, Sendable, CustomStringConvertible {
  /// The kinds of errors; more may come.
  public struct Code: Sendable, Hashable {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// The address could not be listened on.
    public static let cannotListen = Code("cannotListen")
    /// The server's library or thread could not be started.
    public static let cannotStart = Code("cannotStart")
    /// The server was started before.
    public static let alreadyStarted = Code("alreadyStarted")
    /// The certificate or the key cannot be used.
    public static let badCertificate = Code("badCertificate")
    /// A target that would be answered with 400.
    public static let malformedTarget = Code("malformedTarget")
    /// The body is larger than was allowed; a handler that lets it through answers with 413.
    public static let bodyTooLarge = Code("bodyTooLarge")
    /// The body ended before it was whole: the client went away or was cut off.
    public static let bodyIncomplete = Code("bodyIncomplete")
    /// The body is being read, or was read, by somebody else.
    public static let bodyAlreadyRead = Code("bodyAlreadyRead")
    /// The client is gone, or the server has ended the response.
    public static let responseEnded = Code("responseEnded")
    /// A response cannot be sent the way it is.
    public static let invalidResponse = Code("invalidResponse")
    /// A file cannot be read.
    public static let unreadableFile = Code("unreadableFile")
  }

  /// The kind of error.
  public var code: Code
  /// The C error number below it; 0 when there is none.
  public var errno: Int32
  /// A sentence a person can act on.
  public var description: String

  init(_ code: Code, _ description: String, errno: Int32 = 0) {
    self.code = code
    self.errno = errno
    self.description = errno == 0 ? description : "\(description): \(String(cString: strerror(errno)))"
  }
}
