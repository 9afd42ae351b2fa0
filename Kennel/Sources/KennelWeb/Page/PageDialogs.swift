/// The dialogs that scripts open over a page. They contain no outside data.
enum PageDialogs {
  static let all = HTML([
    lightbox, signIn, upload, edit, links, visibility, confirmation, selection, drop, news,
    AlbumDialogs.all,
  ])

  private static let lightbox: HTML = """
    <dialog id="lightbox" aria-label="Photo" tabindex="-1">
    <p class="hidden-text" aria-live="polite"></p>
    <div class="place"></div>
    <button class="round close" type="button" data-close aria-label="Close"><svg class="icon" aria-hidden="true">\
    <use href="#close"/></svg></button>
    <button class="round previous" type="button" aria-label="Newer photo"><svg class="icon" aria-hidden="true">\
    <use href="#left"/></svg></button>
    <button class="round next" type="button" aria-label="Older photo"><svg class="icon" aria-hidden="true">\
    <use href="#right"/></svg></button>
    </dialog>
    """

  /// The fields of the forms with which a visitor signs in. Each has a prefix for its identifiers.
  static func signInFields(_ prefix: String, hasFocus: Bool = false) -> HTML {
    """
    <label for="\(prefix)-name">Name</label>
    <input id="\(prefix)-name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" \
    required\(hasFocus ? " autofocus" as HTML : nil)>
    <label for="\(prefix)-password">Password</label>
    <input id="\(prefix)-password" name="password" type="password" autocomplete="current-password" required>
    """
  }

  private static let signIn: HTML = """
    <dialog id="sign-in" class="sheet" aria-labelledby="sign-in-title">
    <form method="post" action="/session">
    <svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
    <h2 id="sign-in-title">Sign in</h2>
    <p class="why" hidden></p>
    \(signInFields("sign-in"))
    <p class="error" role="alert"></p>
    <div class="choices"><button class="button" type="button" data-close>Cancel</button>\
    <button class="button primary" type="submit">Sign in</button></div>
    </form>
    </dialog>
    """

  private static let upload: HTML = """
    <dialog id="upload" class="sheet wide" aria-labelledby="upload-title">
    <form>
    <h2 id="upload-title">Share photos</h2>
    <ul class="chosen"></ul>
    <p class="hint"><button class="link" type="button" data-choose>Choose more</button><span>, drop them here, or \
    paste them.</span></p>
    <label class="choice"><input type="checkbox" name="place"><span>Others also get the camera data, such as the \
    place</span></label>
    <div class="foot"><p class="error" role="alert"></p>
    <div class="total" hidden><p role="status"></p><progress aria-label="Photos" max="1" value="0"></progress></div>
    <div class="choices"><button class="button" type="button" data-close>Cancel</button>\
    <button class="button primary" type="submit">Share</button></div></div>
    </form>
    </dialog>
    <input id="upload-files" type="file" accept="image/jpeg,image/png,image/webp,image/gif,image/avif" multiple hidden \
    aria-label="Photos to share">
    <template id="chosen-photo"><li><span class="preview"><img alt="" loading="lazy" decoding="async"></span>
    <div><label><span class="hidden-text">Caption for <span class="file"></span></span>\
    <textarea name="caption" rows="2" maxlength="2000" placeholder="Caption (optional)"></textarea></label>
    <progress max="1" value="0" hidden></progress><p class="state"></p></div>
    <button class="quiet" type="button" data-remove><svg class="icon" aria-hidden="true"><use href="#close"/></svg>\
    <span class="hidden-text">Remove <span class="file"></span></span></button></li></template>
    """

  private static let edit: HTML = """
    <dialog id="edit" class="sheet" aria-labelledby="edit-title">
    <form>
    <h2 id="edit-title">Edit photo</h2>
    <label for="edit-caption">Caption</label>
    <textarea id="edit-caption" name="caption" rows="2" maxlength="2000"></textarea>
    <label for="edit-taken">Taken on</label>
    <input id="edit-taken" name="taken" type="datetime-local" min="1826-01-01T00:00" aria-describedby="edit-zone">
    <p class="hint" id="edit-zone">Local time at the place of the photo.</p>
    <p class="error" role="alert"></p>
    <div class="choices"><button class="button" type="button" data-close>Cancel</button>\
    <button class="button primary" type="submit">Save</button></div>
    </form>
    </dialog>
    """

  private static let links: HTML = """
    <dialog id="links" class="sheet" aria-labelledby="links-title">
    <form>
    <h2 id="links-title">Share with a link</h2>
    <p class="why" data-of="photo">Anyone who has the link can see this photo, its caption and the name of its author, without \
    an account.</p>
    <p class="why" data-of="album" hidden>Anyone who has the link can see the photos of this album, their captions and the \
    names of their authors, without an account. This includes photos that are added later.</p>
    <label for="links-days">The link works</label>
    <select id="links-days" name="days"><option value="1">for 1 day</option><option value="7" selected>for 7 days</option>\
    <option value="30">for 30 days</option><option value="">until it is revoked</option></select>
    <div class="made" hidden><label for="links-new">The new link is shown only now</label>\
    <input id="links-new" readonly><button class="button" type="button">Copy</button></div>
    <p class="error" role="alert"></p>
    <div class="choices"><button class="button" type="button" data-close>Close</button>\
    <button class="button primary" type="submit">Make a link</button></div>
    </form>
    <ul aria-label="Existing links" hidden></ul>
    </dialog>
    <template id="made-link"><li><p></p><button class="quiet button" type="button">Revoke</button></li></template>
    """

  private static let visibility: HTML = """
    <dialog id="visibility" class="sheet" aria-labelledby="visibility-title">
    <form>
    <h2 id="visibility-title">Who can see the photos?</h2>
    <p class="why undecided" hidden>This kennel was made with an earlier version. Until you decide, everyone who reaches it \
    sees the photos, as before.</p>
    <label class="choice"><input type="radio" name="visibility" value="people"><span>Only people with an account</span></label>
    <label class="choice"><input type="radio" name="visibility" value="everyone"><span>Everyone who reaches this kennel</span>\
    </label>
    <p class="why forced" hidden>The server was started with --public, so everyone sees the photos until it is started \
    without it.</p>
    <p class="error" role="alert"></p>
    <div class="choices"><button class="button" type="button" data-close>Cancel</button>\
    <button class="button primary" type="submit">Save</button></div>
    </form>
    </dialog>
    """

  private static let confirmation: HTML = """
    <dialog id="confirmation" class="sheet" role="alertdialog" aria-labelledby="confirmation-title" \
    aria-describedby="confirmation-text">
    <form method="dialog">
    <h2 id="confirmation-title"></h2>
    <p id="confirmation-text"></p>
    <div class="choices"><button class="button" value="no">Cancel</button>\
    <button class="button danger" value="yes">Delete</button></div>
    </form>
    </dialog>
    """

  private static let selection: HTML = """
    <section id="selection" class="selection" aria-label="Selected photos" hidden>
    <p class="count" aria-live="polite"></p>
    <button class="button" type="button" data-select-end>Done</button>\
    <span class="deeds"><button class="button" type="button" data-select-album>Add to album…</button>\
    <button class="button" type="button" data-select-cover hidden>Use as cover</button>\
    <button class="button" type="button" data-select-remove hidden>Remove</button>\
    <button class="button danger" type="button" data-select-delete>Delete</button></span>
    </section>
    """

  private static let drop: HTML = """
    <div id="drop" popover="manual"><p><svg class="icon" aria-hidden="true"><use href="#photos"/></svg>Drop photos to \
    share them</p></div>
    """

  private static let news: HTML = """
    <div class="news" aria-live="polite"><button id="news" class="button primary" type="button" hidden></button></div>
    """
}
