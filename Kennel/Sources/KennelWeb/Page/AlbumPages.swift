import Foundation
import KennelModel

/// The list of all albums.
struct AlbumList {
  let albums: [Album]
  /// The posts whose photos are the covers.
  let covers: [Post.ID: Post]
  let viewer: User?

  var html: HTML {
    """
    <header class="album-head"><h1>Albums</h1>\(newAlbum)</header>
    <ul class="albums" id="albums">\(albums.map(item))</ul>
    \(albums.isEmpty ? emptiness : nil)
    """
  }

  private var newAlbum: HTML? {
    guard viewer?.role.maySharePhotos == true else { return nil }
    return """
      <div class="actions scripted"><button class="button" type="button" data-new-album><svg class="icon" aria-hidden="true">\
      <use href="#plus"/></svg>New album</button></div>
      """
  }

  private var emptiness: HTML {
    let hint: HTML =
      viewer?.role.maySharePhotos == true
      ? "Open the menu of your account, choose “Select photos”, then add the photos to an album."
      : "Albums that others make appear here."
    return """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><h2>No albums yet</h2>
      <p>\(hint)</p><a class="button" href="/">See the photos</a></div>
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
      <span class="name" dir="auto">\(album.title)</span><span class="count">\(album.countInWords)</span></a></li>

      """
  }
}

/// The head of the page of an album: its title, what is known of it, and what the viewer can do with it.
struct AlbumHead {
  let album: Album
  let viewer: User?

  var html: HTML {
    let isOpen: HTML? = album.isOpen ? " · all members can add photos" : nil
    return """
      <p class="back"><a href="/albums"><svg class="icon" aria-hidden="true"><use href="#left"/></svg>Albums</a></p>
      <header class="album-head" id="shown-album" data-album="\(album.id)" data-may-edit="\(album.mayEdit(viewer) ? "yes" : "no")">
      <div><h1 dir="auto">\(album.title)</h1>
      <p class="about-album">\(album.countInWords) · by <bdi>\(album.ownerName)</bdi>\(isOpen)</p></div>
      <div class="actions">\(download)\(editing)</div>
      </header>
      """
  }

  private var download: HTML? {
    guard album.postCount > 0 else { return nil }
    return """
      <a class="quiet button" href="/albums/\(album.id)/zip" download><svg class="icon" aria-hidden="true">\
      <use href="#original"/></svg>Download</a>
      """
  }

  private var editing: HTML? {
    guard album.mayEdit(viewer) else { return nil }
    return """
      <button class="quiet button scripted" type="button" data-share="/albums/\(album.id)">\
      <svg class="icon" aria-hidden="true"><use href="#link"/></svg>Share</button>\
      <button class="quiet button scripted" type="button" data-edit-album>\
      <svg class="icon" aria-hidden="true"><use href="#pencil"/></svg>Edit</button>\
      <button class="quiet button scripted" type="button" data-delete-album>\
      <svg class="icon" aria-hidden="true"><use href="#bin"/></svg>Delete</button>
      """
  }

  var emptiness: HTML {
    let hint: HTML =
      album.mayAdd(viewer)
      ? "Open the menu of your account, choose “Select photos”, then add the photos to this album."
      : "Photos in this album appear here."
    return """
      <div class="empty"><svg class="mark" aria-hidden="true"><use href="#mark"/></svg><h2>No photos in this album</h2>
      <p>\(hint)</p><a class="button" href="/">See all photos</a></div>
      """
  }
}

extension Album {
  /// The number of photos in words, such as `12 photos`.
  var countInWords: String { postCount == 1 ? "1 photo" : "\(postCount) photos" }
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
      title: "Albums · \(title)", site: title, viewer: viewer, place: .albums, lastEvent: lastEvent
    ).document(AlbumList(albums: albums, covers: covers, viewer: viewer).html)
  }

  /// Renders the page of an album.
  package func album(
    _ album: Album, posts page: PostPage, viewer: User?, isFirst: Bool = true, lastEvent: Int64? = nil
  ) async throws(CancellationError) -> String {
    let head = AlbumHead(album: album, viewer: viewer)
    let photos = try await list(
      page, at: "/albums/\(album.id)", isFirst: isFirst, emptiness: head.emptiness)
    return PageFrame(
      title: "\(album.title) · \(title)", site: title, viewer: viewer, place: .album, lastEvent: lastEvent
    ).document("\(head.html)\(photos)")
  }
}
