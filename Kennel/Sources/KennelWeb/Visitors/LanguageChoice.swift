import HTTPService
import KennelModel

/// Chooses the language of a page: the one that the user has set, or else the one that the browser prefers, or else that of the
/// kennel.
struct LanguageChoice: Sendable {
  /// The field on which a page depends, too.
  static let vary = "Accept-Language"

  /// The language of visitors whose browser prefers none that there is.
  var standard = Language.english

  func language(for request: HTTPRequest, viewer: User?) -> Language {
    viewer?.language ?? preferred(by: request) ?? standard
  }

  /// Returns the language of the errors of requests that programs and scripts make. Without `Accept-Language`, it is English in
  /// all kennels, so that programs can rely on it.
  func languageOfErrors(for request: HTTPRequest) -> Language { preferred(by: request) ?? .english }

  private func preferred(by request: HTTPRequest) -> Language? {
    AcceptedLanguages(request.fields)
      .lookup(Language.allCases.map(\.rawValue), standard: standard.rawValue).flatMap(
        Language.init(rawValue:))
  }
}
