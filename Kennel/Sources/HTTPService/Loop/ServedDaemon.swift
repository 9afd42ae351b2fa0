import CMicroHTTPD

/// A daemon of libmicrohttpd, used only on the loop's thread.
///
/// The library reads a certificate once. So a server whose certificate is replaced has a new daemon that accepts connections on
/// the same socket, and earlier ones that serve the connections they have accepted.
final class ServedDaemon {
  /// The loop owns the daemon, and stops it before it is deallocated. While it is deinitialized, messages may still arrive.
  unowned(unsafe) let loop: ServerLoop
  private(set) var handle: MicroHTTPD.Daemon?
  /// The library keeps the pointer.
  private let options: UnsafeMutablePointer<cmhd_options>
  /// The number of connections that have not ended.
  var connectionCount = 0
  /// Whether it accepts no more connections, because another one does.
  private(set) var isRetired = false
  /// The first message of the library during the start, which has the reason of a failure.
  private(set) var firstMessage: String?

  /// Starts a daemon. If it cannot start, ``handle`` is nil.
  init(_ loop: ServerLoop, tls: HTTPServerConfiguration.TLS?, socket: Int32) {
    self.loop = loop
    options = .allocate(capacity: 1)
    options.initialize(to: cmhd_options())
    // The daemon is stopped before this object is deinitialized, so the context of the callbacks is not retained.
    handle = MicroHTTPD.start(
      options, loop.configuration, tls: tls, socket: socket,
      context: Unmanaged.passUnretained(self).toOpaque())
  }

  deinit {
    stop()
    options.deinitialize(count: 1)
    options.deallocate()
  }

  func run() { if let handle { MicroHTTPD.run(handle) } }

  /// Whether there is work that no descriptor announces.
  var hasPendingWork: Bool { handle.map { MicroHTTPD.hasPendingWork($0) } ?? false }

  /// Accepts no more connections. Those that wait in the socket are accepted by another daemon of the same socket.
  func retire() {
    guard let handle, !isRetired else { return }
    isRetired = true
    MicroHTTPD.stopListening(handle)
  }

  func stop() {
    guard let handle else { return }
    retire()
    MicroHTTPD.stop(handle)
    self.handle = nil
  }

  func diagnose(_ message: String) {
    if handle == nil, firstMessage == nil { firstMessage = message }
    loop.diagnose(message, isStarting: handle == nil)
  }
}
