// Only the folding of names needs Foundation.
import Foundation
import KennelStorage

/// A user's name as it was entered, and the folded form that identifies equal names.
package struct UserName: Sendable, Hashable {
  /// The name as it was entered. It is displayed in this form.
  package let text: String
  /// The name without differences of case, width and composition.
  let folded: String

  /// The maximum length of a name in characters and in UTF-8 bytes. A single character can have any number of accents.
  package static let maximumCharacterCount = 32
  package static let maximumByteCount = 128

  /// - Throws: `badName`. The description explains what to do.
  package init(_ text: String) throws(KennelError) {
    func refuse(_ sentence: String) -> KennelError { KennelError(.badName, sentence) }
    guard text.utf8.count <= Self.maximumByteCount, text.count <= Self.maximumCharacterCount else {
      throw refuse("The name is too long. Use at most \(Self.maximumCharacterCount) characters.")
    }
    guard !text.isEmpty else { throw refuse("The name is empty. Enter at least one character.") }
    guard text.first != " ", text.last != " ", !text.utf8.elementsEqual("  ".utf8), !text.contains("  ")
    else {
      throw refuse("The name has extra spaces. Use single spaces, and none at the start or end.")
    }
    guard text.unicodeScalars.allSatisfy(Self.allows) else {
      throw refuse("The name has a colon, an invisible character or another invalid character. Remove it.")
    }
    self.text = text
    folded = Self.fold(text)
    guard !folded.isEmpty else { throw refuse("The name has no visible character. Add one.") }
  }

  /// Returns nil if the text is not a valid name.
  init?(existing text: String) {
    guard let name = try? UserName(text) else { return nil }
    self = name
  }

  private static func allows(_ scalar: Unicode.Scalar) -> Bool {
    if scalar == " " { return true }
    // A name in HTTP Basic authentication cannot contain a colon.
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
  /// The bytes of a password to be hashed. They are normalized because keyboards compose accents in different ways.
  var passwordBytes: [UInt8] { Array(precomposedStringWithCanonicalMapping.utf8) }
}
