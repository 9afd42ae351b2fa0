import Foundation

/// The values of queries in addresses.
enum QueryText {
  private static let plainCharacters = CharacterSet(
    charactersIn: "/-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  /// Escapes a text so that it can be a value.
  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: plainCharacters) ?? ""
  }
}
