import Foundation
import KennelStorage

/// An event from another kennel, as far as it matters for a sync.
package enum PeerEvent: Sendable, Hashable {
  /// The link is open. Earlier posts have to be requested.
  case opened
  /// A new post exists.
  case posted(Int64)
  /// Events were lost. The posts have to be requested.
  case lost
}

/// Parses the lines that another kennel sends. A pure value.
struct PeerEventParser: Sendable {
  /// The maximum length of a line.
  static let maximumLineLength = 64 << 10

  private struct Shape: Decodable {
    var kind: String
    var post: Int64?
  }

  private var line: [UInt8] = []

  /// Parses more bytes.
  ///
  /// - Throws: `badPeer` if the bytes are not valid.
  mutating func append(_ bytes: some Sequence<UInt8>) throws(KennelError) -> [PeerEvent] {
    var events: [PeerEvent] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let event = try Self.event(line) { events.append(event) }
        line.removeAll(keepingCapacity: true)
      } else {
        guard line.count < Self.maximumLineLength else {
          throw KennelError(.badPeer, "The other kennel sent a line that is too long.")
        }
        line.append(byte)
      }
    }
    return events
  }

  private static func event(_ line: [UInt8]) throws(KennelError) -> PeerEvent? {
    if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { return nil }
    guard let shape = try? JSONDecoder().decode(Shape.self, from: Data(line)) else {
      throw KennelError(
        .badPeer, "The server at this address does not send events like a kennel. Check the address.")
    }
    switch shape.kind {
    case "hello": return .opened
    case "post": return shape.post.map { .posted($0) }
    case "lost": return .lost
    // Heartbeats, hearts, comments, and the events of later versions.
    default: return nil
    }
  }
}
