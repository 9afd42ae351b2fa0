/// The dialogs with which albums are made and changed. They contain no outside data.
enum AlbumDialogs {
  static let all = HTML([edit, add])

  /// Makes or changes an album.
  private static let edit: HTML = """
    <dialog id="edit-album" class="sheet" aria-labelledby="edit-album-title">
    <form>
    <h2 id="edit-album-title">New album</h2>
    <label for="edit-album-name">Title</label>
    <input id="edit-album-name" name="title" maxlength="100" required autocomplete="off">
    <label class="choice"><input type="checkbox" name="open"><span>All members can add photos</span></label>
    <p class="error" role="alert"></p>
    <div class="choices"><button class="button" type="button" data-close>Cancel</button>\
    <button class="button primary" type="submit">Save</button></div>
    </form>
    </dialog>
    """

  /// Adds the selected photos to an album, or to a new one.
  private static let add: HTML = """
    <dialog id="add-to-album" class="sheet" aria-labelledby="add-to-album-title">
    <form>
    <h2 id="add-to-album-title">Add to album</h2>
    <label for="add-to-album-album">Album</label>
    <select id="add-to-album-album" name="album"></select>
    <div class="new-album"><label for="add-to-album-name">Title of the new album</label>\
    <input id="add-to-album-name" name="title" maxlength="100" autocomplete="off"></div>
    <p class="error" role="alert"></p>
    <div class="choices"><button class="button" type="button" data-close>Cancel</button>\
    <button class="button primary" type="submit">Add</button></div>
    </form>
    </dialog>
    """
}
