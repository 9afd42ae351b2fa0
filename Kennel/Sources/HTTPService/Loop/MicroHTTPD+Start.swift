import CMicroHTTPD
import Glibc

extension MicroHTTPD {
  /// Starts a daemon without a thread. If it cannot start, calls the log callback with the reason and returns nil.
  ///
  /// - Parameters:
  ///   - options: The options, which must live as long as the daemon.
  ///   - tls: The certificate and its key.
  ///   - context: The ``ServedDaemon``, which is not retained and must live as long as the daemon.
  static func start(
    _ options: UnsafeMutablePointer<cmhd_options>, _ configuration: HTTPServerConfiguration,
    tls: HTTPServerConfiguration.TLS?, socket: Int32, context: UnsafeMutableRawPointer
  ) -> Daemon? {
    let limits = configuration.limits
    options.pointee.backlog = UInt32(ListeningSocket.backlog)
    options.pointee.connection_limit = UInt32(clamping: max(1, limits.maximumConnections))
    options.pointee.connection_limit_per_address = UInt32(
      clamping: max(0, limits.maximumConnectionsPerAddress))
    // The library keeps the fields and the head of the response in the same memory as the bytes it read.
    options.pointee.connection_memory = max(4096, limits.maximumHeaderSize) + 16 * 1024
    options.pointee.connection_memory_increment = 4096
    options.pointee.context = context
    options.pointee.handle = { _, _, _, method, version, bytes, count, context in
      guard let method, let version, let count,
        let exchange = context?.pointee.map({ Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() })
      else { return .NO }
      let continues = exchange.handle(
        method: method, version: version, bytes: UnsafeRawBufferPointer(start: bytes, count: count.pointee))
      count.pointee = 0
      return continues ? .YES : .NO
    }
    options.pointee.request_line = { _, target, connection in
      guard let target, let connection = MicroHTTPD.client(connection) else { return nil }
      return connection.requestBegan(String(cString: target))
    }
    options.pointee.completed = { _, connection, _, code in
      MicroHTTPD.client(connection)?.requestEnded(isComplete: code == .REQUEST_TERMINATED_COMPLETED_OK)
    }
    options.pointee.connection_changed = { context, connection, socketContext, code in
      guard let context, let connection, let socketContext else { return }
      let daemon = Unmanaged<ServedDaemon>.fromOpaque(context).takeUnretainedValue()
      if code == .CONNECTION_NOTIFY_STARTED {
        // This reference is released below.
        socketContext.pointee = Unmanaged.passRetained(daemon.loop.connectionBegan(connection, of: daemon))
          .toOpaque()
      } else if let client = socketContext.pointee {
        daemon.loop.connectionEnded(Unmanaged<ClientConnection>.fromOpaque(client).takeRetainedValue())
        socketContext.pointee = nil
      }
    }
    options.pointee.log = { context, message in
      guard let context, let message else { return }
      Unmanaged<ServedDaemon>.fromOpaque(context).takeUnretainedValue().diagnose(String(cString: message))
    }
    // If the start fails, the library closes the socket only in some cases. So it gets its own descriptor, which is
    // closed here if it still refers to the same socket.
    let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    options.pointee.listening_socket = own
    if let daemon = start(options, tls) { return daemon }
    if isSameSocket(own, socket) { close(own) }
    return nil
  }

  private static func start(
    _ options: UnsafeMutablePointer<cmhd_options>, _ tls: HTTPServerConfiguration.TLS?
  ) -> Daemon? {
    guard let tls else { return cmhd_start(options) }
    // The library reads these strings only during the start.
    return tls.privateKey.withCString { key in
      tls.certificateChain.withCString { chain in
        (tls.privateKeyPassword ?? "").withCString { password in
          tlsPriorities.withCString { priorities in
            options.pointee.tls_key = key
            options.pointee.tls_certificate = chain
            options.pointee.tls_key_password = tls.privateKeyPassword == nil ? nil : password
            options.pointee.tls_priorities = priorities
            defer {
              options.pointee.tls_key = nil
              options.pointee.tls_certificate = nil
              options.pointee.tls_key_password = nil
              options.pointee.tls_priorities = nil
            }
            return cmhd_start(options)
          }
        }
      }
    }
  }

  private static func isSameSocket(_ left: Int32, _ right: Int32) -> Bool {
    var (one, other) = (stat(), stat())
    guard fstat(left, &one) == 0, fstat(right, &other) == 0 else { return false }
    return one.st_ino == other.st_ino && one.st_dev == other.st_dev
  }

  private static let tlsPriorities = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

  /// Returns the connection that the connection callback stored.
  private static func client(_ connection: Connection?) -> ClientConnection? {
    guard let connection, let context = cmhd_socket_context(connection) else { return nil }
    return Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue()
  }
}
