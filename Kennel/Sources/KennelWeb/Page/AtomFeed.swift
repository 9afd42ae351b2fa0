import Foundation
import KennelModel
import KennelStorage

/// A feed of new photos in the format Atom (RFC 4287).
struct AtomFeed {
  /// The maximum length of a thumbnail's longer side.
  static let thumbnailSize = 640

  /// The name of the kennel.
  let site: String
  /// The beginning of all addresses, such as `https://kennel.example`.
  let base: String
  /// The path of the feed. The thumbnails are below it.
  let path: String
  let reader: User.ID
  /// When the feed was made.
  let created: Date
  let posts: [Post]
  let lineage: KennelLineage
  let words: PhotoWords

  var document: Data {
    let updated = posts.map(Self.updated).max() ?? created
    let oldest = lineage.ancestors.last?.identity ?? lineage.identity
    // Atom is XML, in which text is escaped like in HTML.
    let feed: HTML = """
      <?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">
      <id>\(Self.identifier(oldest, "feed \(reader)"))</id>
      <title>\(Self.clean(site))</title>
      <updated>\(updated.iso8601)</updated>
      <link rel="self" type="application/atom+xml" href="\(Self.clean(base + path))"/>
      <link rel="alternate" type="text/html" href="\(Self.clean(base))/"/>
      <generator>Kennel</generator>
      \(posts.map(entry))</feed>

      """
    return Data(feed.text.utf8)
  }

  private static func updated(_ post: Post) -> Date { post.edited ?? post.created }

  private func entry(_ post: Post) -> HTML {
    let picture = PhotoPicture(post: post, placeholder: "", words: words)
    let name = Self.clean(picture.alternative)
    let page = Self.clean("\(base)/photos/\(post.id)")
    let (width, height) = picture.size(within: Self.thumbnailSize)
    let thumbnail = Self.clean("\(base)\(path)/\(post.id)/thumbnail?size=\(Self.thumbnailSize)&format=jpeg")
    let caption: HTML? = post.caption.isEmpty ? nil : "<p>\(Self.clean(post.caption))</p>"
    let content: HTML = """
      <p><a href="\(page)"><img src="\(thumbnail)" width="\(width)" height="\(height)" alt="\(name)"></a></p>\(caption)
      """
    return """
      <entry>
      <id>\(Self.identifier(lineage.identity(ofPost: post.id), "post \(post.id)"))</id>
      <title>\(Self.clean(picture.shortName))</title>
      <published>\(post.created.iso8601)</published>
      <updated>\(Self.updated(post).iso8601)</updated>
      <author><name>\(Self.clean(post.shownAuthor))</name></author>
      <link rel="alternate" type="text/html" href="\(page)"/>
      <content type="html">\(content.text)</content>
      <media:thumbnail url="\(thumbnail)" width="\(width)" height="\(height)"/>
      </entry>

      """
  }

  /// Returns an identifier that stays the same when the address or the name of the kennel changes, and in restored backups.
  private static func identifier(_ identity: KennelIdentity, _ name: String) -> String {
    var bytes = Array(Sodium.sha256(Array("\(identity) \(name)".utf8)).prefix(16))
    // Version 8 of RFC 9562: the other bits have no meaning for others.
    bytes[6] = bytes[6] & 0x0f | 0x80
    bytes[8] = bytes[8] & 0x3f | 0x80
    let digits = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { digits[$0].joined() }
    return "urn:uuid:" + groups.joined(separator: "-")
  }

  /// Replaces the two characters that HTML allows and XML does not. All others are replaced when the text is escaped.
  private static func clean(_ text: String) -> String {
    text.unicodeScalars.contains { $0.value & 0xfffe == 0xfffe && $0.value < 0x10000 }
      ? String(
        String.UnicodeScalarView(text.unicodeScalars.map { 0xfffe...0xffff ~= $0.value ? "\u{FFFD}" : $0 }))
      : text
  }
}
