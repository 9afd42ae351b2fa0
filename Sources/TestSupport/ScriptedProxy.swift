import Foundation

/// A proxy on 127.0.0.1 that answers as a test wrote down. Every host it is asked for is 127.0.0.1, so that names which
/// only it knows can be loaded through it.
public final class ScriptedProxy: Sendable {
  /// What it does with a request for a tunnel.
  public enum Answer: Sendable {
    /// Sends these bytes (a complete head), then makes the tunnel.
    case tunnel(String)
    /// Sends these bytes and waits for the client to close.
    case refuse(String)
    /// Sends these bytes, then closes.
    case cut(String)
    /// Sends these bytes, then resets.
    case reset(String)
    /// Sends these bytes again and again.
    case forever(String)
    /// Sends nothing.
    case silence

    /// The tunnel is made.
    public static let accept = Answer.tunnel("HTTP/1.1 200 Connection established\r\n\r\n")
  }

  /// The server below: its requests are those the proxy got, CONNECT and absolute-form.
  public let server: ScriptedServer

  /// Starts an HTTP proxy.
  ///
  /// - Parameters:
  ///   - connect: the answer to CONNECT.
  ///   - forward: the answer to a request in absolute-form; nil passes it on to its server.
  public init(
    connect: @escaping @Sendable (ScriptedRequest) -> Answer = { _ in .accept },
    forward: @escaping @Sendable (ScriptedRequest) -> Reply? = { _ in nil }
  ) throws {
    server = try ScriptedServer { connection in
      while let request = try connection.readHead() {
        connection.record(request)
        if request.method == "CONNECT" {
          let port = UInt16(request.target.split(separator: ":").last ?? "") ?? 0
          return try Self.run(connect(request), on: connection, port: port)
        }
        if let reply = forward(request) {
          let length = request["Content-Length"].flatMap { Int($0) } ?? 0
          _ = try connection.read(exactly: length)
          try connection.send(reply)
        } else {
          return try Self.pass(request, from: connection)
        }
      }
    }
  }

  /// The port.
  public var port: UInt16 { server.port }

  /// Its URL for the environment.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// What it was asked for: method and target.
  public var questions: [String] { server.requests.map { "\($0.method) \($0.target)" } }

  private static func run(_ answer: Answer, on connection: ScriptedConnection, port: UInt16) throws {
    switch answer {
    case .tunnel(let head):
      try connection.send(head)
      try connection.relay(to: port)
    case .refuse(let text):
      try connection.send(text)
      try connection.readUntilClosed()
    case .cut(let text):
      try connection.send(text)
    case .reset(let text):
      try connection.send(text)
      connection.reset()
    case .forever(let text):
      while true { try connection.send(text) }
    case .silence: try connection.hold()
    }
  }

  /// Passes a request in absolute-form on in origin-form. Later requests of the connection go to the same server,
  /// which takes absolute-form as well.
  private static func pass(_ request: ScriptedRequest, from connection: ScriptedConnection) throws {
    guard let url = URL(string: request.target), let port = url.port else {
      return try connection.send(Reply(400, text: "not in absolute-form"))
    }
    let rest = request.target.dropFirst("http://".count)
    let target = rest.firstIndex(of: "/").map { rest[$0...] } ?? "/"
    var head = "\(request.method) \(target) \(request.version)\r\n"
    for field in request.fields where !field.name.lowercased().hasPrefix("proxy-") {
      head += "\(field.name): \(field.value)\r\n"
    }
    try connection.relay(to: UInt16(clamping: port), opening: Array((head + "\r\n").utf8))
  }
}
