/// The dialogs with which albums are made and changed. They contain no outside data.
struct AlbumDialogs {
  let frame: FrameWords
  let words: DialogWords

  var all: HTML { HTML([edit, add]) }

  /// Makes or changes an album.
  private var edit: HTML {
    """
    <dialog id="edit-album" class="sheet" aria-labelledby="edit-album-title">
    <form>
    <h2 id="edit-album-title">\(words.newAlbum)</h2>
    <label for="edit-album-name">\(words.albumTitle)</label>
    <input id="edit-album-name" name="title" maxlength="100" required autocomplete="off">
    <label class="choice"><input type="checkbox" name="open"><span>\(words.membersCanAdd)</span></label>
    <p class="error" role="alert"></p>
    \(PageDialogs.choices(frame.cancel, submit: frame.save))
    </form>
    </dialog>
    """
  }

  /// Adds the selected photos to an album, or to a new one.
  private var add: HTML {
    """
    <dialog id="add-to-album" class="sheet" aria-labelledby="add-to-album-title">
    <form>
    <h2 id="add-to-album-title">\(words.addToAlbumTitle)</h2>
    <label for="add-to-album-album">\(words.album)</label>
    <select id="add-to-album-album" name="album"></select>
    <div class="new-album"><label for="add-to-album-name">\(words.newAlbumTitle)</label>\
    <input id="add-to-album-name" name="title" maxlength="100" autocomplete="off"></div>
    <p class="error" role="alert"></p>
    \(PageDialogs.choices(frame.cancel, submit: words.add))
    </form>
    </dialog>
    """
  }
}
