extension Words {
  static let germanProblems = ProblemWords(
    title: { titles[$0]?.title }, error: "Fehler",
    sentence: { english, status in
      sentences.translation(of: english).map(singular) ?? titles[status]?.sentence
        ?? "Etwas ist schiefgegangen. Versuche es gleich noch einmal."
    })

  /// Sentences that are not in the table are replaced by the general one of their status.
  private static let titles: [Int: (title: String, sentence: String)] = [
    400: (
      "Ungültige Anfrage", "Die Anfrage ist nicht gültig. Lade die Seite neu und versuche es noch einmal."
    ),
    401: ("Anmeldung erforderlich", "Melde dich zuerst an."),
    403: ("Nicht erlaubt", "Das darfst du mit deinem Konto nicht. Frag einen Admin."),
    404: ("Nicht gefunden", "Das gibt es nicht oder nicht mehr. Prüfe die Adresse."),
    405: ("Methode nicht erlaubt", "Diese Methode ist hier nicht erlaubt."),
    409: ("Konflikt", "Das ist nicht möglich, weil sich inzwischen etwas geändert hat. Lade die Seite neu."),
    410: ("Abgelaufen", "Das gibt es nicht mehr."),
    412: ("Inzwischen geändert", "Inzwischen hat sich etwas geändert. Lade die Seite neu."),
    413: ("Zu groß", "Die Anfrage ist zu groß."),
    414: ("Adresse zu lang", "Die Adresse ist zu lang."),
    415: ("Format nicht unterstützt", "Dieses Format wird nicht unterstützt."),
    416: ("Bereich nicht vorhanden", "Der angeforderte Bereich der Datei ist nicht vorhanden."),
    417: ("Erwartung nicht erfüllt", "Der Server kann nicht erfüllen, was die Anfrage erwartet."),
    421: ("Falscher Server", "Unter diesem Namen antwortet der Kennel nicht. Prüfe die Adresse."),
    422: ("Ungültige Angaben", "Die Angaben sind nicht gültig. Prüfe sie und versuche es noch einmal."),
    429: ("Zu viele Anfragen", "Das waren zu viele Anfragen. Versuche es gleich noch einmal."),
    431: ("Anfrage zu groß", "Die Kopfzeilen der Anfrage sind zu groß."),
    460: ("Prüfsumme falsch", "Die Prüfsumme passt nicht zu den Daten. Sende sie noch einmal."),
    500: (
      "Interner Fehler",
      "Ein interner Fehler ist aufgetreten. Versuche es noch einmal. Wenn es wieder geschieht, frag einen Admin."
    ),
    501: ("Nicht unterstützt", "Der Server kennt diese Methode nicht."),
    503: ("Gerade nicht verfügbar", "Der Kennel ist gerade beschäftigt. Versuche es gleich noch einmal."),
    505: ("HTTP-Version nicht unterstützt", "Der Server kennt diese Version von HTTP nicht."),
    507: (
      "Kein Speicherplatz",
      "Der Kennel hat keinen Speicherplatz mehr. Nichts wurde geändert. Frag einen Admin."
    ),
  ]

  /// Corrects the plural of a single second or minute.
  private static func singular(_ sentence: String) -> String {
    sentence.replacing(" 1 Sekunden ", with: " 1 Sekunde ").replacing(" 1 Minuten ", with: " 1 Minute ")
  }

  private static let sentences = SentenceTable(
    accountSentences + photoSentences + videoSentences + albumSentences)

  private static let accountSentences: [(String, String)] = [
    ("The page does not exist. Check the address.", "Diese Seite gibt es nicht. Prüfe die Adresse."),
    ("This requires an account. Sign in first.", "Dafür brauchst du ein Konto. Melde dich zuerst an."),
    (
      "The photos here are only for people with an account. Sign in to see them.",
      "Die Fotos hier sind nur für Personen mit Konto. Melde dich an, um sie zu sehen."
    ),
    ("The name or the password is wrong.", "Der Name oder das Passwort ist falsch."),
    (
      "Too many attempts to sign in. Try again in {} seconds.",
      "Zu viele Versuche, sich anzumelden. Versuche es in {} Sekunden noch einmal."
    ),
    (
      "Too many attempts. Try again in {} seconds.",
      "Zu viele Versuche. Versuche es in {} Sekunden noch einmal."
    ),
    (
      "There were too many links that do not exist. Try again in {} seconds.",
      "Das waren zu viele Links, die es nicht gibt. Versuche es in {} Sekunden noch einmal."
    ),
    ("This is not your present password.", "Das ist nicht dein bisheriges Passwort."),
    (
      "This name is already taken. Choose another name.",
      "Diesen Namen gibt es hier schon. Wähle einen anderen."
    ),
    (
      "Titles of albums were changed too often. Try again in a minute.",
      "Titel von Alben wurden zu oft geändert. Versuche es in einer Minute noch einmal."
    ),
    (
      "The name was changed too often. Try again in {} minutes.",
      "Der Name wurde zu oft geändert. Versuche es in {} Minuten noch einmal."
    ),
    (
      "The name is too long. Use at most {} characters.",
      "Der Name ist zu lang. Er darf höchstens {} Zeichen haben."
    ),
    (
      "The name is empty. Enter at least one character.",
      "Der Name ist leer. Gib mindestens ein Zeichen ein."
    ),
    (
      "The name has extra spaces. Use single spaces, and none at the start or end.",
      "Der Name hat überzählige Leerzeichen. Verwende einzelne, und keine am Anfang oder Ende."
    ),
    (
      "The name has a colon, an invisible character or another invalid character. Remove it.",
      "Der Name enthält einen Doppelpunkt, ein unsichtbares oder ein anderes ungültiges Zeichen. Entferne es."
    ),
    (
      "The name has no visible character. Add one.",
      "Der Name hat kein sichtbares Zeichen. Füge eines hinzu."
    ),
    (
      "The password is too short. Use at least {} characters.",
      "Das Passwort ist zu kurz. Es braucht mindestens {} Zeichen."
    ),
    (
      "The password is too long. Use at most {} bytes.",
      "Das Passwort ist zu lang. Es darf höchstens {} Bytes haben."
    ),
    (
      "The two passwords differ. Enter the same password twice.",
      "Die beiden Passwörter sind verschieden. Gib zweimal dasselbe Passwort ein."
    ),
    ("The user does not exist.", "Diese Person gibt es hier nicht."),
    (
      "There are too many open invitations. Revoke some first.",
      "Es gibt zu viele offene Einladungen. Widerrufe zuerst einige."
    ),
    (
      "This user is the only owner. Make another user an owner first.",
      "Diese Person ist der einzige Admin. Gib zuerst einer anderen Person diese Rolle."
    ),
    (
      "This link does not work any more: it was used, has expired or was revoked. Ask the person who sent it for a new one.",
      "Dieser Link funktioniert nicht mehr: Er wurde benutzt, ist abgelaufen oder wurde widerrufen. Bitte die Person, die ihn geschickt hat, um einen neuen."
    ),
    (
      "This link does not work, or not any more. Ask the person who sent it for another one.",
      "Dieser Link funktioniert nicht oder nicht mehr. Bitte die Person, die ihn geschickt hat, um einen neuen."
    ),
    (
      "This link has expired. Ask the person who sent it for another one.",
      "Dieser Link ist abgelaufen. Bitte die Person, die ihn geschickt hat, um einen neuen."
    ),
    (
      "Removing an account cannot be undone. Confirm it with “sure”.",
      "Ein Konto zu entfernen lässt sich nicht rückgängig machen. Bestätige es zuerst."
    ),
    (
      "Your own posts and comments cannot be kept, because you would keep them. Choose to delete them too, or ask another owner to remove the account.",
      "Deine eigenen Beiträge und Kommentare kannst du nicht behalten. Lösche sie mit dem Konto, oder bitte einen anderen Admin, das Konto zu entfernen."
    ),
    (
      "Choose what happens to the posts and comments: “content” must be kept or removed.",
      "Wähle, was mit den Beiträgen und Kommentaren geschieht."
    ),
    (
      "The request comes from another site. Repeat the action on Kennel's own page.",
      "Die Anfrage kommt von einer anderen Seite. Wiederhole sie auf der Seite des Kennels."
    ),
  ]

  private static let photoSentences: [(String, String)] = [
    (
      "The upload does not exist. It may have expired or been cancelled. Start it again.",
      "Diesen Upload gibt es nicht mehr. Fang ihn noch einmal an."
    ),
    (
      "You have {} unfinished uploads. Finish or cancel some of them, or wait until they expire.",
      "Du hast {} unfertige Uploads. Beende einige davon oder brich sie ab."
    ),
    (
      "Your unfinished uploads have more than {} together. Finish or cancel some of them.",
      "Deine unfertigen Uploads haben zusammen mehr als {}. Beende einige davon oder brich sie ab."
    ),
    (
      "The post does not exist. It may have been deleted.",
      "Dieses Foto gibt es nicht. Vielleicht wurde es gelöscht."
    ),
    (
      "The post is not in the bin. It may have been restored or deleted.",
      "Das Foto ist nicht im Papierkorb. Vielleicht wurde es wiederhergestellt oder gelöscht."
    ),
    (
      "The comment does not exist. It may have been deleted.",
      "Diesen Kommentar gibt es nicht. Vielleicht wurde er gelöscht."
    ),
    (
      "The caption is too long. Use at most {} characters and {} bytes.",
      "Die Beschreibung ist zu lang. Sie darf höchstens {} Zeichen und {} Bytes haben."
    ),
    ("The caption is too long. Make it shorter.", "Die Beschreibung ist zu lang. Kürze sie."),
    (
      "The comment is too long. Use at most {} characters and {} bytes.",
      "Der Kommentar ist zu lang. Er darf höchstens {} Zeichen und {} Bytes haben."
    ),
    ("The comment is empty. Write something.", "Der Kommentar ist leer. Schreib etwas."),
    (
      "The search is too long. Use at most {} characters and {} bytes.",
      "Die Suche ist zu lang. Sie darf höchstens {} Zeichen und {} Bytes haben."
    ),
    (
      "The search has too many words. Use at most {} words.",
      "Die Suche hat zu viele Wörter. Es dürfen höchstens {} sein."
    ),
    (
      "There are other collages from this address. Try again in a moment.",
      "Es entstehen schon andere Collagen für diese Adresse. Versuche es gleich noch einmal."
    ),
    (
      "There are other searches from this address. Try again in a moment.",
      "Es laufen schon andere Suchen von dieser Adresse. Versuche es gleich noch einmal."
    ),
    (
      "There is no room for this photo: your photos take {} of {}, and this one has {}. Delete photos, also from the bin, or ask an owner for more space.",
      "Für dieses Foto ist kein Platz: Deine Fotos belegen {} von {}, und dieses hat {}. Lösche Fotos, auch aus dem Papierkorb, oder bitte einen Admin um mehr Platz."
    ),
    (
      "The photo is too large. The maximum is {} and {} megapixels. Make it smaller.",
      "Das Foto ist zu groß. Es darf höchstens {} und {} Megapixel haben. Verkleinere es."
    ),
    (
      "The photo has more than {}. Make it smaller.", "Das Foto hat mehr als {}. Verkleinere es."
    ),
    (
      "The request is larger than this kennel accepts.", "Die Anfrage ist größer, als dieser Kennel annimmt."
    ),
    (
      "The request body is too large. The maximum is {}.",
      "Die Anfrage ist zu groß. Höchstens {} sind erlaubt."
    ),
    (
      "The file type is not supported. Use a JPEG, PNG, WebP, GIF, HEIC or AVIF image, or an MP4 or MOV video.",
      "Diese Art von Datei wird nicht unterstützt. Verwende ein Bild im Format JPEG, PNG, WebP, GIF, HEIC oder AVIF oder ein Video im Format MP4 oder MOV."
    ),
    (
      "The photo is incomplete. Upload the complete file.",
      "Das Foto ist unvollständig. Lade die vollständige Datei hoch."
    ),
    (
      "The photo is damaged. Save it again in an image editor and upload the new file.",
      "Das Foto ist beschädigt. Speichere es in einem Bildprogramm neu und lade die neue Datei hoch."
    ),
    (
      "The picture must be a photo. Use a JPEG, PNG, WebP, GIF, HEIC or AVIF image.",
      "Das Bild muss ein Foto sein. Verwende ein Bild im Format JPEG, PNG, WebP, GIF, HEIC oder AVIF."
    ),
    (
      "The size is not valid. Use a number with a unit, such as 20 GB or 500 MB.",
      "Die Größe ist nicht gültig. Gib eine Zahl mit Einheit an, zum Beispiel 20 GB oder 500 MB."
    ),
    ("This person has no picture.", "Diese Person hat kein Bild."),
    (
      "The photo is empty. Upload a file that is not empty.",
      "Das Foto ist leer. Lade eine andere Datei hoch."
    ),
    (
      "The photo was already shared. It is at {}. To share it again, add ?duplicate=allow to the address.",
      "Das Foto wurde schon geteilt. Es ist hier: {}"
    ),
    (
      "A photo cannot have been taken at that time. Use a date from 1826 until today.",
      "Zu dieser Zeit kann kein Foto entstanden sein. Gib ein Datum von 1826 bis heute an."
    ),
    ("Only the author of the photo can do this.", "Das darf nur die Person, die das Foto geteilt hat."),
    (
      "Only the author or an owner can {}.",
      "Das dürfen nur die Person, von der es ist, und Admins."
    ),
    (
      "The photo is being changed by another request. Try again in a moment.",
      "Das Foto wird gerade geändert. Versuche es gleich noch einmal."
    ),
    ("The album does not show this photo any more.", "Das Album enthält dieses Foto nicht mehr."),
  ]

  private static let albumSentences: [(String, String)] = [
    (
      "The album does not exist. It may have been deleted.",
      "Dieses Album gibt es nicht. Vielleicht wurde es gelöscht."
    ),
    (
      "The title is too long. Use at most {} characters and {} bytes.",
      "Der Titel ist zu lang. Er darf höchstens {} Zeichen und {} Bytes haben."
    ),
    ("The title is empty. Write something.", "Der Titel ist leer. Schreib etwas."),
    (
      "Only the owner of the album or an owner of the kennel can {}.",
      "Das dürfen nur die Person, der das Album gehört, und Admins."
    ),
    ("Only members and owners can make albums.", "Alben anlegen dürfen nur Mitglieder und Admins."),
    (
      "Only members and owners can add photos to albums.",
      "Fotos zu Alben hinzufügen dürfen nur Mitglieder und Admins."
    ),
    (
      "Only members and owners can make links to albums.",
      "Links zu Alben erstellen dürfen nur Mitglieder und Admins."
    ),
    (
      "The kennel has {} albums already. Delete one of them first.",
      "Der Kennel hat schon {} Alben. Lösche zuerst eines davon."
    ),
    (
      "An album has at most {} photos. Make another album for the rest.",
      "Ein Album hat höchstens {} Fotos. Lege für die übrigen ein weiteres an."
    ),
    (
      "The photo is not in the album. Add it to the album first.",
      "Das Foto ist nicht im Album. Füge es zuerst hinzu."
    ),
    (
      "There are {} links to this already. Revoke one of them first.",
      "Dafür gibt es schon {} Links. Widerrufe zuerst einen davon."
    ),
    (
      "The link does not exist. It may have been revoked.",
      "Diesen Link gibt es nicht. Vielleicht wurde er widerrufen."
    ),
    (
      "Too many archives are being downloaded. Try again in a moment.",
      "Gerade werden zu viele Archive heruntergeladen. Versuche es gleich noch einmal."
    ),
    (
      "The database of this kennel cannot be reached. Try again in a moment.",
      "Die Datenbank dieses Kennels ist gerade nicht erreichbar. Versuche es gleich noch einmal."
    ),
    (
      "The database is busy or does not answer. Try again in a moment.",
      "Die Datenbank ist überlastet oder antwortet nicht. Versuche es gleich noch einmal."
    ),
    (
      "The database took too long. Try again in a moment.",
      "Die Datenbank hat zu lange gebraucht. Versuche es gleich noch einmal."
    ),
    (
      "The connection to the database was lost. The last change may have been made or not. Check it, then try again.",
      "Die Verbindung zur Datenbank ist abgerissen. Die letzte Änderung wurde vielleicht ausgeführt. Prüfe das und versuche es dann noch einmal."
    ),
    (
      "The store of the photos cannot be reached. Nothing was lost. Try again in a moment.",
      "Der Speicher der Fotos ist gerade nicht erreichbar. Nichts ging verloren. Versuche es gleich noch einmal."
    ),
    (
      "Kennel is shutting down. Try again when it has restarted.",
      "Der Kennel wird gerade beendet. Versuche es, wenn er wieder läuft."
    ),
    (
      "Kennel has no disk space left. Nothing was changed. Contact the owner.",
      "Der Kennel hat keinen Speicherplatz mehr. Nichts wurde geändert. Frag einen Admin."
    ),
  ]
}
