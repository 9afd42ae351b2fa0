import CMicroHTTPD
import Glibc

extension MicroHTTPD {
  /// Starts a daemon without a thread; nil when it cannot start, after the log callback was told why.
  ///
  /// - Parameters:
  ///   - options: Kept by the daemon; to live as long as it.
  ///   - context: The ``ServerLoop``, not retained; to live as long as the daemon.
  static func start(
    _ options: UnsafeMutablePointer<cmhd_options>, _ configuration: HTTPServerConfiguration, socket: Int32,
    context: UnsafeMutableRawPointer
  ) -> Daemon? {
    let limits = configuration.limits
    options.pointee.backlog = UInt32(ListeningSocket.backlog)
    options.pointee.connection_limit = UInt32(clamping: max(1, limits.connections))
    options.pointee.connection_limit_per_address = UInt32(clamping: max(0, limits.connectionsPerAddress))
    // The library keeps fields, and the response's head, in the same memory as what it read.
    options.pointee.connection_memory = max(4096, limits.headerSize) + 16 * 1024
    options.pointee.connection_memory_increment = 4096
    options.pointee.context = context
    options.pointee.handle = { _, _, _, method, version, bytes, count, context in
      guard let method, let version, let count,
        let exchange = context?.pointee.map({ Unmanaged<Exchange>.fromOpaque($0).takeUnretainedValue() })
      else { return .NO }
      let goesOn = exchange.handle(
        method: method, version: version, bytes: UnsafeRawBufferPointer(start: bytes, count: count.pointee))
      count.pointee = 0
      return goesOn ? .YES : .NO
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
      let loop = Unmanaged<ServerLoop>.fromOpaque(context).takeUnretainedValue()
      if code == .CONNECTION_NOTIFY_STARTED {
        // One reference, given back below.
        socketContext.pointee = Unmanaged.passRetained(loop.connectionBegan(connection)).toOpaque()
      } else if let client = socketContext.pointee {
        loop.connectionEnded(Unmanaged<ClientConnection>.fromOpaque(client).takeRetainedValue())
        socketContext.pointee = nil
      }
    }
    options.pointee.log = { context, message in
      guard let context, let message else { return }
      Unmanaged<ServerLoop>.fromOpaque(context).takeUnretainedValue().diagnose(String(cString: message))
    }
    // The library closes the socket when some kinds of start fail, and not with others. So it gets a descriptor of
    // its own, which is closed here if it still is what it was.
    let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard own >= 0 else { return nil }
    options.pointee.listening_socket = own
    if let daemon = start(options, configuration.tls) { return daemon }
    if isSameSocket(own, socket) { close(own) }
    return nil
  }

  private static func start(
    _ options: UnsafeMutablePointer<cmhd_options>, _ tls: HTTPServerConfiguration.TLS?
  ) -> Daemon? {
    guard let tls else { return cmhd_start(options) }
    // The texts are read while the daemon starts.
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

  /// What the connection callback has stored.
  private static func client(_ connection: Connection?) -> ClientConnection? {
    guard let connection, let context = cmhd_socket_context(connection) else { return nil }
    return Unmanaged<ClientConnection>.fromOpaque(context).takeUnretainedValue()
  }
}
