import KennelModel

extension AccountPages {
  private static let fileTypes = "image/jpeg,image/png,image/webp,image/gif,image/avif"

  /// The form with which users choose their own picture. A script shows the chosen photo before it is sent.
  func pictureForm(_ user: User, _ entry: FormEntry) -> HTML {
    let words = words.you
    let error = entry.errors["photo"].map { text -> HTML in
      "<p class=\"error\" id=\"you-picture-error\" role=\"alert\">\(text)</p>"
    }
    let state: HTML? = error == nil ? nil : " aria-invalid=\"true\" autofocus"
    let removal: HTML? =
      user.picture == nil
      ? nil
      : """
      <button class="quiet button" type="submit" formaction="/you/picture/remove" \
      formenctype="application/x-www-form-urlencoded" formnovalidate aria-label="\(words.removePicture)">\(self.words.frame.remove)</button>
      """
    return """
      <section class="card" aria-labelledby="picture-title">
      <h2 id="picture-title">\(words.picture)</h2>
      <form method="post" action="/you/picture" enctype="multipart/form-data" data-picture="\(UserPicture.maximumUploadSize)">
      <div class="portrait">\(Avatar(user).html)<div><label class="button" for="you-picture">\(words.choosePicture)</label>
      <input id="you-picture" type="file" name="photo" accept="\(Self.fileTypes)" required \
      aria-describedby="you-picture-hint you-picture-error"\(state)>
      <p class="file" aria-hidden="true"></p></div></div>
      <p class="hint" id="you-picture-hint">\(words.pictureHint(UserPicture.maximumUploadSize.inBinaryUnits))</p>
      \(error ?? "<p class=\"error\" id=\"you-picture-error\" role=\"alert\"></p>")
      <div class="choices">\(removal)<button class="button" type="submit">\(words.setPicture)</button></div>
      </form>
      </section>
      """
  }

  /// The picture of another person, which an owner can remove.
  func pictureRemoval(_ user: User) -> HTML? {
    guard user.picture != nil else { return nil }
    return """
      <section class="card" aria-labelledby="picture-title">
      <h2 id="picture-title">\(words.people.pictureTitle)</h2>
      <form method="post" action="/people/\(user.id)/picture/remove">
      <div class="portrait">\(Avatar(user).html)<p class="hint">\(words.people.pictureHint("<bdi>\(user.name)</bdi>"))</p></div>
      <div class="choices"><button class="button" type="submit">\(words.people.removePicture)</button></div>
      </form>
      </section>
      """
  }
}
