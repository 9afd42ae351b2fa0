import Foundation
import KennelModel
import KennelStorage

/// A page of posts that another kennel offers. Everything in it is validated before it is used.
struct PeerPage: Sendable {
  /// The number of posts that are requested.
  static let pageSize = 100
  /// The maximum size of a page. A caption has up to 8,000 bytes, each of which may be escaped as six.
  static let maximumByteCount = 8 << 20

  /// A post that can be taken, or the reason why it cannot.
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
  /// The identity of the kennel, or nil for an older version that does not send it.
  var lineage: KennelLineage?
  /// Whether this is the last page.
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
      /// When the photo was taken; older versions do not send it.
      var taken: String?
      var takenSource: String?
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

  /// - Parameter cursor: the id after which the page was requested.
  /// - Throws: `badPeer` if the page is not valid.
  init(_ data: Data, after cursor: Int64, maximumPhotoSize: Int) throws(KennelError) {
    let shape: Shape
    do {
      shape = try JSONDecoder().decode(Shape.self, from: data)
    } catch {
      throw KennelError(
        .badPeer, "The server at this address does not send posts like a kennel. Check the address.")
    }
    var last = cursor
    for post in shape.posts {
      guard post.id > last else {
        throw KennelError(.badPeer, "The other kennel sent posts out of order. It may need an update.")
      }
      last = post.id
    }
    guard shape.posts.count <= Self.pageSize, shape.next == nil || (shape.next == last && last > cursor)
    else {
      throw KennelError(.badPeer, "The other kennel sent pages that are not consecutive.")
    }
    lineage = try shape.kennel.map { kennel throws(KennelError) in try KennelLineage(kennel) }
    isLast = shape.next == nil
    offers = shape.posts.map { post in
      do throws(KennelError) {
        return .post(try PeerPost(post, maximumPhotoSize: maximumPhotoSize))
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
        .badPeer, "The other kennel sent an identity in an unknown format. This kennel may need an update.")
    }
    self.init(identity: identity)
    ancestors = (kennel.was ?? []).prefix(Self.maximumAncestorCount).compactMap { ancestor in
      KennelIdentity(ancestor.id).map { Ancestor(identity: $0, through: max(ancestor.through, 0)) }
    }
  }
}

extension PeerPost {
  fileprivate init(_ post: PeerPage.Shape.Post, maximumPhotoSize: Int) throws(KennelError) {
    try TextRules.check(post.caption, TextRules.caption, name: "caption")
    guard let author = try? UserName(post.author) else {
      throw KennelError(.badName, "The author's name is not valid.")
    }
    guard let created = try? Date(post.created, strategy: .iso8601) else {
      throw KennelError(.badPeer, "The date is not valid.")
    }
    // A later version may know other sources. An impossible time counts as unknown when the post is stored.
    let source = post.takenSource.flatMap { TakenTime.Source(rawValue: $0) } ?? .camera
    let taken = post.taken.flatMap { TakenTime($0, in: .gmt, source: source) }
    guard let hash = PhotoHash(post.photo.hash), post.photo.bytes > 0, post.photo.width > 0,
      post.photo.height > 0
    else { throw KennelError(.badPhoto, "The properties of the photo are not valid.") }
    let (pixels, isTooMuch) = post.photo.width.multipliedReportingOverflow(by: post.photo.height)
    guard !isTooMuch, pixels <= PhotoInspector.maximumPixelCount, post.photo.bytes <= maximumPhotoSize else {
      throw .photoTooLarge
    }
    self.init(
      id: post.id, author: author.text, caption: post.caption, created: created, taken: taken, hash: hash,
      byteCount: post.photo.bytes)
  }
}
