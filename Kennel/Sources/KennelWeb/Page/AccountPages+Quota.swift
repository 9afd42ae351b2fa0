import KennelModel

extension AccountPages {
  /// The form with which an owner decides how much the photos of a person may take.
  func quotaForm(_ user: User, _ quota: QuotaDecision, _ entry: FormEntry) -> HTML {
    let people = words.people
    let standard = quota.standard.text(words) ?? people.noLimit
    // A form with an error shows what was entered.
    let isSize = entry.errors["size"] != nil || quota.own?.text(words) != nil
    let size = FormField(
      kind: .size, name: "size", label: people.maximumSize, prefix: "person", entry: entry,
      hint: people.sizeHint, value: quota.own?.text(words) ?? "")
    return """
      <section class="card" aria-labelledby="quota-title">
      <h2 id="quota-title">\(people.spaceTitle)</h2>
      <p class="hint">\(people.personTakes(quota.usage.text(words)))</p>
      <form method="post" action="/people/\(user.id)/quota">
      <fieldset><legend>\(people.spaceQuestion)</legend>
      \(choice("default", people.likeEveryone(standard), isChecked: !isSize && quota.own == nil))
      \(choice("none", people.withoutLimit, isChecked: !isSize && quota.own == .unlimited))
      \(choice("size", people.upToSize, isChecked: isSize))
      </fieldset>
      \(size.html)
      <div class="choices"><button class="button" type="submit">\(people.changeSpace)</button></div>
      </form>
      </section>
      """
  }

  private func choice(_ value: String, _ label: String, isChecked: Bool) -> HTML {
    """
    <label class="check"><input type="radio" name="quota" value="\(value)"\(isChecked ? " checked" as HTML : nil)>\
    <span>\(label)</span></label>
    """
  }
}
