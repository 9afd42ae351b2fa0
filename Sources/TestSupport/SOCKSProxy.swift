import Synchronization

/// A SOCKS5 proxy (RFC 1928) on 127.0.0.1. It resolves every host to 127.0.0.1.
public final class SOCKSProxy: Sendable {
  /// How the proxy treats a client.
  public enum Behavior: Sendable {
    /// Accepts the connection.
    case accept
    /// Accepts the connection after this name and password (RFC 1929).
    case acceptUser(String, password: String)
    /// Accepts no authentication method.
    case refuseMethods
    /// Responds to the request with this code: 2 is "not allowed", 5 is "connection refused".
    case refuse(UInt8)
    /// Closes the connection in the middle of its reply.
    case cut
    /// Never responds.
    case silence
  }

  /// A client's request.
  public struct Question: Sendable, Equatable {
    /// The requested host: a name or a numeric address.
    public var host: String
    /// Whether the host is a name that the proxy must look up.
    public var isName: Bool
    /// The port.
    public var port: UInt16
  }

  /// The underlying server.
  public let server: ScriptedServer
  private let asked: Asked

  private final class Asked: Sendable {
    let questions = Mutex<[Question]>([])
  }

  /// Starts a proxy.
  public init(_ behavior: Behavior = .accept) throws {
    let asked = Asked()
    self.asked = asked
    server = try ScriptedServer { connection in
      let greeting = try connection.read(exactly: 2)
      _ = try connection.read(exactly: Int(greeting[1]))
      switch behavior {
      case .silence: return try connection.hold()
      case .refuseMethods:
        try connection.send([5, 0xff])
        return try connection.readUntilClosed()
      case .acceptUser(let user, let password):
        try connection.send([5, 2])
        let isRight = try Self.credential(on: connection) == (user, password)
        try connection.send([1, isRight ? 0 : 1])
        if !isRight { return try connection.readUntilClosed() }
      default: try connection.send([5, 0])
      }
      let question = try Self.question(on: connection)
      asked.questions.withLock { $0.append(question) }
      switch behavior {
      case .refuse(let code):
        try connection.send([5, code, 0, 1, 0, 0, 0, 0, 0, 0])
        try connection.readUntilClosed()
      case .cut: try connection.send([5, 0, 0, 1, 0])
      default:
        try connection.send([5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        try connection.relay(to: question.port)
      }
    }
  }

  /// The requests of all clients.
  public var questions: [Question] { asked.questions.withLock { $0 } }

  private static func credential(on connection: ScriptedConnection) throws -> (String, String) {
    _ = try connection.read(exactly: 1)
    func text() throws -> String {
      let length = try connection.read(exactly: 1)[0]
      return String(decoding: try connection.read(exactly: Int(length)), as: UTF8.self)
    }
    return (try text(), try text())
  }

  private static func question(on connection: ScriptedConnection) throws -> Question {
    let head = try connection.read(exactly: 4)
    let host: String
    switch head[3] {
    case 3:
      let length = try connection.read(exactly: 1)[0]
      host = String(decoding: try connection.read(exactly: Int(length)), as: UTF8.self)
    case 4:
      host = try connection.read(exactly: 16).map { String($0, radix: 16) }.joined(separator: ":")
    default:
      host = try connection.read(exactly: 4).map { String($0) }.joined(separator: ".")
    }
    let port = try connection.read(exactly: 2)
    return Question(host: host, isName: head[3] == 3, port: UInt16(port[0]) << 8 | UInt16(port[1]))
  }
}
