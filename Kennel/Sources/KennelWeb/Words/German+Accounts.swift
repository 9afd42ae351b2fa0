import KennelModel

extension Words {
  static let germanJoining = JoinWords(
    welcomeOwner: "Willkommen in deinem Kennel",
    firstOwner: """
      Du bist die erste Person hier. Erstelle dein Konto als Admin: Damit teilst du Fotos und lädst andere ein.
      """,
    createAccount: "Konto erstellen", join: "Beitreten", newPassword: "Neues Passwort festlegen",
    setPassword: "Passwort festlegen", invited: "Du bist eingeladen,",
    joinSite: { "Willkommen bei \($0)" },
    invitedBy: { "\($0) lädt dich ein," },
    passwordFor: {
      "Es gilt für das Konto von \($0). Alle anderen Geräte mit diesem Konto werden abgemeldet."
    },
    invitation: { role in
      switch role {
      case .owner: "diesen Kennel als Admin mit zu betreuen: Du kannst Fotos teilen und alles ändern."
      case .member: "die Fotos hier anzusehen und eigene zu teilen."
      case .viewer: "die Fotos hier anzusehen, Herzen zu geben und zu kommentieren."
      }
    },
    passwordHint: { "Mindestens \($0) Zeichen." },
    repeatPassword: "Passwort wiederholen", yourName: "Dein Name",
    nameHint: "Andere sehen ihn, und du meldest dich damit an.",
    showPassword: "Passwort anzeigen", linkDoesNotWork: "Dieser Link funktioniert nicht",
    welcome: "Willkommen",
    welcomeNamed: { "Willkommen, \($0)" },
    nextSteps: "Wie es weitergeht",
    inviteOthers: """
      Lade andere ein: Erstelle auf der Seite <a href="/people">Personen</a> für alle einen eigenen Link.
      """,
    sharePhotos: "Teile deine Fotos: Wähle oben auf der Seite mit den Fotos <b>Teilen</b>.",
    homeScreen: """
      Öffne auf einem Handy oder Tablet das Menü des Browsers und wähle <b>Zum Home-Bildschirm</b>.
      """,
    otherDevice: {
      """
      Melde dich auf anderen Geräten als \($0) mit deinem Passwort an. Beides kannst du auf der Seite \
      <a href="/you">Dein Konto</a> ändern.
      """
    },
    newPasswordLink: "Ein Link für ein neues Passwort", newInvitation: "Eine neue Einladung",
    sendInvitation: "Schick diesen Link der Person, die du einlädst, oder lass ein Handy den Code scannen.",
    sendPasswordLink: { "Schick diesen Link an \($0). Damit lässt sich ein neues Passwort festlegen." },
    worksOnce: { "Er funktioniert einmal, bis zum \($0). Er wird nur jetzt angezeigt." },
    link: "Link", sendLink: "Senden …", copyLink: "Link kopieren", linkCode: "QR-Code des Links",
    role: { role in
      switch role {
      case .owner: "Admin"
      case .member: "Mitglied"
      case .viewer: "Gast"
      }
    },
    newKennel: "Dieser Kennel ist neu",
    noAccounts: """
      Noch hat niemand ein Konto. Kennel hat beim Start einen Link und einen QR-Code ausgegeben: Sieh im Terminal auf dem \
      Rechner nach, auf dem er läuft, oder in der Ausgabe von <code>journalctl -u kennel</code>. Öffne den Link, um das \
      erste Konto zu erstellen.
      """,
    noAccountsLink:
      "Der Link funktioniert einmal, 24 Stunden lang. Starte Kennel neu, um einen neuen zu bekommen.")

  private static func abilities(_ role: User.Role) -> String {
    switch role {
    case .owner: "alles, auch Personen einladen und entfernen."
    case .member: "Fotos ansehen, Herzen geben, kommentieren und Fotos teilen."
    case .viewer: "Fotos ansehen, Herzen geben und kommentieren."
    }
  }

  static let germanYou = YouWords(
    changeName: "Namen ändern", passwordTitle: "Passwort", presentPassword: "Bisheriges Passwort",
    newPassword: "Neues Passwort", repeatNewPassword: "Neues Passwort wiederholen",
    changePassword: "Passwort ändern",
    picture: "Bild", choosePicture: "Foto auswählen", setPicture: "Dieses Bild verwenden",
    removePicture: "Bild entfernen",
    pictureHint: {
      """
      Alle, die deine Fotos oder Kommentare sehen, sehen auch das Bild. Es zeigt die Mitte des Fotos, ohne Kameradaten. Die \
      Datei darf bis zu \($0) haben.
      """
    },
    role: { "Deine Rolle: \(germanJoining.role($0)). Du kannst \(abilities($0))" },
    passwordHint: {
      """
      Mindestens \($0) Zeichen. Alle anderen Geräte werden abgemeldet, und deine Feed-Adresse funktioniert nicht mehr.
      """
    },
    language: "Sprache", languageHint: "Die Sprache der Seiten, für dich.",
    asBrowser: "Wie im Browser", changeLanguage: "Sprache ändern",
    feed: "Feed", makeAddress: "Adresse erstellen", turnOffFeed: "Feed ausschalten",
    makeNewAddress: "Neue Adresse erstellen",
    feedExplanation: {
      """
      Mit einer App für Feeds siehst du neue Fotos, ohne diese Seite zu besuchen. Dein Feed hat eine geheime Adresse: Alle, \
      die sie haben, sehen die neuesten \($0) Fotos, ihre Beschreibungen und die Namen der Personen, die sie geteilt haben.
      """
    },
    feedMade: {
      """
      Du hast eine Feed-Adresse (erstellt: \($0)). Zur Sicherheit wird sie nicht noch einmal angezeigt. Wenn du eine neue \
      erstellst, funktioniert die alte nicht mehr.
      """
    },
    feedAddress: "Die Adresse deines Feeds",
    newFeedExplanation: """
      Kopiere diese Adresse jetzt in deine Feed-App. Sie wird nicht noch einmal angezeigt. Gib sie niemandem, der die \
      neuesten Fotos nicht sehen soll. Falls du schon eine Adresse hattest, funktioniert sie nicht mehr.
      """,
    address: "Adresse", copyAddress: "Adresse kopieren",
    space: "Speicherplatz",
    photosTake: { "Deine Fotos belegen \($0). Fotos im Papierkorb zählen, bis sie endgültig gelöscht sind." },
    devices: "Geräte", noDevice: "Kein Gerät ist angemeldet.", browser: "Ein Browser",
    thisDevice: "Dieses Gerät", thisDeviceEnding: "dieses Gerät",
    signOutOthers: "Alle anderen Geräte abmelden",
    lastUsed: { "Zuletzt benutzt: \($0)" }, fromAddress: { ", von \($0)" },
    device: {
      $0.replacing("A browser", with: "Ein Browser").replacing("A program", with: "Ein Programm")
        .replacing(" on ", with: " auf ")
    },
    pictureChanged: "Dein Bild ist geändert.",
    nameChanged: "Dein Name ist geändert.",
    passwordChanged: "Dein Passwort ist geändert. Alle anderen Geräte sind abgemeldet.",
    languageChanged: "Die Sprache ist geändert.",
    deviceSignedOut: "Das Gerät ist abgemeldet.",
    devicesSignedOut: "Alle anderen Geräte sind abgemeldet.",
    feedOff: "Der Feed ist ausgeschaltet. Seine Adresse funktioniert nicht mehr.",
    notPresentPassword: "Das ist nicht dein bisheriges Passwort.",
    passwordsDiffer: "Die beiden Passwörter sind verschieden. Gib zweimal dasselbe Passwort ein.")

  static let germanPeople = PeopleWords(
    personCount: { $0 == 1 ? "1 Person" : "\($0) Personen" },
    inviteSomebody: "Jemanden einladen",
    inviteHint: "Du bekommst einen Link zum Verschicken. Damit erstellt eine Person ein Konto.",
    validFor: "Der Link gilt", makeLink: "Link erstellen",
    dayCount: { $0 == 1 ? "1 Tag" : "\($0) Tage" },
    isViewer: " (du)",
    since: { "\(germanJoining.role($0)), seit dem \($1)" },
    change: "Ändern", openInvitations: "Offene Einladungen",
    until: "Bis zum ", madeAtTerminal: "im Terminal erstellt",
    madeBy: { "erstellt von \($0)" },
    revoke: "Widerrufen",
    revokedInvitation: { "die Einladung als \(germanJoining.role($0)) bis zum \($1)" },
    roleTitle: "Rolle",
    abilities: { "Kann \(abilities($0))" },
    whatYouCan: "Was du kannst", whatPersonCan: "Was diese Person kann", changeRole: "Rolle ändern",
    forgottenPassword: "Passwort vergessen", removeTitle: "Konto entfernen", remove: "Entfernen",
    resetHint: {
      """
      Du bekommst einen Link zum Verschicken. Damit legt \($0) ein neues Passwort fest, und alle Geräte mit dem alten werden \
      abgemeldet.
      """
    },
    confirmRemoval: { "Das Konto von \($0) entfernen. Das lässt sich nicht rückgängig machen." },
    photosAndComments: "Fotos und Kommentare",
    belongings: { posts, comments in
      let photoCount = posts == 0 ? nil : posts == 1 ? "1 Foto" : "\(posts) Fotos"
      let commentCount = comments == 0 ? nil : comments == 1 ? "1 Kommentar" : "\(comments) Kommentare"
      return [photoCount, commentCount].compactMap { $0 }.joined(separator: " und ")
    },
    keep: { "\($0) unter deinem Namen behalten" }, removeToo: { "Auch \($0) entfernen" },
    storage: "Speicherplatz",
    littleSpace: """
       Schaffe bald Platz auf der Festplatte. Wenn sie voll ist, kann niemand mehr Fotos teilen.
      """,
    photosUse: { "Die Fotos belegen \($0)." },
    freeSpace: { "Auf der Festplatte sind \($0) von \($1) frei." },
    usage: { used, quota in quota.map { "\(used) von \($0)" } ?? used },
    photosTake: { ". Fotos: \($0)" },
    spaceTitle: "Speicherplatz", spaceQuestion: "Die Fotos dieser Person dürfen belegen",
    noLimit: "keine Grenze", withoutLimit: "So viel Platz, wie da ist", upToSize: "Bis zu dieser Größe:",
    maximumSize: "Höchstens",
    sizeHint: "Eine Zahl mit Einheit, zum Beispiel 20 GB. Belegen die Fotos mehr, wird keines gelöscht.",
    changeSpace: "Speicherplatz ändern", spaceChanged: "Der Speicherplatz ist geändert.",
    personTakes: { "Die Fotos belegen \($0)." },
    likeEveryone: { "Was alle ohne eigene Angabe bekommen (\($0))" },
    pictureTitle: "Bild", removePicture: "Bild entfernen", pictureRemoved: "Das Bild ist entfernt.",
    pictureHint: {
      "\($0) hat dieses Bild gewählt. Ohne Bild wird der erste Buchstabe des Namens angezeigt."
    },
    roleChanged: "Die Rolle ist geändert.", accountRemoved: "Das Konto ist entfernt.",
    invitationRevoked: "Die Einladung ist widerrufen.")
}
