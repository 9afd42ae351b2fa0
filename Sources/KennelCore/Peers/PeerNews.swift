import Foundation

/// What another kennel tells of itself, as far as it matters here.
package enum PeerNews: Sendable, Hashable {
  /// The link is open: what was posted before is to be asked for.
  case opened
  /// There is a new post.
  case posted(Int64)
  /// Something was missed: what there is is to be asked for.
  case lost
}

/// Makes news of the lines that another kennel sends: a pure value.
struct PeerNewsParser: Sendable {
  /// The longest line that is waited for to end.
  static let lineLimit = 64 << 10

  private struct Shape: Decodable {
    var kind: String
    var post: Int64?
  }

  private var line: [UInt8] = []

  /// More bytes.
  ///
  /// - Throws: `badPeer` for what no kennel sends.
  mutating func append(_ bytes: some Sequence<UInt8>) throws(KennelError) -> [PeerNews] {
    var news: [PeerNews] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let one = try Self.news(line) { news.append(one) }
        line.removeAll(keepingCapacity: true)
      } else {
        guard line.count < Self.lineLimit else {
          throw KennelError(.badPeer, "The other kennel sends a line without end.")
        }
        line.append(byte)
      }
    }
    return news
  }

  private static func news(_ line: [UInt8]) throws(KennelError) -> PeerNews? {
    if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { return nil }
    guard let shape = try? JSONDecoder().decode(Shape.self, from: Data(line)) else {
      throw KennelError(
        .badPeer, "What is at that address tells no news as a kennel does. Check the address.")
    }
    switch shape.kind {
    case "hello": return .opened
    case "post": return shape.post.map { .posted($0) }
    case "lost": return .lost
    // Heartbeats, hearts, comments, and what a later version may tell of.
    default: return nil
    }
  }
}
