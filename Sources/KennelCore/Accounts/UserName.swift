// Folding names needs all of Foundation; nothing else here does.
import Foundation

/// A user's name, as it was written, and the form in which two names are the same.
package struct UserName: Sendable, Hashable {
  /// What is shown: as it was given.
  package let text: String
  /// Without the differences of case, width and composition.
  let folded: String

  /// The longest name, in characters and in bytes of UTF-8: a character can have any number of accents.
  package static let characterLimit = 32
  package static let byteLimit = 128

  /// - Throws: `badName`, and what to do about it.
  package init(_ text: String) throws(KennelError) {
    func refuse(_ sentence: String) -> KennelError { KennelError(.badName, sentence) }
    guard text.utf8.count <= Self.byteLimit, text.count <= Self.characterLimit else {
      throw refuse("A name has at most \(Self.characterLimit) characters.")
    }
    guard !text.isEmpty else { throw refuse("A name has at least one character.") }
    guard text.first != " ", text.last != " ", !text.utf8.elementsEqual("  ".utf8), !text.contains("  ")
    else {
      throw refuse("A name has single spaces, and none around it.")
    }
    guard text.unicodeScalars.allSatisfy(Self.allows) else {
      throw refuse("A name has letters, digits, marks and signs, but no colon and nothing invisible.")
    }
    self.text = text
    folded = Self.fold(text)
    guard !folded.isEmpty else { throw refuse("A name needs a character that can be seen.") }
  }

  /// Nil for what cannot be anybody's name.
  init?(existing text: String) {
    guard let name = try? UserName(text) else { return nil }
    self = name
  }

  private static func allows(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == " " { return true }
    // HTTP's Basic scheme cannot carry a colon in a name.
    if scalar == ":" || scalar.properties.isDefaultIgnorableCodePoint { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
      .spaceSeparator:
      return false
    default: return true
    }
  }

  private static func fold(_ text: String) -> String {
    text.precomposedStringWithCompatibilityMapping.lowercased().precomposedStringWithCompatibilityMapping
  }
}

extension String {
  /// A password as it is hashed: keyboards differ in how they compose accents.
  var passwordBytes: [UInt8] { Array(precomposedStringWithCanonicalMapping.utf8) }
}
