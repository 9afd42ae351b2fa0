import Foundation
import Synchronization

/// A server for resumable uploads (draft-ietf-httpbis-resumable-upload), which can cut connections at any byte and give
/// wrong answers.
///
/// A request with a body to any path creates an upload. Its resource is `/uploads/N`: HEAD reports the offset, PATCH
/// appends. The upload's final response has status 201 and the number of stored bytes as its text.
public final class ResumableUploadServer: Sendable {
  /// What the server does with the body of one request.
  public enum Reception: Sendable {
    /// Stores it, and responds.
    case complete
    /// Stores this many bytes, then ends the connection, as soon as the gate is open. A client that still sends may lose
    /// what it has not read.
    case cut(after: Int, when: Gate? = nil)
    /// The same, with a reset, as soon as the gate is open.
    case reset(after: Int, when: Gate)
    /// Stores this many bytes, opens the gate, and waits for the client to end the connection.
    case stall(after: Int, reached: Gate)
    /// Stores everything, and ends the connection instead of responding.
    case loseResponse
  }

  /// The server's behaviour. The defaults are correct.
  public struct Behavior: Sendable {
    /// The receptions of the requests with a body, in order. Further ones are complete.
    public var receptions: [Reception] = []
    /// The interop version that the server speaks.
    public var version = 6
    /// The interim responses to the request that creates an upload. Receives the correct one.
    public var interims: @Sendable (_ correct: String) -> [String] = { [$0] }
    /// The response to HEAD. Receives its number, from 0, and the correct response.
    public var head: @Sendable (_ number: Int, _ correct: Reply) -> Reply = { $1 }
    /// The final response to a complete request with a body. Receives the correct response.
    public var final: @Sendable (_ request: ScriptedRequest, _ correct: Reply) -> Reply = { $1 }
    /// Whether to respond to a request before its upload is looked at; nil to continue.
    public var refusal: @Sendable (_ request: ScriptedRequest) -> Reply? = { _ in nil }

    /// Creates the behaviour of a correct server.
    public init() {}
  }

  /// One upload.
  public struct Upload: Sendable {
    /// The bytes that have been stored.
    public var bytes = Data()
    /// Whether the client has marked the upload as complete, and everything has arrived.
    public var isComplete = false
    /// The number of requests so far. Only the latest one may append.
    fileprivate var turn = 0
  }

  fileprivate struct State {
    var uploads: [Upload] = []
    var receptions: [Reception]
    var heads = 0
    var requests: [ScriptedRequest] = []
  }

  /// The underlying server.
  public let server: ScriptedServer
  private let core: Core

  final class Core: Sendable {
    let behavior: Behavior
    fileprivate let state: Mutex<State>

    init(_ behavior: Behavior) {
      self.behavior = behavior
      state = Mutex(State(receptions: behavior.receptions))
    }
  }

  /// Starts a server.
  public init(_ behavior: Behavior = Behavior()) throws {
    let core = Core(behavior)
    self.core = core
    server = try ScriptedServer(recordsRequests: false) { connection in
      while let head = try connection.readHead() {
        guard try core.serve(head, on: connection) else { return }
      }
    }
  }

  /// The uploads, in the order of their creation.
  public var uploads: [Upload] { core.state.withLock { $0.uploads } }

  /// The heads of the requests, without their bodies.
  public var requests: [ScriptedRequest] { core.state.withLock { $0.requests } }

  /// The `http` URL of a path.
  public func url(_ path: String = "/") -> URL { server.url(path) }
}

extension ResumableUploadServer.Core {
  private typealias Server = ResumableUploadServer

  /// Returns false if the connection ends.
  func serve(_ request: ScriptedRequest, on connection: ScriptedConnection) throws -> Bool {
    state.withLock { $0.requests.append(request) }
    if let refusal = behavior.refusal(request) {
      _ = try connection.readBody(of: request)
      try connection.send(request.method == "HEAD" ? refusal.head : refusal.bytes)
      return true
    }
    switch request.method {
    case "HEAD": try connection.send(headReply(request).head)
    case "PATCH": return try append(request, on: connection)
    default: return try create(request, on: connection)
    }
    return true
  }

  private var completenessName: String { behavior.version >= 4 ? "Upload-Complete" : "Upload-Incomplete" }

  private func index(_ request: ScriptedRequest) -> Int? {
    guard request.path.hasPrefix("/uploads/"), let index = Int(request.path.dropFirst(9)) else { return nil }
    return state.withLock { $0.uploads.indices.contains(index) } ? index : nil
  }

  private func headReply(_ request: ScriptedRequest) -> Reply {
    let number = state.withLock { state in
      defer { state.heads += 1 }
      return state.heads
    }
    guard let index = index(request) else { return behavior.head(number, Reply(404)) }
    let upload = state.withLock { state in
      state.uploads[index].turn += 1
      return state.uploads[index]
    }
    let isTrue = upload.isComplete == (behavior.version >= 4)
    return behavior.head(
      number,
      Reply(
        204,
        headers: [
          ("Upload-Offset", "\(upload.bytes.count)"), (completenessName, isTrue ? "?1" : "?0"),
          ("Upload-Draft-Interop-Version", "\(behavior.version)"), ("Cache-Control", "no-store"),
        ], framing: .none))
  }

  private func create(_ request: ScriptedRequest, on connection: ScriptedConnection) throws -> Bool {
    let index = state.withLock { state in
      state.uploads.append(Server.Upload())
      return state.uploads.count - 1
    }
    if request["Upload-Draft-Interop-Version"] == "\(behavior.version)", request[completenessName] != nil {
      let correct =
        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Draft-Interop-Version: \(behavior.version)\r\n"
        + "Location: /uploads/\(index)\r\n\r\n"
      for interim in behavior.interims(correct) { try connection.send(interim) }
    }
    return try receive(request, for: index, on: connection)
  }

  private func append(_ request: ScriptedRequest, on connection: ScriptedConnection) throws -> Bool {
    guard let index = index(request) else {
      _ = try connection.readBody(of: request)
      try connection.send(Reply(404))
      return true
    }
    let offset = state.withLock { $0.uploads[index].bytes.count }
    guard request["Upload-Offset"] == "\(offset)" else {
      _ = try connection.readBody(of: request)
      try connection.send(Reply(409, headers: [("Upload-Offset", "\(offset)")]))
      return true
    }
    return try receive(request, for: index, on: connection)
  }

  private func receive(
    _ request: ScriptedRequest, for index: Int, on connection: ScriptedConnection
  ) throws -> Bool {
    let (reception, turn) = state.withLock { state in
      state.uploads[index].turn += 1
      let reception = state.receptions.isEmpty ? .complete : state.receptions.removeFirst()
      return (reception, state.uploads[index].turn)
    }
    func store(upTo limit: Int = .max) throws {
      try connection.readBody(of: request, upTo: limit) { piece in
        let isLatest = state.withLock { state in
          guard state.uploads[index].turn == turn else { return false }
          state.uploads[index].bytes.append(contentsOf: piece)
          return true
        }
        // Another request for the upload has arrived, which ends this one.
        if !isLatest { throw ScriptedConnection.Ended.byPeer }
      }
      if limit == .max { state.withLock { $0.uploads[index].isComplete = true } }
    }
    switch reception {
    case .complete:
      try store()
      let count = state.withLock { $0.uploads[index].bytes.count }
      let correct = Reply(201, headers: [("Upload-Complete", "?1")], text: "\(count)")
      try connection.send(behavior.final(request, correct))
      return true
    case .cut(let count, let gate):
      try store(upTo: count)
      if let gate { try connection.wait(for: gate) }
      connection.finishSending()
      try connection.readUntilClosed()
    case .reset(let count, let gate):
      try store(upTo: count)
      try connection.wait(for: gate)
      connection.reset()
    case .stall(let count, let gate):
      try store(upTo: count)
      gate.open()
      try connection.readUntilClosed()
    case .loseResponse:
      try store()
      connection.finishSending()
      try connection.readUntilClosed()
    }
    return false
  }
}
