import KennelModel

/// The dialogs that scripts open over a page. They contain no outside data.
struct PageDialogs {
  let frame: FrameWords
  let words: DialogWords

  /// Returns all dialogs in a language. They are made once.
  static func all(_ words: Words) -> HTML { made[words.language] ?? PageDialogs(words).all }

  private static let made = Dictionary(
    uniqueKeysWithValues: Language.allCases.map { ($0, PageDialogs(.of($0)).all) })

  private init(_ words: Words) { (frame, self.words) = (words.frame, words.dialogs) }

  private var all: HTML {
    HTML([
      lightbox, signIn, upload, edit, links, visibility, confirmation, selection, drop, Self.news,
      AlbumDialogs(frame: frame, words: words).all,
    ])
  }

  private var lightbox: HTML {
    """
    <dialog id="lightbox" aria-label="\(words.photo)" tabindex="-1">
    <p class="hidden-text" aria-live="polite"></p>
    <div class="place"></div>
    <button class="round close" type="button" data-close aria-label="\(frame.close)"><svg class="icon" aria-hidden="true">\
    <use href="#close"/></svg></button>
    <button class="round previous" type="button" aria-label="\(words.newerPhoto)"><svg class="icon" aria-hidden="true">\
    <use href="#left"/></svg></button>
    <button class="round next" type="button" aria-label="\(words.olderPhoto)"><svg class="icon" aria-hidden="true">\
    <use href="#right"/></svg></button>
    </dialog>
    """
  }

  /// The fields of the forms with which a visitor signs in. Each has a prefix for its identifiers.
  static func signInFields(_ prefix: String, hasFocus: Bool = false, _ words: FrameWords) -> HTML {
    """
    <label for="\(prefix)-name">\(words.name)</label>
    <input id="\(prefix)-name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" \
    required\(hasFocus ? " autofocus" as HTML : nil)>
    <label for="\(prefix)-password">\(words.password)</label>
    <input id="\(prefix)-password" name="password" type="password" autocomplete="current-password" required>
    """
  }

  /// The buttons at the end of the form of a dialog: one closes it, and one sends it.
  static func choices(_ close: String, submit: String) -> HTML {
    """
    <div class="choices"><button class="button" type="button" data-close>\(close)</button>\
    <button class="button primary" type="submit">\(submit)</button></div>
    """
  }

  private var signIn: HTML {
    """
    <dialog id="sign-in" class="sheet" aria-labelledby="sign-in-title">
    <form method="post" action="/session">
    <svg class="mark" aria-hidden="true"><use href="#mark"/></svg>
    <h2 id="sign-in-title">\(frame.signIn)</h2>
    <p class="why" hidden></p>
    \(Self.signInFields("sign-in", frame))
    <p class="error" role="alert"></p>
    \(Self.choices(frame.cancel, submit: frame.signIn))
    </form>
    </dialog>
    """
  }

  private var upload: HTML {
    """
    <dialog id="upload" class="sheet wide" aria-labelledby="upload-title">
    <form>
    <h2 id="upload-title">\(words.sharePhotos)</h2>
    <ul class="chosen"></ul>
    <p class="hint"><button class="link" type="button" data-choose>\(words.chooseMore)</button><span>\(words.dropOrPaste)</span></p>
    <label class="choice"><input type="checkbox" name="place"><span>\(words.shareCameraData)</span></label>
    <div class="foot"><p class="error" role="alert"></p>
    <div class="total" hidden><p role="status"></p><progress aria-label="\(words.photosToShare)" max="1" value="0"></progress></div>
    \(Self.choices(frame.cancel, submit: frame.share))</div>
    </form>
    </dialog>
    <input id="upload-files" type="file" accept="image/jpeg,image/png,image/webp,image/gif,image/avif,video/mp4,video/quicktime" multiple hidden \
    aria-label="\(words.photosToShare)">
    <template id="chosen-photo"><li><span class="preview"><img alt="" loading="lazy" decoding="async"></span>
    <div><label><span class="hidden-text">\(words.captionFor(Self.fileName))</span>\
    <textarea name="caption" rows="2" maxlength="2000" placeholder="\(words.optionalCaption)"></textarea></label>
    <progress max="1" value="0" hidden></progress><p class="state"></p></div>
    <button class="quiet" type="button" data-remove><svg class="icon" aria-hidden="true"><use href="#close"/></svg>\
    <span class="hidden-text">\(words.removeFile(Self.fileName))</span></button></li></template>
    """
  }

  private var edit: HTML {
    """
    <dialog id="edit" class="sheet" aria-labelledby="edit-title">
    <form>
    <h2 id="edit-title">\(words.editPhoto)</h2>
    <label for="edit-caption">\(words.caption)</label>
    <textarea id="edit-caption" name="caption" rows="2" maxlength="2000"></textarea>
    <label for="edit-taken">\(words.takenOn)</label>
    <input id="edit-taken" name="taken" type="datetime-local" min="1826-01-01T00:00" aria-describedby="edit-zone">
    <p class="hint" id="edit-zone">\(words.localTime)</p>
    <p class="error" role="alert"></p>
    \(Self.choices(frame.cancel, submit: frame.save))
    </form>
    </dialog>
    """
  }

  private var links: HTML {
    """
    <dialog id="links" class="sheet" aria-labelledby="links-title">
    <form>
    <h2 id="links-title">\(words.shareWithLink)</h2>
    <p class="why" data-of="photo">\(words.photoLink)</p>
    <p class="why" data-of="album" hidden>\(words.albumLink)</p>
    <label for="links-days">\(words.linkWorks)</label>
    <select id="links-days" name="days"><option value="1">\(words.forOneDay)</option><option value="7" selected>\(words.forSevenDays)</option>\
    <option value="30">\(words.forThirtyDays)</option><option value="">\(words.untilRevoked)</option></select>
    <div class="made" hidden><label for="links-new">\(words.newLinkOnlyNow)</label>\
    <input id="links-new" readonly><button class="button" type="button">\(frame.copy)</button></div>
    <p class="error" role="alert"></p>
    \(Self.choices(frame.close, submit: words.makeLink))
    </form>
    <ul aria-label="\(words.existingLinks)" hidden></ul>
    </dialog>
    <template id="made-link"><li><p></p><button class="quiet button" type="button">\(words.revoke)</button></li></template>
    """
  }

  private var visibility: HTML {
    """
    <dialog id="visibility" class="sheet" aria-labelledby="visibility-title">
    <form>
    <h2 id="visibility-title">\(words.whoCanSee)</h2>
    <p class="why undecided" hidden>\(words.undecided)</p>
    <label class="choice"><input type="radio" name="visibility" value="people"><span>\(words.onlyPeople)</span></label>
    <label class="choice"><input type="radio" name="visibility" value="everyone"><span>\(words.everyone)</span>\
    </label>
    <p class="why forced" hidden>\(words.forced)</p>
    <p class="error" role="alert"></p>
    \(Self.choices(frame.cancel, submit: frame.save))
    </form>
    </dialog>
    """
  }

  private var confirmation: HTML {
    """
    <dialog id="confirmation" class="sheet" role="alertdialog" aria-labelledby="confirmation-title" \
    aria-describedby="confirmation-text">
    <form method="dialog">
    <h2 id="confirmation-title"></h2>
    <p id="confirmation-text"></p>
    <div class="choices"><button class="button" value="no">\(frame.cancel)</button>\
    <button class="button danger" value="yes">\(frame.delete)</button></div>
    </form>
    </dialog>
    """
  }

  private var selection: HTML {
    """
    <section id="selection" class="selection" aria-label="\(words.selectedPhotos)" hidden>
    <p class="count" aria-live="polite"></p>
    <button class="button" type="button" data-select-end>\(frame.done)</button>\
    <span class="deeds"><button class="button" type="button" data-select-album>\(words.addToAlbum)</button>\
    <button class="button" type="button" data-select-cover hidden>\(words.useAsCover)</button>\
    <button class="button" type="button" data-select-remove hidden>\(frame.remove)</button>\
    <button class="button danger" type="button" data-select-delete>\(frame.delete)</button></span>
    </section>
    """
  }

  private var drop: HTML {
    """
    <div id="drop" popover="manual"><p><svg class="icon" aria-hidden="true"><use href="#photos"/></svg>\(words.dropHere)</p></div>
    """
  }

  /// Where a script writes the name of a file.
  private static let fileName: HTML = "<span class=\"file\"></span>"

  private static let news: HTML = """
    <div class="news" aria-live="polite"><button id="news" class="button primary" type="button" hidden></button></div>
    """
}
