/// Identifies an open connection of a client. Connections to different servers may have the same local port.
struct ConnectionEnds: Hashable {
  var localPort: Int32
  var remoteAddress: String
  var remotePort: Int32
}

/// The sockets of a client's open connections. libcurl identifies a connection only by its ends.
struct ConnectedSockets {
  private var sockets: [ConnectionEnds: Int32] = [:]
  private var ends: [Int32: ConnectionEnds] = [:]

  mutating func connected(_ connection: ConnectionEnds, over socket: Int32) {
    closed(socket)
    sockets[connection] = socket
    ends[socket] = connection
  }

  mutating func closed(_ socket: Int32) {
    guard let connection = ends.removeValue(forKey: socket), sockets[connection] == socket else { return }
    sockets[connection] = nil
  }

  subscript(connection: ConnectionEnds) -> Int32? { sockets[connection] }
}
