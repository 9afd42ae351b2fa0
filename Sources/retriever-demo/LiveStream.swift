import Foundation
import Synchronization
import TestSupport

/// A body whose pieces the server sends on request, with the time at which each piece was sent.
final class LiveStream: Sendable {
  let pieces: [String]
  private let contentType: String
  private let gates: [Gate]
  private let departures: Mutex<[ContinuousClock.Instant]> = Mutex([])

  init(_ contentType: String, _ pieces: [String]) {
    self.contentType = contentType
    self.pieces = pieces
    gates = pieces.map { _ in Gate() }
  }

  /// Requests a piece, which is sent immediately.
  func ask(for index: Int) {
    if gates.indices.contains(index) { gates[index].open() }
  }

  /// Returns the time since a piece was written to the server's socket.
  func age(of index: Int) -> Duration? {
    let departure = departures.withLock { $0.indices.contains(index) ? $0[index] : nil }
    return departure.map { .now - $0 }
  }

  /// Sends a chunked response on the server. Each chunk is sent when it is requested.
  func send(on connection: ScriptedConnection) throws {
    try connection.send(
      "HTTP/1.1 200 OK\r\nContent-Type: \(contentType)\r\nTransfer-Encoding: chunked\r\n\r\n")
    for (piece, gate) in zip(pieces, gates) {
      try connection.wait(for: gate)
      departures.withLock { $0.append(.now) }
      try connection.send("\(String(piece.utf8.count, radix: 16))\r\n\(piece)\r\n")
    }
    try connection.send("0\r\n\r\n")
  }
}
