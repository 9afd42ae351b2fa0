import Foundation
import HTTPService
import Synchronization
import TestSupport

@testable import KennelModel
@testable import KennelPeers
@testable import KennelStorage

/// Another kennel's interface for its peers, with its own store.
final class OtherKennel: Sendable {
  private struct State {
    var store: KennelStore
    /// False for an older version that does not send its identity.
    var sendsIdentity = true
  }

  private let state: Mutex<State>
  private let server: HTTPServer

  var port: UInt16 { server.port }

  func address(port: UInt16? = nil) throws -> PeerAddress {
    try PeerAddress("http://127.0.0.1:\(port ?? server.port)")
  }

  init(_ store: KennelStore) throws {
    state = Mutex(State(store: store))
    server = try HTTPServer()
    try server.start { [weak self] request in
      guard let state = self?.state.withLock({ $0 }) else { return HTTPResponse(status: .notFound) }
      return try await Self.answer(request, state)
    }
  }

  /// A different kennel takes over the address.
  func become(_ store: KennelStore) { state.withLock { $0.store = store } }

  func sendIdentity(_ sends: Bool) { state.withLock { $0.sendsIdentity = sends } }

  func stop() async { await server.stop(within: .zero) }

  private static func answer(_ request: HTTPRequest, _ state: State) async throws -> HTTPResponse {
    let store = state.store
    switch request.pathSegments {
    case ["peer", "posts"]:
      let limit = request.query("limit").flatMap { Int($0) } ?? 50
      let posts = try await store.posts.sharedPage(
        after: request.query("after").flatMap { Int64($0) }, limit: limit)
      let next: Any = posts.count < limit ? NSNull() : posts.last.map { $0.id as Any } ?? NSNull()
      var page: [String: Any] = ["posts": posts.map(json), "next": next]
      if state.sendsIdentity { page["kennel"] = json(try await store.lineage()) }
      return HTTPResponse(body: .bytes(try JSONSerialization.data(withJSONObject: page)))
    case ["events"]:
      let listener = try store.events.listen()
      return HTTPResponse(
        body: .stream(endsWhenStopping: true) { writer in
          try await writer.write("{\"id\":0,\"kind\":\"hello\"}\n{\"kind\":\"heartbeat\"}\n")
          for try await delivery in listener {
            guard case .events(let events) = delivery else { continue }
            for event in events where event.kind == .posted {
              try await writer.write("{\"id\":\(event.id),\"kind\":\"post\",\"post\":\(event.post)}\n")
            }
          }
        })
    default:
      guard request.pathSegments.count == 3, let id = Int64(request.pathSegments[1]) else {
        return HTTPResponse(status: .notFound)
      }
      let post = try await store.posts.post(id)
      let photo = try await store.blobs.file(post.photo, byteCount: post.byteCount)
      return try .file(at: photo.path, for: request, contentType: "image/jpeg")
    }
  }

  private static func json(_ lineage: KennelLineage) -> [String: Any] {
    let was = lineage.ancestors.map { ["id": "\($0.identity)", "through": $0.through] as [String: Any] }
    return ["id": "\(lineage.identity)", "was": was]
  }

  static func json(_ post: Post) -> [String: Any] {
    let photo: [String: Any] = [
      "hash": "\(post.photo)", "width": post.facts.width, "height": post.facts.height,
      "format": post.facts.format.rawValue, "bytes": post.byteCount,
    ]
    return [
      "id": post.id, "author": post.authorName, "caption": post.caption,
      "created": post.created.formatted(.iso8601), "photo": photo, "taken": post.taken.iso8601,
      "takenSource": post.taken.source.rawValue,
    ]
  }
}
