import Foundation
import KennelModel

/// The list of all albums.
struct AlbumList {
  let albums: [Album]
  /// The posts whose photos are the covers.
  let covers: [Post.ID: Post]
  let viewer: User?
  let words: Words

  var html: HTML {
    """
    <header class="album-head"><h1>\(words.albums.albums)</h1>\(newAlbum)</header>
    <ul class="albums" id="albums">\(albums.map(item))</ul>
    \(albums.isEmpty ? emptiness : nil)
    """
  }

  private var newAlbum: HTML? {
    guard viewer?.role.maySharePhotos == true else { return nil }
    return """
      <div class="actions scripted"><button class="button" type="button" data-new-album><svg class="icon" aria-hidden="true">\
      <use href="#plus"/></svg>\(words.albums.newAlbum)</button></div>
      """
  }

  private var emptiness: HTML {
    let hint =
      viewer?.role.maySharePhotos == true ? words.albums.howToMakeOne : words.albums.albumsAppearHere
    return """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><h2>\(words.albums.noAlbumsYet)</h2>
      <p>\(hint)</p><a class="button" href="/">\(words.frame.seePhotos)</a></div>
      """
  }

  private func item(_ album: Album) -> HTML {
    let cover = album.cover.flatMap { covers[$0] }.map { post -> HTML in
      """
      <img src="/posts/\(post.id)/thumbnail?size=480" srcset="/posts/\(post.id)/thumbnail?size=480 480w, \
      /posts/\(post.id)/thumbnail?size=960 960w" sizes="(max-width: 40em) 50vw, 18rem" alt="" loading="lazy" \
      decoding="async">
      """
    }
    let nothing: HTML = "<svg class=\"mark\" aria-hidden=\"true\"><use href=\"#mark\"/></svg>"
    return """
      <li data-album="\(album.id)"><a href="/albums/\(album.id)"><span class="cover">\(cover ?? nothing)</span>\
      <span class="name" dir="auto">\(album.title)</span><span class="count">\(words.frame.photoCount(album.postCount))</span></a></li>

      """
  }
}

/// The head of the page of an album: its title, what is known of it, and what the viewer can do with it.
struct AlbumHead {
  let album: Album
  let viewer: User?
  let words: Words

  var html: HTML {
    let isOpen = album.isOpen ? words.albums.allCanAdd : ""
    return """
      <p class="back"><a href="/albums"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>\(words.albums.albums)</a></p>
      <header class="album-head" id="shown-album" data-album="\(album.id)" data-may-edit="\(album.mayEdit(viewer) ? "yes" : "no")">
      <div><h1 dir="auto">\(album.title)</h1>
      <p class="about-album">\(words.about(album))\(isOpen)</p></div>
      <div class="actions">\(download)\(editing)</div>
      </header>
      """
  }

  private var download: HTML? {
    guard album.postCount > 0 else { return nil }
    return """
      <a class="quiet button" href="/albums/\(album.id)/zip" download><svg class="icon" aria-hidden="true">\
      <use href="#original"/></svg>\(words.frame.download)</a>
      """
  }

  private var editing: HTML? {
    guard album.mayEdit(viewer) else { return nil }
    // A viewer may still have an album of earlier, but no links to it (``Posts/makeLink(to:by:lifetime:)``).
    let share: HTML? =
      viewer?.role.maySharePhotos == true
      ? """
      <button class="quiet button scripted" type="button" data-share="/albums/\(album.id)">\
      <svg class="icon" aria-hidden="true"><use href="#link"/></svg>\(words.albums.share)</button>
      """ : nil
    return """
      \(share)\
      <button class="quiet button scripted" type="button" data-edit-album>\
      <svg class="icon" aria-hidden="true"><use href="#pencil"/></svg>\(words.frame.edit)</button>\
      <button class="quiet button scripted" type="button" data-delete-album>\
      <svg class="icon" aria-hidden="true"><use href="#bin"/></svg>\(words.frame.delete)</button>
      """
  }

  var emptiness: HTML {
    let hint = album.mayAdd(viewer) ? words.albums.howToAdd : words.albums.photosAppearHere
    return """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><h2>\(words.albums.noPhotos)</h2>
      <p>\(hint)</p><a class="button" href="/">\(words.albums.seeAllPhotos)</a></div>
      """
  }
}

extension Words {
  /// The number of photos of an album, and its owner.
  func about(_ album: Album) -> HTML {
    albums.about(frame.photoCount(album.postCount), "<bdi>\(album.ownerName)</bdi>")
  }
}

extension PageRenderer {
  /// Renders the page with all albums.
  ///
  /// - Parameter covers: the posts whose photos are the covers.
  package func albums(
    _ albums: [Album], covers: [Post], viewer: User?, lastEvent: Int64? = nil
  ) async throws(CancellationError) -> String {
    let covers = Dictionary(covers.map { ($0.id, $0) }) { first, _ in first }
    return PageFrame(
      title: "\(words.albums.albums) · \(title)", site: title, viewer: viewer, place: .albums,
      lastEvent: lastEvent,
      words: words
    ).document(AlbumList(albums: albums, covers: covers, viewer: viewer, words: words).html)
  }

  /// Renders the page of an album.
  package func album(
    _ album: Album, posts page: PostPage, viewer: User?, isFirst: Bool = true, lastEvent: Int64? = nil
  ) async throws(CancellationError) -> String {
    let head = AlbumHead(album: album, viewer: viewer, words: words)
    let photos = try await list(
      page, at: "/albums/\(album.id)", isFirst: isFirst, emptiness: head.emptiness)
    return PageFrame(
      title: "\(album.title) · \(title)", site: title, viewer: viewer, place: .album, lastEvent: lastEvent,
      words: words
    ).document("\(head.html)\(photos)")
  }
}
