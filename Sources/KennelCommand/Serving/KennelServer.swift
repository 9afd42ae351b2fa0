import Foundation
import Glibc
import HTTPService
import KennelCore
import TerminalProgram

/// A kennel that is being served.
struct KennelServer: Sendable {
  let store: KennelStore
  private let site: KennelSite
  private let server: HTTPServer
  private let settings: ServerSettings
  private let log: AccessLog

  /// Listens; answers begin with ``run()``.
  init(_ store: KennelStore, directory: String, _ settings: ServerSettings, screen: Screen) throws {
    self.store = store
    self.settings = settings
    log = AccessLog(screen)
    var configuration = settings.server
    if settings.logsRequests { configuration.onAccess = { [log] in log.note($0) } }
    configuration.onError = { [log] in log.note(problem: "\($0.method) \($0.path): \($0.error)") }
    configuration.onDiagnostic = { [log] in log.note(problem: $0) }
    var siteConfiguration = settings.site
    siteConfiguration.onError = { [log] in log.note(problem: "\($1): \($0)") }
    // The site only after the port: a second server on the same port must not touch the first one's thumbnails.
    do {
      server = try HTTPServer(configuration: configuration)
    } catch let error as HTTPServerError where error.code == .cannotListen {
      throw Failure(.failure, Self.refusal(error, settings))
    }
    site = try KennelSite(store: store, directory: directory, configuration: siteConfiguration)
  }

  private static func refusal(_ error: HTTPServerError, _ settings: ServerSettings) -> String {
    var reason = error.errno == 0 ? error.description : String(cString: strerror(error.errno))
    if reason.hasSuffix(".") { reason.removeLast() }
    return switch settings.server.address {
    case .ip(let address, let port):
      "nobody can listen on port \(port) of \(address): \(reason); --port and --address say otherwise"
    case .unixSocket(let path): "nobody can listen on \(path): \(reason)"
    }
  }

  /// What to type into a browser.
  var address: String {
    let scheme = settings.server.tls == nil ? "http" : "https"
    switch settings.server.address {
    case .unixSocket(let path): return "the Unix socket \(path)"
    case .ip(let address, _):
      let host =
        ["0.0.0.0", "::"].contains(address) ? "localhost" : address.contains(":") ? "[\(address)]" : address
      return "\(scheme)://\(host):\(server.port)/"
    }
  }

  /// Serves until the task is cancelled; then answers that are under way may end.
  func run() async throws {
    await ReadinessNotice.send("READY=1")
    do {
      try await withTaskCancellationHandler {
        try await server.run(grace: settings.grace) { [site] in await site.respond(to: $0) }
      } onCancel: {
        Task { await ReadinessNotice.send("STOPPING=1") }
      }
    } catch {
      await site.close()
      throw error
    }
    await site.close()
    await log.flush()
  }
}
