/// What a person has entered into a form, and what was wrong with it.
struct FormEntry: Sendable {
  /// The values to show again, by the names of the fields. Passwords are never shown again.
  var values: [String: String] = [:]
  /// What is wrong with fields, by their names.
  var errors: [String: String] = [:]
  /// What was done, or what is wrong with the form.
  var notice: String?
  /// Whether the notice is about an error.
  var isProblem = false

  var noticeHTML: HTML? {
    guard let notice else { return nil }
    return isProblem
      ? "<p class=\"error\" role=\"alert\">\(notice)</p>" : "<p class=\"done\" role=\"status\">\(notice)</p>"
  }
}

/// A field of a form with its label. A screen reader reads the hint and the error with the field.
struct FormField {
  enum Kind {
    case name, newPassword, presentPassword
    /// A number of bytes, which may be missing.
    case size
  }

  let kind: Kind
  /// The name of the field. With the prefix, it is also its identifier.
  let name: String
  let label: String
  let prefix: String
  let entry: FormEntry
  var hint: String?
  var isReadOnly = false
  /// The value to show if nothing was entered.
  var value = ""

  private var id: String { "\(prefix)-\(name)" }
  private var error: String? { entry.errors[name] }

  var html: HTML {
    """
    <label for="\(id)">\(label)</label>
    <input id="\(id)" name="\(name)"\(attributes)\(state)>
    \(hint.map { "<p class=\"hint\" id=\"\(id)-hint\">\($0)</p>" as HTML })\
    \(error.map { "<p class=\"error\" id=\"\(id)-error\">\($0)</p>" as HTML })
    """
  }

  private var attributes: HTML {
    switch kind {
    case .name:
      " autocomplete=\"username\" autocapitalize=\"words\" spellcheck=\"false\" maxlength=\"64\" value=\"\(entry.values[name] ?? value)\""
    case .size:
      " autocomplete=\"off\" autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"20\" value=\"\(entry.values[name] ?? value)\""
    case .newPassword: " type=\"password\" autocomplete=\"new-password\" minlength=\"8\" maxlength=\"1024\""
    case .presentPassword: " type=\"password\" autocomplete=\"current-password\" maxlength=\"1024\""
    }
  }

  private var state: HTML {
    let described = [(hint, "hint"), (error, "error")].compactMap { $0 == nil ? nil : "\(id)-\($1)" }
    let descriptions: HTML? =
      described.isEmpty ? nil : " aria-describedby=\"\(described.joined(separator: " "))\""
    // The first field with an error gets the focus, so that a screen reader reads what is wrong.
    let isFirstError = error != nil && entry.errors.keys.min() == name
    let invalid: HTML? = error == nil ? nil : " aria-invalid=\"true\""
    let need: HTML? = isReadOnly ? " readonly" : kind == .size ? nil : " required"
    return """
      \(need)\(descriptions)\(invalid)\
      \(isFirstError ? " autofocus" as HTML : nil)
      """
  }
}

extension FormField {
  /// A checkbox with which a script shows the passwords of the form.
  static func passwordSwitch(_ words: JoinWords) -> HTML {
    """
    <label class="check scripted"><input type="checkbox" data-show-passwords> \(words.showPassword)</label>
    """
  }
}
