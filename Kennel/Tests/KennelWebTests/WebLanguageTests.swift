import Foundation
import KennelTestSupport
import TestSupport
import Testing

@testable import HTTPService
@testable import KennelModel
@testable import KennelStorage
@testable import KennelWeb

@Suite(.timeLimit(.minutes(5))) struct WebLanguageTests {
  private static let german = ["Accept-Language": "de-DE,de;q=0.9,en;q=0.5"]
  private static let page = ["Accept": "text/html"]

  /// The English texts without values of a group.
  private static func texts(_ group: Any) -> [String] {
    Mirror(reflecting: group).children.compactMap { $0.value as? String }
  }

  /// The English texts that are not the same in German. Short ones may be part of other words, so only sentences and longer names
  /// are compared.
  private static let englishTexts: [String] = {
    let pairs: [(Any, Any)] = [
      (Words.english.frame, Words.german.frame), (Words.english.grid, Words.german.grid),
      (Words.english.photo, Words.german.photo), (Words.english.dialogs, Words.german.dialogs),
      (Words.english.albums, Words.german.albums), (Words.english.bin, Words.german.bin),
      (Words.english.links, Words.german.links), (Words.english.joining, Words.german.joining),
      (Words.english.you, Words.german.you), (Words.english.people, Words.german.people),
    ]
    let german = Set(pairs.flatMap { texts($0.1) })
    return pairs.flatMap { texts($0.0) }.filter { !german.contains($0) && !["Link", "Feed"].contains($0) }
  }()

  /// The texts that a page shows: those between tags, and those of attributes that people see or hear.
  private static func shown(_ page: String) -> [String] {
    var shown: [String] = []
    for piece in page.split(separator: "<").dropFirst() {
      let parts = piece.split(separator: ">", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2 { shown.append(String(parts[1]).trimmingCharacters(in: .whitespacesAndNewlines)) }
      for name in ["aria-label", "placeholder", "title", "alt"] {
        guard let place = parts[0].firstRange(of: " \(name)=\"") else { continue }
        shown.append(String(parts[0][place.upperBound...].prefix { $0 != "\"" }))
      }
    }
    return shown.filter { !$0.isEmpty }
  }

  private static func english(on page: String) -> [String] {
    let shown = shown(page)
    return englishTexts.filter { text in
      let text = text.trimmingCharacters(in: .whitespaces)
      return shown.contains { $0 == text || (text.count > 12 && $0.contains(text)) }
    }
  }

  @Test func `no page in German contains an English text`() async throws {
    try await withSite {
      $0.isOpenToEveryone = false
    } _: { web in
      let client = try await FormClient(web.site, Self.german)
      let new = try await client.get("/")
      #expect(new.text.contains("Dieser Kennel ist neu") && Self.english(on: new.text).isEmpty)
      let ada = try await web.store.addUser("Ada", role: .owner)
      let ben = try await web.store.addUser("Ben", role: .viewer)
      let post = try await web.store.addPost(1, by: ada)
      try await web.store.addPost(2, by: ada, caption: "Rex")
      _ = try await web.store.posts.addComment("Schön!", to: post.id, author: ada.id)
      let album = try await web.store.albums.make(title: "Sommer", isOpen: true, posts: [post.id], by: ada.id)
      let binned = try await web.store.addPost(3, by: ada)
      try await web.store.posts.delete(binned.id, by: ada.id)
      let link = try await web.store.posts.makeLink(
        to: .album(album.id), by: ada.id, lifetime: .seconds(3600))
      let secret = "/s/\(link.1.text)"
      let invitation = try await web.store.accounts.invite(.member, days: 7, creator: ada.id)
      let paths = [
        "/", "/hearts", "/search", "/search?q=nirgends", "/albums", "/albums/\(album.id)",
        "/photos/\(post.id)",
        "/people/\(ada.id)/photos", "/deleted", "/you", "/people", "/people/\(ada.id)", "/people/\(ben.id)",
        "/welcome", "/nowhere", "/photos/99", "/join/\(invitation.token.text)", "/join/x", secret,
        "\(secret)/photos/\(post.id)", "/s/x", "/you?done=name", "/people?done=role",
      ]
      let browsers = [
        try await FormClient(web.site, Self.german),
        try await FormClient(web.site, signedInAs: ada, in: web.store, Self.german),
        try await FormClient(web.site, signedInAs: ben, in: web.store, Self.german),
      ]
      for path in paths {
        for browser in browsers {
          let answer = try await browser.get(path)
          #expect(answer.text.contains("<html lang=\"de\">"), "\(path)")
          #expect(answer.fields["Content-Language"] == "de", "\(path)")
          #expect(answer.fields.values("Vary").joined().contains("Accept-Language"), "\(path)")
          #expect(Self.english(on: answer.text) == [], "\(path)")
        }
      }
      for form in ["/you/feed", "/people/invitations", "/people/\(ben.id)/reset"] {
        let answer = try await browsers[1].post(form, ["role": "member"])
        #expect(
          answer.status == 201 && answer.text.contains("lang=\"de\"") && Self.english(on: answer.text) == [])
      }
      let wrong = try await browsers[1].post("/you/name", ["name": " "])
      #expect(wrong.text.contains("Der Name hat überzählige Leerzeichen."))
    }
  }

  @Test func `the setting of a user is stronger than the browser, and that is stronger than the kennel`()
    async throws
  {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let browser = try await FormClient(web.site, signedInAs: ada, in: web.store, ["Accept-Language": "fr"])
      #expect(try await browser.get("/you").text.contains("<html lang=\"en\">"))
      let changed = try await browser.post("/you/language", ["language": "de"])
      #expect(changed.status == 303 && changed.location == "/you?done=language")
      let page = try await browser.get("/you?done=language")
      #expect(
        page.text.contains("Die Sprache ist geändert.") && page.text.contains("lang=\"de\" selected>Deutsch"))
      #expect(try await browser.json("/you")["language"] == .string("de"))
      #expect(try await browser.post("/you/language", json: #"{"language":"tlh"}"#).status == 422)
      #expect(try await browser.post("/you/language", json: #"{"language":""}"#).status == 204)
      #expect(try await browser.get("/you").text.contains("<html lang=\"en\">"))
      #expect(try await web.store.accounts.user(ada.id)?.language == nil)
    }
    try await withSite {
      $0.language = .german
    } _: { web in
      _ = try await web.store.addUser("Ada")
      let client = PageClient(site: web.site)
      #expect(try await client.get("/").text.contains("<html lang=\"de\">"))
      #expect(try await client.get("/", ["Accept-Language": "en"]).text.contains("<html lang=\"en\">"))
    }
  }

  @Test func `each language has its own entity tag and its own finished page`() async throws {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      try await web.store.addPost(1, by: ada)
      let client = PageClient(site: web.site)
      for path in ["/", "/photos/1", "/albums"] {
        let english = try await client.get(path, Self.page)
        let german = try await client.get(path, Self.page.merging(Self.german) { $1 })
        #expect(english.tag != german.tag && english.text != german.text)
        let again = try await client.get(
          path, Self.page.merging(Self.german) { $1 }.merging(["If-None-Match": german.tag]) { $1 })
        #expect(again.status == 304 && again.fields.values("Vary").joined().contains("Accept-Language"))
        let other = try await client.get(path, Self.page.merging(["If-None-Match": german.tag]) { $1 })
        #expect(other.status == 200 && other.text == english.text)
        // The kept page of the other language is not sent.
        #expect(try await client.get(path, Self.page.merging(Self.german) { $1 }).text == german.text)
      }
    }
  }

  @Test func `problem documents follow the field Accept-Language, and are in English without it`()
    async throws
  {
    try await withSite { web in
      let ada = try await web.store.addUser("Ada")
      let cookie = PageClient.cookie(try await web.store.accounts.beginSession(of: ada.id))
      let client = PageClient(site: web.site)
      let english = try await client.get("/posts/9", cookie)
      #expect(english.text.contains("The post does not exist.") && english.fields["Content-Language"] == "en")
      let german = try await client.get("/posts/9", cookie.merging(Self.german) { $1 })
      #expect(german.text.contains("Dieses Foto gibt es nicht.") && german.fields["Content-Language"] == "de")
      // A sentence that is only for programs becomes the general one of its status.
      let unknown = try await client.get("/posts?before=x", cookie.merging(Self.german) { $1 })
      #expect(unknown.status == 400 && unknown.text.contains("Die Anfrage ist nicht gültig."))
    }
  }

  @Test func `scripts use exactly the texts that there are`() throws {
    let names = Set(Mirror(reflecting: Words.german.scripts).children.compactMap(\.label))
    var used: Set<String> = []
    for (name, asset) in PageAssets.all where name.hasSuffix(".js") && !name.hasPrefix("texts-") {
      let code = String(decoding: asset.bytes, as: UTF8.self)
      for line in code.split(separator: "\n") where line.contains("text(") {
        for match in line.matches(of: /"(\w+)"/) where names.contains(String(match.output.1)) {
          used.insert(String(match.output.1))
        }
        for match in line.matches(of: /\btext\("(\w+)"/) {
          #expect(names.contains(String(match.output.1)), "\(name): \(match.output.1)")
        }
      }
    }
    #expect(names.subtracting(used) == [])
    for language in Language.allCases {
      let module = try #require(PageAssets.all[PageAssets.texts(language)])
      let text = String(decoding: module.bytes, as: UTF8.self)
      let json = Data(text.dropFirst(ScriptWords.start.count).dropLast(ScriptWords.end.count).utf8)
      let texts = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
      #expect(Set(texts.keys) == names)
    }
  }

  @Test func `both languages use the same placeholders`() {
    func placeholders(_ value: Any) -> Set<String> {
      let text = (value as? CountedText)?.other ?? value as? String ?? ""
      return Set(text.matches(of: /\{\w+\}/).map { String($0.output) })
    }
    let german = Dictionary(
      uniqueKeysWithValues: Mirror(reflecting: Words.german.scripts).children.map {
        ($0.label ?? "", $0.value)
      })
    for (name, value) in Mirror(reflecting: Words.english.scripts).children {
      #expect(placeholders(value) == placeholders(german[name ?? ""] ?? ""), "\(name ?? "")")
    }
  }

  @Test(arguments: [
    ("The photo is incomplete. Upload the complete file.", "Das Foto ist unvollständig."),
    ("The video has 20000 × 10 pixels. Save it with a lower resolution.", "Das Video hat 20000 × 10 Pixel."),
  ])
  func `what is wrong with a file is said in German`(sentence: String, beginning: String) {
    #expect(Words.german.problems.sentence(sentence, 422).hasPrefix(beginning))
  }

  @Test func `values are taken over into the translation of a sentence`() {
    let table = SentenceTable([
      ("Wait {} seconds.", "Warte {} Sekunden."), ("{} of {}", "{} von {}"), ("Only {} can.", "Nein."),
      ("No.", "Nein."),
    ])
    #expect(table.translation(of: "Wait 5 seconds.") == "Warte 5 Sekunden.")
    #expect(table.translation(of: "1 of 2") == "1 von 2")
    #expect(table.translation(of: "Only a cat can.") == "Nein." && table.translation(of: "No.") == "Nein.")
    #expect(table.translation(of: "Wait seconds.") == nil && table.translation(of: "") == nil)
    #expect(
      Words.german.problems.sentence("Too many attempts. Try again in 1 seconds.", 429).contains(
        "in 1 Sekunde "))
    let english = Problem(.tooManyRequests, "Try again in 1 seconds.").translated(to: .english)
    #expect(english.detail == "Try again in 1 second.")
  }

  @Test func `dates and sizes follow the rules of a language`() {
    let time = CalendarTime(localMilliseconds: 1_795_737_600_000)
    #expect(
      Words.german.dates.day(time) == "27. November 2026"
        && Words.english.dates.day(time) == "27 November 2026")
    #expect(Words.german.dates.moment(time, "16:03") == "27. November 2026, 16:03 Uhr")
    #expect(Words.german.dates.decimal("1.2") == "1,2")
    #expect(Words.german.people.belongings(1, 2) == "1 Foto und 2 Kommentare")
    #expect(StorageUsage(photoBytes: 1_500_000, disk: nil, words: .german).html.text.contains("1,5 MB"))
  }
}
