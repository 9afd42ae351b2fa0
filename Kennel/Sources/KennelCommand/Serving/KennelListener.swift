import Foundation
import Glibc
import HTTPService
import KennelWeb
import Synchronization
import TerminalProgram

/// The listening port or socket of a kennel.
///
/// It is opened before the kennel is created or opened, so that a failure to listen leaves nothing behind. Clients that
/// connect meanwhile wait.
struct KennelListener: Sendable {
  let server: HTTPServer
  let settings: ServerSettings
  let log: AccessLog

  /// Starts listening.
  ///
  /// - Parameter orAnyPort: whether to use any free port if this one is in use.
  init(_ settings: ServerSettings, orAnyPort: Bool = false, screen: Screen) async throws {
    var settings = settings
    settings.server.tls = try await settings.certificate?.contents()
    self.settings = settings
    let log = AccessLog(screen)
    self.log = log
    let startupMessages = StartupMessages()
    var configuration = settings.server
    if settings.logsRequests { configuration.onAccess = { log.note($0) } }
    configuration.refusalResponse = { KennelSite.response(to: $0) }
    configuration.onError = {
      log.note(problem: "\($0.method) \(KennelSite.loggedPath($0.path)): \($0.error)")
    }
    configuration.onDiagnostic = { if !startupMessages.collect($0) { log.note(problem: $0) } }
    do {
      server = try Self.listen(configuration, orAnyPort: orAnyPort)
    } catch let error as HTTPServerError where error.code == .cannotListen {
      throw Failure(.failure, Self.refusal(error, settings))
    } catch let error as HTTPServerError where error.code == .badCertificate {
      throw settings.certificate?.refusal(startupMessages.end()) ?? Failure(error)
    }
    for line in startupMessages.end() { log.note(problem: line) }
  }

  private static func listen(
    _ configuration: HTTPServerConfiguration, orAnyPort: Bool
  ) throws -> HTTPServer {
    do {
      return try HTTPServer(configuration: configuration)
    } catch let error as HTTPServerError where orAnyPort && error.errno == EADDRINUSE {
      guard case .ip(let address, _) = configuration.address else { throw error }
      var other = configuration
      other.address = .ip(address, port: 0)
      return try HTTPServer(configuration: other)
    }
  }

  private static func refusal(_ error: HTTPServerError, _ settings: ServerSettings) -> String {
    let reason = error.errno == 0 ? error.description : String(cString: strerror(error.errno)) + "."
    return switch settings.server.address {
    case .ip(let address, let port):
      "Could not listen on port \(port) of \(address): \(reason) Use --port or --address to choose another."
    case .unixSocket(let path): "Could not listen on \(path): \(reason)"
    }
  }

  /// The port that the settings name, if another program uses it and this listener has a different one.
  var busyPort: Int? {
    guard case .ip(_, let port) = settings.server.address, port != 0, Int(port) != Int(server.port) else {
      return nil
    }
    return Int(port)
  }

  /// The address to enter in a browser.
  var address: String {
    let scheme = settings.server.tls == nil ? "http" : "https"
    switch settings.server.address {
    case .unixSocket(let path): return "the Unix socket \(path)"
    case .ip(let address, _):
      let host = listensEverywhere ? "localhost" : address.contains(":") ? "[\(address)]" : address
      return "\(scheme)://\(host):\(server.port)/"
    }
  }

  /// The addresses to enter in the browsers of other machines, if the server listens on all addresses.
  var networkAddresses: [String] {
    guard listensEverywhere else { return [] }
    let scheme = settings.server.tls == nil ? "http" : "https"
    return NetworkInterfaces.addresses().map { "\(scheme)://\($0):\(server.port)/" }
  }

  /// The address for links that people open on other devices, without a slash at its end: the name of the server, or an
  /// address in the local network. It is nil on a Unix socket without a name.
  var linkAddress: String? {
    let isBehindProxy = settings.site.isBehindTLS || !settings.site.trustedProxies.isEmpty
    if let name = settings.names.first {
      // A proxy has the default port of its scheme. A link must not be sent unencrypted to one that uses TLS.
      if isBehindProxy { return "https://\(name)" }
      let isEncrypted = settings.server.tls != nil
      let scheme = isEncrypted ? "https" : "http"
      return server.port == (isEncrypted ? 443 : 80)
        ? "\(scheme)://\(name)" : "\(scheme)://\(name):\(server.port)"
    }
    if case .unixSocket = settings.server.address { return nil }
    return String((networkAddresses.first ?? address).dropLast())
  }

  private var listensEverywhere: Bool {
    if case .ip(let address, _) = settings.server.address {
      ["0.0.0.0", "::"].contains(address)
    } else {
      false
    }
  }
}

/// The messages of the HTTP library during the start. If the start fails, only one message is shown.
private final class StartupMessages: Sendable {
  private let lines = Mutex<[String]?>([])

  /// Collects a message during the start. Returns false after the start, when the caller handles the message.
  func collect(_ line: String) -> Bool {
    lines.withLock { lines in
      guard let count = lines?.count else { return false }
      if count < 16 { lines?.append(line) }
      return true
    }
  }

  func end() -> [String] { lines.withLock { $0.take() ?? [] } }
}
