import Glibc

extension ScriptedConnection {
  /// Connects to `port` of 127.0.0.1, sends `opening` there, and forwards bytes in both directions until one side ends.
  /// This connection then ends in the same way as the other one: if the other was reset, it is reset too.
  public func relay(to port: UInt16, opening: [UInt8] = []) throws {
    let other = ScriptedConnection(
      descriptor: try Self.connect(to: port), index: index, stopping: stopping, record: { _ in })
    defer { other.close() }
    try other.send(opening + takeUnread())
    var hasEnded = false
    while true {
      // A side that has finished sending stays readable, so it is not polled again.
      var interests: [Polling.Interest] = [.readable(stopping.descriptor), .readable(other.descriptor)]
      if !hasEnded { interests.append(.readable(descriptor)) }
      switch Polling.wait(for: interests, within: nil) {
      case 1:
        do {
          let bytes = try other.read()
          if bytes.isEmpty { return }
          try send(bytes)
        } catch Ended.byPeer {
          return reset()
        }
      case 2:
        do {
          let bytes = try read()
          hasEnded = bytes.isEmpty
          if hasEnded { other.finishSending() } else { try other.send(bytes) }
        } catch Ended.byPeer {
          return other.reset()
        }
      default: throw Ended.byServer
      }
    }
  }

  private static func connect(to port: UInt16) throws -> Int32 {
    let client: RawClient
    do { client = try RawClient(port: port, limit: 0) } catch is RawClient.Failure { throw Ended.byPeer }
    client.sendWithoutDelay()
    // The connection closes its own descriptor.
    let descriptor = fcntl(client.descriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw ListeningSocket.failure("Could not duplicate a socket") }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    return descriptor
  }
}
