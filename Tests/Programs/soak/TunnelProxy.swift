import Foundation
import Glibc
import TestSupport

/// A proxy for https. It responds to CONNECT with a tunnel to one port, and with fields that must not appear in the
/// response. It refuses some requests.
struct TunnelProxy: Sendable {
  /// A field of the proxy's response that no load's response may have.
  static let fieldName = "X-Soak-Proxy"

  /// The target of the proxy's redirect, which clients must not follow.
  static let redirectPath = "/from-the-proxy"

  let port: UInt16
  let runLog: RunLog

  func serve(_ connection: ScriptedConnection) throws {
    guard let head = try connection.readHead() else { return }
    guard head.method == "CONNECT" else {
      runLog.violation("request line", "the https proxy received \(head.method) \(head.target)")
      return
    }
    runLog.recordProxyUse()
    if head["Authorization"] != nil || head["X-Soak-Token"] != nil {
      runLog.violation("secret crossed", "CONNECT \(head.target) had fields of the request")
    }
    let mark = "\(Self.fieldName): 1\r\nSet-Cookie: proxy=1\r\n"
    switch connection.index % 12 {
    case 3: try connection.send("HTTP/1.1 502 Bad Gateway\r\n\(mark)Content-Length: 4\r\n\r\nsoak")
    case 5: try connection.send("HTTP/1.1 404 Not Found\r\n\(mark)Content-Length: 4\r\n\r\nsoak")
    case 7:
      try connection.send(
        "HTTP/1.1 302 Found\r\n\(mark)Location: \(Self.redirectPath)\r\nContent-Length: 0\r\n\r\n")
    case 9: return
    default:
      try connection.send("HTTP/1.1 200 Connected\r\n\(mark)\r\n")
      try forward(connection)
    }
  }

  private func forward(_ client: ScriptedConnection) throws {
    guard let server = try? RawClient(port: port, limit: 0) else { return }
    let back = JobThread {
      var buffer = [UInt8](repeating: 0, count: 65_536)
      while true {
        let count = recv(server.descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0, (try? client.send(buffer[..<count])) != nil else { break }
      }
      client.finishSending()
    }
    defer {
      server.leave()
      back.join()
    }
    while true {
      let bytes = try client.read()
      if bytes.isEmpty { break }
      var sent = 0
      while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
          Glibc.send(
            server.descriptor, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
        }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        sent += count
      }
    }
  }
}
