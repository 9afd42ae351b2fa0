import Synchronization
import TestSupport

/// A relay in front of a server that cuts off responses after a number of bytes, which differs for each request.
final class CuttingRelay: Sendable {
  private struct State: Sendable {
    var random: SeededRandom
    var cuts = 0
    var ranges: [String] = []
  }

  /// The state that the connections share with the relay.
  private final class Core: Sendable {
    let state: Mutex<State>
    init(seed: UInt64) { state = Mutex(State(random: SeededRandom(seed))) }
  }

  private let core: Core
  private let server: ScriptedServer

  var port: UInt16 { server.port }
  /// The number of responses that were cut off.
  var cutCount: Int { core.state.withLock { $0.cuts } }
  /// The byte ranges that were requested.
  var ranges: [String] { core.state.withLock { $0.ranges } }
  var failures: [String] { server.failures }

  /// - Parameter limit: returns the number of bytes of a response to pass through, or nil for all of them.
  init(to port: UInt16, seed: UInt64, limit: @escaping @Sendable (inout SeededRandom) -> Int?) throws {
    let core = Core(seed: seed)
    self.core = core
    server = try ScriptedServer { connection in
      guard let request = try connection.nextRequest() else { return }
      let limit = core.state.withLock { state in
        if let range = request["Range"] { state.ranges.append(range) }
        return limit(&state.random)
      }
      try Self.relay(request, to: port, limit: limit, connection) { core.state.withLock { $0.cuts += 1 } }
    }
  }

  func stop() { server.stop() }

  private static func relay(
    _ request: ScriptedRequest, to port: UInt16, limit: Int?, _ connection: ScriptedConnection,
    onCut: () -> Void
  ) throws {
    var head = "\(request.method) \(request.target) HTTP/1.1\r\n"
    for field in request.fields { head += "\(field.name): \(field.value)\r\n" }
    head += "Connection: close\r\n\r\n"
    let server = try RawClient(port: port)
    try server.send(head)
    var left = limit ?? .max
    while true {
      let bytes = try server.read(upTo: 4096)
      if bytes.isEmpty { return }
      try connection.send(bytes.prefix(left))
      left -= min(bytes.count, left)
      guard left > 0 else {
        onCut()
        return connection.reset()
      }
    }
  }
}
