import Foundation
import Glibc

/// An error of a server, or in a value passed to it.
public struct HTTPServerError: Error, Sendable, LocalizedError, CustomStringConvertible {
  /// The kinds of errors. Later versions may add more.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String
    private init(_ name: String) { self.name = name }

    /// The server could not listen on the address.
    public static let cannotListen = Code("cannotListen")
    /// The HTTP library or the server's thread could not start.
    public static let cannotStart = Code("cannotStart")
    /// The server was already started.
    public static let alreadyStarted = Code("alreadyStarted")
    /// The certificate or the key cannot be used.
    public static let badCertificate = Code("badCertificate")
    /// The request target is malformed; the server would answer it with 400.
    public static let malformedTarget = Code("malformedTarget")
    /// The body is larger than allowed. If a handler rethrows this error, the server responds with 413.
    public static let bodyTooLarge = Code("bodyTooLarge")
    /// The body is incomplete: the client disconnected or the server closed the connection.
    public static let bodyIncomplete = Code("bodyIncomplete")
    /// Another task is reading the body.
    public static let bodyAlreadyRead = Code("bodyAlreadyRead")
    /// The client disconnected, or the server has ended the response.
    public static let responseEnded = Code("responseEnded")
    /// The response is invalid and cannot be sent.
    public static let invalidResponse = Code("invalidResponse")
    /// The file cannot be read.
    public static let unreadableFile = Code("unreadableFile")

    /// The name of the code.
    public var description: String { name }
  }

  /// The kind of error.
  public let code: Code
  /// The C error number that caused the error; 0 if there is none.
  public let errno: Int32
  /// A message that says what happened and why.
  public let description: String
  /// The same as ``description``.
  public var errorDescription: String? { description }

  /// Creates an error. With an error number, the description is a clause such as "The file cannot be opened".
  init(_ code: Code, _ description: String, errno: Int32 = 0) {
    self.code = code
    self.errno = errno
    self.description = errno == 0 ? description : "\(description): \(String(cString: strerror(errno)))."
  }
}
