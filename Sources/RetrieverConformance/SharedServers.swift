import Foundation
import Synchronization
import TestSupport

/// The healthy servers that all cases of a process share. Each is started on first use.
public final class SharedServers: Sendable {
  private struct State {
    var healthy: ScriptedServer?
    var nginx: NginxServer?
  }

  /// The body of the healthy server's replies.
  static let healthyBody = "healthy"

  private let state = Mutex(State())

  /// Creates the object without starting a server.
  public init() {}

  /// Returns a scripted server that answers every request with 200 and a short body.
  func healthy() throws -> ScriptedServer {
    try state.withLock { state in
      if let healthy = state.healthy { return healthy }
      let healthy = try ScriptedServer.http { _ in Reply(text: Self.healthyBody) }
      state.healthy = healthy
      return healthy
    }
  }

  /// Returns an nginx server.
  func nginx() throws -> NginxServer {
    try state.withLock { state in
      if let nginx = state.nginx { return nginx }
      let nginx = try NginxServer()
      state.nginx = nginx
      return nginx
    }
  }

  /// Stops the servers that were started.
  public func stop() {
    let (healthy, nginx) = state.withLock { state in
      defer { state = State() }
      return (state.healthy, state.nginx)
    }
    healthy?.stop()
    nginx?.stop()
  }
}
