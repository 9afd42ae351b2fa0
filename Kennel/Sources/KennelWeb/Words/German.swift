import KennelModel

extension Words {
  static let german = Words(
    language: .german, dates: germanDates, frame: germanFrame, grid: germanGrid, photo: germanPhoto,
    dialogs: germanDialogs, albums: germanAlbums, bin: germanBin, links: germanLinks,
    joining: germanJoining, you: germanYou, people: germanPeople, problems: germanProblems,
    scripts: germanScripts)

  private static let germanDates: DateWords = DateWords(
    day: { "\($0.day). \(Language.german.monthNames[$0.month - 1]) \($0.year)" },
    moment: { "\(germanDates.day($0)), \($1) Uhr" },
    month: { "\(Language.german.monthNames[$0.number - 1]) \($0.year)" },
    shortMonth: { String(Language.german.monthNames[$0.number - 1].prefix(3)) },
    decimal: { $0.replacing(".", with: ",") })

  private static let germanFrame = FrameWords(
    pages: "Seiten", photos: "Fotos", albums: "Alben", hearts: "Herzen", people: "Personen",
    you: "Dein Konto",
    bin: "Papierkorb",
    signIn: "Anmelden", signOut: "Abmelden", signedInAs: "Angemeldet als",
    whoCanSee: "Sichtbarkeit", share: "Teilen", selectPhotos: "Fotos auswählen",
    accountOf: { "Konto von \($0)" },
    offline: { "Der Kennel ist nicht erreichbar. Diese Fotos sind auf diesem Gerät gespeichert: \($0)." },
    skipToContent: "Direkt zum Inhalt", skipToPhotos: "Direkt zu den Fotos",
    search: "Suchen", searchPhotos: "Fotos suchen", searchExamples: "Wörter, Namen oder Daten",
    name: "Name", password: "Passwort",
    seePhotos: "Fotos ansehen", allPhotos: "Alle Fotos",
    photoCount: { $0 == 1 ? "1 Foto" : "\($0) Fotos" },
    cancel: "Abbrechen", save: "Speichern", close: "Schließen", edit: "Bearbeiten", delete: "Löschen",
    download: "Herunterladen", original: "Original", copy: "Kopieren", done: "Fertig", remove: "Entfernen")

  private static let germanGrid = GridWords(
    yourHearts: "Deine Herzen",
    quoted: { "„\($0)“" }, photosBy: { "Fotos von \($0)" },
    photosByHTML: { "Fotos von \($0)" },
    noPhotosYet: "Noch keine Fotos", signInToShareFirst: "Melde dich an, um das erste Foto zu teilen.",
    photosOfOthers: "Hier erscheinen die Fotos, die andere teilen.",
    shareFirst: """
      Teile das erste<span class="with-pointer">: Wähle es aus, zieh es hierher oder füge es ein</span>.
      """,
    signInToSeeHearts: "Melde dich an, um die Fotos zu sehen, denen du ein Herz gegeben hast.",
    noHeartsYet: "Noch keine Herzen",
    heartsAppearHere: "Hier erscheinen die Fotos, denen du ein Herz gibst.",
    nothingFound: "Nichts gefunden", findPhotos: "Fotos finden",
    searchExplanation: """
      Suche nach Wörtern aus Beschreibungen, Kommentaren und Titeln von Alben, nach dem Namen einer Person, die Fotos geteilt \
      hat, oder nach der Zeit der Aufnahme: Juli, 2026, 2026-07 oder 14. Juli 2026.
      """,
    searchRule: """
      Ein Foto wird gefunden, wenn alle Wörter dazu passen. Vom letzten Wort genügt der Anfang.
      """,
    ownPhotosAppearHere: "Hier erscheinen die Fotos, die du teilst.",
    newest: "Neueste Fotos", older: "Ältere Fotos", more: "Weitere Fotos", months: "Monate",
    goToMonth: "Zu einem Monat: ",
    heart: "Herz, ")

  private static let germanPhoto = PhotoWords(
    photo: "Foto", video: "Video", downloadVideo: "Video herunterladen",
    photoBy: { "Foto von \($0)" }, videoBy: { "Video von \($0)" },
    shared: { "Geteilt: \($0)" }, fromKennel: { ", aus \($0)" }, inAlbums: { "In \($0)" },
    takenOn: "Aufgenommen am ", dateOfFile: "Datum der Datei", zoneNotRecorded: "Zeitzone unbekannt",
    cameraDataPrivate: "Kameradaten wie der Ort: nur für dich.",
    cameraDataShared: "Kameradaten wie der Ort: für alle, die das Foto sehen.",
    shareCameraData: "Mit allen teilen", hideCameraData: "Verbergen", asUploaded: "Wie hochgeladen",
    comments: "Kommentare", newerComments: "Neuere Kommentare", firstComments: "Die ersten Kommentare",
    yourComment: "Dein Kommentar", commentExample: "Schreib etwas Nettes", send: "Senden",
    signInToComment: "Zum Kommentieren anmelden",
    deleteCommentBy: { "Kommentar von \($0) löschen" })

  private static let germanDialogs = DialogWords(
    photo: "Foto", newerPhoto: "Neueres Foto", olderPhoto: "Älteres Foto",
    sharePhotos: "Fotos teilen", chooseMore: "Wähle weitere aus",
    dropOrPaste: ", zieh sie hierher oder füge sie ein.",
    shareCameraData: "Andere bekommen auch die Kameradaten, zum Beispiel den Ort",
    photosToShare: "Fotos zum Teilen", optionalCaption: "Beschreibung (freiwillig)",
    dropHere: "Lass die Fotos hier los, um sie zu teilen",
    captionFor: { "Beschreibung für \($0)" }, removeFile: { "Entfernen: \($0)" },
    editPhoto: "Foto bearbeiten", caption: "Beschreibung", takenOn: "Aufgenommen am",
    localTime: "Ortszeit dort, wo das Foto entstanden ist.",
    shareWithLink: "Mit einem Link teilen",
    photoLink: """
      Alle, die den Link haben, sehen dieses Foto, seine Beschreibung und den Namen der Person, die es geteilt hat, auch \
      ohne Konto.
      """,
    albumLink: """
      Alle, die den Link haben, sehen die Fotos dieses Albums, ihre Beschreibungen und die Namen der Personen, die sie \
      geteilt haben, auch ohne Konto. Das gilt auch für Fotos, die später dazukommen.
      """,
    linkWorks: "Der Link gilt", forOneDay: "1 Tag lang", forSevenDays: "7 Tage lang",
    forThirtyDays: "30 Tage lang",
    untilRevoked: "bis er widerrufen wird", newLinkOnlyNow: "Der neue Link wird nur jetzt angezeigt",
    makeLink: "Link erstellen", existingLinks: "Vorhandene Links", revoke: "Widerrufen",
    whoCanSee: "Wer darf die Fotos sehen?",
    undecided: """
      Dieser Kennel stammt aus einer früheren Version. Bis du dich entscheidest, sehen wie bisher alle die Fotos, die ihn \
      erreichen.
      """,
    onlyPeople: "Nur Personen mit Konto", everyone: "Alle, die diesen Kennel erreichen",
    forced: """
      Der Server wurde mit --public gestartet. Deshalb sehen alle die Fotos, bis er ohne diese Option gestartet wird.
      """,
    selectedPhotos: "Ausgewählte Fotos", addToAlbum: "Zu Album hinzufügen …",
    useAsCover: "Als Titelbild",
    newAlbum: "Neues Album", albumTitle: "Titel", membersCanAdd: "Alle Mitglieder dürfen Fotos hinzufügen",
    addToAlbumTitle: "Zu Album hinzufügen", album: "Album", newAlbumTitle: "Titel des neuen Albums",
    add: "Hinzufügen")

  private static let germanAlbums = AlbumWords(
    albums: "Alben", newAlbum: "Neues Album", noAlbumsYet: "Noch keine Alben",
    howToMakeOne: """
      Öffne das Menü deines Kontos, wähle „Fotos auswählen“ und füge die Fotos dann zu einem Album hinzu.
      """,
    albumsAppearHere: "Hier erscheinen die Alben, die andere anlegen.",
    about: { "\($0) · von \($1)" },
    allCanAdd: " · alle Mitglieder dürfen Fotos hinzufügen", share: "Teilen",
    noPhotos: "Keine Fotos in diesem Album",
    howToAdd: """
      Öffne das Menü deines Kontos, wähle „Fotos auswählen“ und füge die Fotos dann zu diesem Album hinzu.
      """,
    photosAppearHere: "Hier erscheinen die Fotos dieses Albums.", seeAllPhotos: "Alle Fotos ansehen")

  private static let germanBin = BinWords(
    explanation: "Gelöschte Fotos bleiben 30 Tage lang hier, mit ihren Herzen und Kommentaren.",
    forOwners: "Du und die anderen Admins sehen alle.", forOthers: "Nur du und die Admins sehen sie.",
    empty: "Der Papierkorb ist leer", restore: "Wiederherstellen", deleteForever: "Endgültig löschen",
    deleted: { ", gelöscht: \($0)" },
    keptUntil: { "Bleibt hier bis zum \($0)" }, restoreNamed: { "\($0) wiederherstellen" },
    deleteNamed: { "\($0) endgültig löschen" })

  private static let germanLinks = LinkWords(
    photoIsShared: "Dieses Foto wird durch einen Link mit dir geteilt.",
    videoIsShared: "Dieses Video wird durch einen Link mit dir geteilt.",
    albumIsShared: "Dieses Album wird durch einen Link mit dir geteilt.", newer: "Neuer", older: "Älter",
    worksUntil: { "Er gilt bis zum \($0)." })
}
