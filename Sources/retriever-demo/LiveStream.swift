import Foundation
import Synchronization
import TestSupport

/// Pieces that a server sends one by one, each when it is asked for, and when each of them went out.
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

  /// Asks for a piece; it is sent at once.
  func ask(for index: Int) {
    if gates.indices.contains(index) { gates[index].open() }
  }

  /// How long ago a piece was handed to the server's socket.
  func age(of index: Int) -> Duration? {
    let departure = departures.withLock { $0.indices.contains(index) ? $0[index] : nil }
    return departure.map { .now - $0 }
  }

  /// The server's side: a chunked response, each chunk when its time has come.
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
