import KennelModel

extension Words {
  static let english = Words(
    language: .english, dates: englishDates, frame: englishFrame, grid: englishGrid, photo: englishPhoto,
    dialogs: englishDialogs, albums: englishAlbums, bin: englishBin, links: englishLinks,
    joining: englishJoining, you: englishYou, people: englishPeople, problems: englishProblems,
    scripts: englishScripts)

  private static func photos(_ count: Int) -> String { count == 1 ? "1 photo" : "\(count) photos" }

  private static let englishDates: DateWords = DateWords(
    day: { "\($0.day) \(Language.english.monthNames[$0.month - 1]) \($0.year)" },
    moment: { "\(englishDates.day($0)), \($1)" },
    month: { "\(Language.english.monthNames[$0.number - 1]) \($0.year)" },
    shortMonth: { String(Language.english.monthNames[$0.number - 1].prefix(3)) },
    decimal: { $0 })

  private static let englishFrame = FrameWords(
    pages: "Pages", photos: "Photos", albums: "Albums", hearts: "Hearts", people: "People", you: "You",
    bin: "Bin",
    signIn: "Sign in", signOut: "Sign out", signedInAs: "Signed in as", whoCanSee: "Who can see",
    share: "Share", selectPhotos: "Select photos",
    accountOf: { "Account of \($0)" },
    offline: { "The kennel cannot be reached. These photos were kept on this device \($0)." },
    skipToContent: "Skip to the content", skipToPhotos: "Skip to the photos",
    search: "Search", searchPhotos: "Search photos", searchExamples: "Words, names or dates",
    name: "Name", password: "Password",
    seePhotos: "See the photos", allPhotos: "All photos",
    photoCount: { photos($0) },
    cancel: "Cancel", save: "Save", close: "Close", edit: "Edit", delete: "Delete", download: "Download",
    original: "Original", copy: "Copy", done: "Done", remove: "Remove")

  private static let englishGrid = GridWords(
    yourHearts: "Your hearts",
    quoted: { "“\($0)”" }, photosBy: { "Photos by \($0)" },
    photosByHTML: { "Photos by \($0)" },
    noPhotosYet: "No photos yet", signInToShareFirst: "Sign in to share the first photo.",
    photosOfOthers: "Photos that others share appear here.",
    shareFirst: """
      Share the first one<span class="with-pointer">: choose it, drop it here, or paste it</span>.
      """,
    signInToSeeHearts: "Sign in to see the photos that you gave a heart.",
    noHeartsYet: "No hearts yet", heartsAppearHere: "Photos that you give a heart appear here.",
    nothingFound: "Nothing found", findPhotos: "Find photos",
    searchExplanation: """
      Search for words of captions, comments and titles of albums, for the name of a person who shared photos, or for the time \
      when they were taken: July, 2026, 2026-07 or 14 July 2026.
      """,
    searchRule: "A photo is found if it has all the words. The last word may be the beginning of one.",
    ownPhotosAppearHere: "Photos that you share appear here.",
    newest: "Newest photos", older: "Older photos", more: "More photos", months: "Months",
    goToMonth: "Go to a month: ",
    heart: "Heart, ")

  private static let englishPhoto = PhotoWords(
    photo: "Photo", video: "Video", downloadVideo: "Download the video",
    photoBy: { "Photo by \($0)" }, videoBy: { "Video by \($0)" },
    shared: { "Shared \($0)" }, fromKennel: { ", from \($0)" }, inAlbums: { "In \($0)" },
    takenOn: "Taken on ", dateOfFile: "date of the file", zoneNotRecorded: "time zone not recorded",
    cameraDataPrivate: "Camera data, such as the place: only for you.",
    cameraDataShared: "Camera data, such as the place: for all who see the photo.",
    shareCameraData: "Share it", hideCameraData: "Hide it", asUploaded: "As uploaded",
    comments: "Comments", newerComments: "Newer comments", firstComments: "First comments",
    yourComment: "Your comment", commentExample: "Say something kind", send: "Send",
    signInToComment: "Sign in to comment",
    deleteCommentBy: { "Delete the comment by \($0)" })

  private static let englishDialogs = DialogWords(
    photo: "Photo", newerPhoto: "Newer photo", olderPhoto: "Older photo",
    sharePhotos: "Share photos", chooseMore: "Choose more", dropOrPaste: ", drop them here, or paste them.",
    shareCameraData: "Others also get the camera data, such as the place", photosToShare: "Photos to share",
    optionalCaption: "Caption (optional)", dropHere: "Drop photos to share them",
    captionFor: { "Caption for \($0)" }, removeFile: { "Remove \($0)" },
    editPhoto: "Edit photo", caption: "Caption", takenOn: "Taken on",
    localTime: "Local time at the place of the photo.",
    shareWithLink: "Share with a link",
    photoLink:
      "Anyone who has the link can see this photo, its caption and the name of its author, without an account.",
    albumLink: """
      Anyone who has the link can see the photos of this album, their captions and the names of their authors, without an \
      account. This includes photos that are added later.
      """,
    linkWorks: "The link works", forOneDay: "for 1 day", forSevenDays: "for 7 days",
    forThirtyDays: "for 30 days",
    untilRevoked: "until it is revoked", newLinkOnlyNow: "The new link is shown only now",
    makeLink: "Make a link", existingLinks: "Existing links", revoke: "Revoke",
    whoCanSee: "Who can see the photos?",
    undecided: """
      This kennel was made with an earlier version. Until you decide, everyone who reaches it sees the photos, as before.
      """,
    onlyPeople: "Only people with an account", everyone: "Everyone who reaches this kennel",
    forced: """
      The server was started with --public, so everyone sees the photos until it is started without it.
      """,
    selectedPhotos: "Selected photos", addToAlbum: "Add to album…", useAsCover: "Use as cover",
    newAlbum: "New album", albumTitle: "Title", membersCanAdd: "All members can add photos",
    addToAlbumTitle: "Add to album", album: "Album", newAlbumTitle: "Title of the new album", add: "Add")

  private static let englishAlbums = AlbumWords(
    albums: "Albums", newAlbum: "New album", noAlbumsYet: "No albums yet",
    howToMakeOne:
      "Open the menu of your account, choose “Select photos”, then add the photos to an album.",
    albumsAppearHere: "Albums that others make appear here.",
    about: { "\($0) · by \($1)" },
    allCanAdd: " · all members can add photos", share: "Share", noPhotos: "No photos in this album",
    howToAdd: "Open the menu of your account, choose “Select photos”, then add the photos to this album.",
    photosAppearHere: "Photos in this album appear here.", seeAllPhotos: "See all photos")

  private static let englishBin = BinWords(
    explanation: "Deleted photos stay here for 30 days, with their hearts and comments.",
    forOwners: "You and the other owners see all of them.", forOthers: "Only you and the owners see them.",
    empty: "The bin is empty", restore: "Restore", deleteForever: "Delete forever",
    deleted: { ", deleted \($0)" },
    keptUntil: { "Kept until \($0)" }, restoreNamed: { "Restore \($0)" },
    deleteNamed: { "Delete \($0) forever" })

  private static let englishLinks = LinkWords(
    photoIsShared: "This photo is shared with you by a link.",
    videoIsShared: "This video is shared with you by a link.",
    albumIsShared: "This album is shared with you by a link.", newer: "Newer", older: "Older",
    worksUntil: { "It works until \($0)." })
}
