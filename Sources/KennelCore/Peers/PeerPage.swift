import Foundation

/// A post as another kennel offers it.
struct PeerPost: Sendable, Hashable {
  var id: Int64
  var author: String
  var caption: String
  var created: Date
  var hash: PhotoHash
  var byteCount: Int
}

/// A page of what another kennel offers. Nothing in it is believed before it was looked at.
struct PeerPage: Sendable {
  /// How many posts are asked for.
  static let limit = 100
  /// The longest caption is 8,000 bytes, each of which may be escaped as six.
  static let byteLimit = 8 << 20

  /// A post that can be taken, or why not.
  enum Offer: Sendable, Hashable {
    case post(PeerPost)
    case refused(id: Int64, reason: String)

    var id: Int64 {
      switch self {
      case .post(let post): post.id
      case .refused(let id, _): id
      }
    }
  }

  var offers: [Offer]
  /// Which kennel it is; nil for one of before kennels told.
  var lineage: KennelLineage?
  /// Whether more follow.
  var isLast: Bool

  fileprivate struct Shape: Decodable {
    struct Post: Decodable {
      struct Photo: Decodable {
        var hash: String
        var width: Int
        var height: Int
        var bytes: Int
      }

      var id: Int64
      var author: String
      var caption: String
      var created: String
      var photo: Photo
    }

    struct Kennel: Decodable {
      struct Ancestor: Decodable {
        var id: String
        var through: Int64
      }

      var id: String
      var was: [Ancestor]?
    }

    var kennel: Kennel?
    var posts: [Post]
    var next: Int64?
  }

  /// - Parameter cursor: the id after which the page was asked for.
  /// - Throws: `badPeer` when it is no page.
  init(_ data: Data, after cursor: Int64, photoSizeLimit: Int) throws(KennelError) {
    let shape: Shape
    do {
      shape = try JSONDecoder().decode(Shape.self, from: data)
    } catch {
      throw KennelError(
        .badPeer, "What is at that address gives no posts as a kennel does. Check the address.")
    }
    var last = cursor
    for post in shape.posts {
      guard post.id > last else {
        throw KennelError(.badPeer, "The other kennel gives its posts out of order. It may need an update.")
      }
      last = post.id
    }
    guard shape.posts.count <= Self.limit, shape.next == nil || (shape.next == last && last > cursor) else {
      throw KennelError(.badPeer, "The other kennel gives pages that do not follow each other.")
    }
    lineage = try shape.kennel.map { kennel throws(KennelError) in try KennelLineage(kennel) }
    isLast = shape.next == nil
    offers = shape.posts.map { post in
      do throws(KennelError) {
        return .post(try PeerPost(post, photoSizeLimit: photoSizeLimit))
      } catch {
        return .refused(id: post.id, reason: error.description)
      }
    }
  }
}

extension KennelLineage {
  fileprivate init(_ kennel: PeerPage.Shape.Kennel) throws(KennelError) {
    guard let identity = KennelIdentity(kennel.id) else {
      throw KennelError(
        .badPeer, "The other kennel tells in an unknown way which one it is. This one may need an update.")
    }
    self.init(identity: identity)
    ancestors = (kennel.was ?? []).prefix(Self.limit).compactMap { ancestor in
      KennelIdentity(ancestor.id).map { Ancestor(identity: $0, through: max(ancestor.through, 0)) }
    }
  }
}

extension PeerPost {
  fileprivate init(_ post: PeerPage.Shape.Post, photoSizeLimit: Int) throws(KennelError) {
    try TextRules.check(post.caption, TextRules.caption, name: "caption")
    guard let author = try? UserName(post.author) else {
      throw KennelError(.badName, "Its author's name is none that a kennel has.")
    }
    guard let created = try? Date(post.created, strategy: .iso8601) else {
      throw KennelError(.badPeer, "Its date is none.")
    }
    guard let hash = PhotoHash(post.photo.hash), post.photo.bytes > 0, post.photo.width > 0,
      post.photo.height > 0
    else { throw KennelError(.badPhoto, "What is said of its photo cannot be true.") }
    let (pixels, isTooMuch) = post.photo.width.multipliedReportingOverflow(by: post.photo.height)
    guard !isTooMuch, pixels <= PhotoInspector.pixelLimit, post.photo.bytes <= photoSizeLimit else {
      throw .photoTooLarge
    }
    self.init(
      id: post.id, author: author.text, caption: post.caption, created: created, hash: hash,
      byteCount: post.photo.bytes)
  }
}
