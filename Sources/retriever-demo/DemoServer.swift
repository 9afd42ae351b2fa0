import Foundation
import Synchronization
import TestSupport

/// The server that the demonstration loads from. It runs in this process on its own port, with real sockets.
final class DemoServer: Sendable {
  static let photo = Data((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })
  static let realm = "the kennel"
  static let user = "dog"
  static let password = "biscuit"

  let favourites = LiveStream(
    "application/x-ndjson",
    [("bella", 12), ("momo", 7), ("rex", 31), ("bella", 13)].map {
      "{\"photo\":\"\($0)\",\"favourites\":\($1)}\n"
    })
  let barks = LiveStream(
    "text/event-stream",
    [
      ": welcome\n\nid: 1\nevent: bark\ndata: woof\n\n",
      "id: 2\nevent: bark\ndata: woof\ndata: woof\n\n",
      "id: 3\nevent: quiet\nretry: 1500\ndata: asleep\n\n",
    ])
  /// Opens when a request arrives that gets no response.
  let isHolding = Gate()

  private let http: ScriptedServer

  init() throws {
    // Creates the photo now, so that it does not count toward the time of a step.
    _ = Self.photo
    // Captures only what the handler needs, because `self` is not initialized yet.
    let (favourites, barks, isHolding) = (favourites, barks, isHolding)
    http = try ScriptedServer { connection in
      while let request = try connection.nextRequest() {
        switch request.path {
        case "/favourites": try favourites.send(on: connection)
        case "/barks": try barks.send(on: connection)
        case "/hold":
          isHolding.open()
          return try connection.readUntilClosed()
        default: try connection.send(Self.reply(to: request))
        }
      }
    }
  }

  func url(_ path: String) -> URL { http.url(path) }
  var address: String { http.authority }

  func requestCount(_ path: String) -> Int { http.requests.count { $0.path == path } }

  /// Returns the number of connections that carried the requests for a path.
  func connections(servingPath path: String) -> Int {
    Set(http.requests.lazy.filter { $0.path == path }.map(\.connection)).count
  }

  private static func reply(to request: ScriptedRequest) -> Reply {
    switch (request.method, request.path) {
    case ("GET", "/photo"):
      Reply(headers: [("Content-Type", "image/jpeg")], body: photo)
    case ("GET", "/dogs"):
      Reply(
        headers: [("Content-Type", "application/json")],
        text: #"[{"name":"Bella","age":3},{"name":"Momo","age":7},{"name":"Rex","age":5}]"#)
    case ("POST", "/photos"):
      Reply(201, headers: [("Location", "/photos/1")], text: "\(checksum(request.body))")
    case ("GET", "/private"): signIn(request)
    case ("GET", "/old"): .redirect(to: "new/home")
    case ("GET", "/new/home"): Reply(text: "home")
    case ("GET", "/small"): Reply(text: "woof")
    default: Reply(404, text: "There is nothing here.")
    }
  }

  private static func signIn(_ request: ScriptedRequest) -> Reply {
    let expected = "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
    guard request["Authorization"] == expected else {
      return Reply(401, headers: [("WWW-Authenticate", "Basic realm=\"\(realm)\"")], text: "Who is there?")
    }
    return Reply(text: "Good dog.")
  }

  /// Calculates an FNV-1a checksum, which is sufficient to compare sent and received data.
  static func checksum(_ data: Data) -> UInt64 {
    data.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
