import Foundation

/// A scripted proxy on 127.0.0.1. It resolves every host to 127.0.0.1, so that tests can load names through it that
/// only the proxy knows.
public final class ScriptedProxy: Sendable {
  /// The response to a tunnel request.
  public enum Answer: Sendable {
    /// Sends these bytes (a complete head), then opens the tunnel.
    case tunnel(String)
    /// Sends these bytes and waits for the client to close.
    case refuse(String)
    /// Sends these bytes, then closes the connection.
    case cut(String)
    /// Sends these bytes, then resets the connection.
    case reset(String)
    /// Sends these bytes repeatedly.
    case forever(String)
    /// Sends nothing.
    case silence

    /// Opens the tunnel.
    public static let accept = Answer.tunnel("HTTP/1.1 200 Connection established\r\n\r\n")
  }

  /// The underlying server. It records the requests to the proxy: CONNECT and absolute-form.
  public let server: ScriptedServer

  /// Starts an HTTP proxy.
  ///
  /// - Parameters:
  ///   - connect: The response to CONNECT.
  ///   - forward: The response to a request in absolute-form; nil forwards the request to its server.
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

  /// The URL of the proxy, for environment variables.
  public var url: String { "http://127.0.0.1:\(port)" }

  /// The method and target of each request.
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

  /// Forwards a request in absolute-form to its server in origin-form. Later requests on the connection go to the same
  /// server, which accepts absolute-form as well.
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
