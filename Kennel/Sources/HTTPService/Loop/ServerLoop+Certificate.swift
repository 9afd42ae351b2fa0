import CLinux
import Glibc
import Synchronization

/// A request to use another certificate for new connections. It is answered exactly once, also if the loop has ended.
final class CertificateReplacement: Sendable {
  let tls: HTTPServerConfiguration.TLS
  private let answer: Mutex<(@Sendable (Result<Void, HTTPServerError>) -> Void)?>

  init(
    _ tls: HTTPServerConfiguration.TLS, answer: @escaping @Sendable (Result<Void, HTTPServerError>) -> Void
  ) {
    self.tls = tls
    self.answer = Mutex(answer)
  }

  deinit {
    finish(.failure(HTTPServerError(.cannotStart, "The server has stopped.")))
  }

  func finish(_ result: Result<Void, HTTPServerError>) { answer.withLock { $0.take() }?(result) }
}

extension ServerLoop {
  /// The maximum number of daemons with earlier certificates. If there are more, the connections of the oldest are closed.
  private static let maximumRetiredCount = 4

  /// Starts a daemon that accepts connections.
  func startDaemon(
    _ tls: HTTPServerConfiguration.TLS?, socket: Int32
  ) throws(HTTPServerError) -> ServedDaemon {
    let daemon = ServedDaemon(self, tls: tls, socket: socket)
    guard let handle = daemon.handle else {
      throw HTTPServerError(
        tls == nil ? .cannotStart : .badCertificate,
        daemon.firstMessage ?? "The HTTP library cannot start with this configuration.")
    }
    watch(MicroHTTPD.epollDescriptor(handle), EPOLLIN.rawValue, token: Self.daemonToken)
    return daemon
  }

  func replaceCertificate(_ replacement: CertificateReplacement) {
    guard !isStopping, let daemon, let listening else { return }
    do {
      let next = try startDaemon(replacement.tls, socket: listening.socket.descriptor)
      daemon.retire()
      retired.append(daemon)
      self.daemon = next
      if retired.count > Self.maximumRetiredCount, let oldest = retired.first {
        for connection in connections.values where connection.daemon === oldest { cut(connection) }
      }
      scheduleRun()
      replacement.finish(.success(()))
    } catch {
      replacement.finish(.failure(error))
    }
  }

  /// All daemons that have connections or accept them.
  var daemons: [ServedDaemon] { retired + [daemon].compactMap { $0 } }

  /// Stops the daemons with earlier certificates that have no connections any more.
  func stopUnusedDaemons() {
    guard !retired.isEmpty else { return }
    retired.removeAll { daemon in
      guard daemon.connectionCount == 0 else { return false }
      daemon.stop()
      return true
    }
  }

  func stopDaemons() {
    for daemon in retired { daemon.stop() }
    retired = []
    daemon?.stop()
    daemon = nil
  }
}
