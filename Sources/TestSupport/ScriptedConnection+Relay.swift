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
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ListeningSocket.failure("Could not create a socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      Glibc.close(descriptor)
      throw Ended.byPeer
    }
    _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    var noDelay: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &noDelay, socklen_t(MemoryLayout<Int32>.size))
    return descriptor
  }
}
