import KennelModel

/// The texts of all pages in one language.
///
/// Each language gives each group a value, so a text that is missing does not compile. Texts are `String`s, which are escaped
/// when they become part of a page, or pieces of `HTML` if they contain markup. Texts with values are functions.
final class Words: Sendable {
  let language: Language
  let dates: DateWords
  let frame: FrameWords
  let grid: GridWords
  let photo: PhotoWords
  let dialogs: DialogWords
  let albums: AlbumWords
  let bin: BinWords
  let links: LinkWords
  let joining: JoinWords
  let you: YouWords
  let people: PeopleWords
  let problems: ProblemWords
  let scripts: ScriptWords

  init(
    language: Language, dates: DateWords, frame: FrameWords, grid: GridWords, photo: PhotoWords,
    dialogs: DialogWords, albums: AlbumWords, bin: BinWords, links: LinkWords, joining: JoinWords,
    you: YouWords, people: PeopleWords, problems: ProblemWords, scripts: ScriptWords
  ) {
    self.language = language
    self.dates = dates
    self.frame = frame
    self.grid = grid
    self.photo = photo
    self.dialogs = dialogs
    self.albums = albums
    self.bin = bin
    self.links = links
    self.joining = joining
    self.you = you
    self.people = people
    self.problems = problems
    self.scripts = scripts
  }

  static func of(_ language: Language) -> Words {
    switch language {
    case .english: english
    case .german: german
    }
  }
}

/// A text with a value.
typealias TextOf<Value> = @Sendable (Value) -> String
/// A piece of a page with a value, such as a name or a date in markup.
typealias MarkupOf<Value> = @Sendable (Value) -> HTML

/// Dates and sizes.
struct DateWords: Sendable {
  /// A day, such as `20 November 2026`.
  let day: TextOf<CalendarTime>
  /// A day and a time of day. The second value is the time, such as `16:03`.
  let moment: @Sendable (CalendarTime, String) -> String
  let month: TextOf<Month>
  /// The name of a month where there is little room, without the year.
  let shortMonth: TextOf<Month>
  /// A number with one digit after the decimal separator, written with a period.
  let decimal: TextOf<String>
}

/// The frame of every page, and what several pages have in common.
struct FrameWords: Sendable {
  let pages, photos, albums, hearts, people, you, bin: String
  let signIn, signOut, signedInAs, whoCanSee, share, selectPhotos: String
  let accountOf: TextOf<String>
  /// The date is when the photos were kept. Scripts replace it by a relative time.
  let offline: MarkupOf<HTML>
  let skipToContent, skipToPhotos: String
  let search, searchPhotos, searchExamples: String
  let name, password: String
  let seePhotos, allPhotos: String
  let photoCount: TextOf<Int>
  let cancel, save, close, edit, delete, download, original, copy, done, remove: String
}

/// The grid of photos, and what it shows if there are none.
struct GridWords: Sendable {
  let yourHearts: String
  let quoted, photosBy: TextOf<String>
  let photosByHTML: MarkupOf<HTML>
  let noPhotosYet, signInToShareFirst, photosOfOthers: String
  /// The end of it is only shown to those who use a mouse.
  let shareFirst: HTML
  let signInToSeeHearts, noHeartsYet, heartsAppearHere: String
  let nothingFound, findPhotos, searchExplanation, searchRule, ownPhotosAppearHere: String
  let newest, older, more, months, goToMonth: String
  /// Before the number of hearts, for screen readers.
  let heart: String
}

/// A single photo and its comments.
struct PhotoWords: Sendable {
  let photo, video, downloadVideo: String
  let photoBy, videoBy: TextOf<String>
  /// Scripts replace the date by a relative time, such as “3 hours ago”.
  let shared, fromKennel, inAlbums: MarkupOf<HTML>
  let takenOn, dateOfFile, zoneNotRecorded: String
  let cameraDataPrivate, cameraDataShared, shareCameraData, hideCameraData, asUploaded: String
  let comments, newerComments, firstComments, yourComment, commentExample, send, signInToComment: String
  let deleteCommentBy: TextOf<String>
}

/// The dialogs that scripts open.
struct DialogWords: Sendable {
  let photo, newerPhoto, olderPhoto: String
  let sharePhotos, chooseMore, dropOrPaste, shareCameraData, photosToShare, optionalCaption, dropHere: String
  let captionFor, removeFile: MarkupOf<HTML>
  let editPhoto, caption, takenOn, localTime: String
  let shareWithLink, photoLink, albumLink, linkWorks, forOneDay, forSevenDays, forThirtyDays: String
  let untilRevoked, newLinkOnlyNow, makeLink, existingLinks, revoke: String
  let whoCanSee, undecided, onlyPeople, everyone, forced: String
  let selectedPhotos, addToAlbum, useAsCover: String
  let newAlbum, albumTitle, membersCanAdd, addToAlbumTitle, album, newAlbumTitle, add: String
}

/// The pages of albums.
struct AlbumWords: Sendable {
  let albums, newAlbum, noAlbumsYet, howToMakeOne, albumsAppearHere: String
  /// A number of photos, and the name of the owner.
  let about: @Sendable (String, HTML) -> HTML
  let allCanAdd, share, noPhotos, howToAdd, photosAppearHere, seeAllPhotos: String
}

/// The page of the bin.
struct BinWords: Sendable {
  let explanation, forOwners, forOthers, empty, restore, deleteForever: String
  let deleted: MarkupOf<HTML>
  let keptUntil, restoreNamed, deleteNamed: TextOf<String>
}

/// The pages of secret links.
struct LinkWords: Sendable {
  let photoIsShared, videoIsShared, albumIsShared, newer, older: String
  let worksUntil: MarkupOf<HTML>
}
