import Foundation

/// A text with a number, in the plural forms of a language. The categories are those of Unicode, which browsers know for each
/// language (`Intl.PluralRules`).
struct CountedText: Sendable {
  var one: String?
  var few: String?
  var many: String?
  let other: String
}

/// The texts that scripts show. Scripts use the names of the members. Values are inserted for `{name}`.
struct ScriptWords: Sendable {
  let signedOut, signedOutComment: String
  /// The chosen picture of oneself.
  let pictureTooLarge: String
  // Albums and the selection
  let albumDeleted, editAlbum, newAlbum, deleteAlbum, deleteAlbumText, newAlbumChoice, inAlbumAlready: String
  let photosAdded, photosRemoved, selected, deletePhotos, movedToBin, notDeleted: CountedText
  let newCover, selectPhotos, deletePhotosText: String
  // Photos
  let photoDeleted, photoGone, deletePhoto, deletePhotoText, photoInBin, photoChanged, delete: String
  let photoRestored, deleteForever, deleteForeverText, deletedForever: String
  let cameraDataShared, cameraDataPrivate: String
  let deleteComment, cannotBeUndone: String
  let signInForHeart, signInToShare, signInToShareLink, welcome: String
  // The grid
  let loadAgain, newPhotosEarlier, months, justNow: String
  let newPhotos: CountedText
  // Links
  let linkCopied, copyLink, byMaker, worksUntilRevoked, hasExpired, worksUntil, linkRevoked: String
  let onlyPeople, everyone: String
  // Requests
  let unreachable, connectionLost, kennelBusy, failedWithStatus, failedForNow: String
  // Uploads
  let notAPicture, tooLarge, emptyFile, unreadable, thePhoto, tryAgain, stop, close, cancel: String
  let sharePhotos, tooManyPhotos, photosShared: CountedText
  let sharedOf: String
  let alreadyHere, notSharedCount: CountedText
  let onlyViewer, photosNotArrived, seeIt, shareAgain, willBeShared, alreadyShared: String
  let uploading, uploadingNamed, processing, seeMonth, inTheirMonths: String
  let discardPhotos, captionsLost, discard: String
  /// The locale for dates: of the languages that are spoken in several countries, that of the form that the pages use.
  let dateLocale: String
}

extension ScriptWords {
  static let start = "import { use } from \"./texts.js\";\nuse("
  static let end = ");\n"

  /// A module that sets the texts.
  var module: Data {
    var texts: [String: Any] = [:]
    for (name, value) in Mirror(reflecting: self).children {
      guard let name else { continue }
      switch value {
      case let text as CountedText:
        let forms = ["one": text.one, "few": text.few, "many": text.many, "other": text.other]
        texts[name] = forms.compactMapValues { $0 }
      default: texts[name] = value as? String
      }
    }
    let json = try? JSONSerialization.data(
      withJSONObject: texts, options: [.sortedKeys, .withoutEscapingSlashes])
    return Data(Self.start.utf8) + (json ?? Data("{}".utf8)) + Data(Self.end.utf8)
  }
}
