import Foundation
import TestSupport

/// Sends each reply, byte for byte, to clients that request its number.
struct ReplyServer {
  private let server: ScriptedServer

  init(_ replies: [RawReply]) throws {
    server = try ScriptedServer(recordsRequests: false) { connection in
      guard let head = try connection.readHead(), let number = Int(head.target.dropFirst()),
        number < replies.count
      else { return }
      let reply = replies[number]
      try connection.send(reply.bytes)
      // Waits in both cases until the client closes. Otherwise, unread bytes would turn the end into a reset.
      if reply.ending == .close { connection.finishSending() }
      try connection.readUntilClosed()
    }
  }

  var port: UInt16 { server.port }

  func address(_ number: Int) -> String { server.address("/\(number)") }

  func stop() { server.stop() }
}
