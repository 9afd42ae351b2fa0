import KennelStorage

/// The maximum lengths of texts. Texts are stored unescaped; the code that displays them escapes them.
package enum TextRules {
  package struct Limit: Sendable {
    var characters: Int
    /// The maximum number of bytes, because a character can have any number of accents.
    var bytes: Int
  }

  package static let caption = Limit(characters: 2000, bytes: 8000)
  package static let albumTitle = Limit(characters: 100, bytes: 400)
  static let comment = Limit(characters: 1000, bytes: 4000)

  package static func check(_ text: String, _ limit: Limit, name: String) throws(KennelError) {
    guard text.utf8.count <= limit.bytes, text.count <= limit.characters else {
      throw KennelError(
        .badText,
        "The \(name) is too long. Use at most \(limit.characters) characters and \(limit.bytes) bytes.")
    }
  }

  static func checkNotBlank(_ text: String, name: String) throws(KennelError) {
    guard text.contains(where: { !$0.isWhitespace }) else {
      throw KennelError(.badText, "The \(name) is empty. Write something.")
    }
  }
}
