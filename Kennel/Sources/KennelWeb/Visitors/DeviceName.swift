/// The kind of a client in words, such as “Firefox on Android”, from its `User-Agent` field.
///
/// It is a help to recognize a session, and not more: a client can send any field. The words come from this list only.
struct DeviceName: Sendable, Hashable {
  let text: String

  /// The words in the field of a browser and the browser's name. Most browsers also name the ones that they resemble, so the
  /// first match counts.
  private static let browsers = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"), ("CriOS/", "Chrome"), ("Chrome/", "Chrome"), ("Chromium/", "Chromium"),
    ("Safari/", "Safari"), ("curl/", "curl"), ("Mozilla/", "A browser"),
  ]
  private static let systems = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "Mac"), ("Linux", "Linux"),
  ]

  init(_ userAgent: String) {
    // The names come early, and a search must not take long.
    let field = String(userAgent.prefix(400))
    func name(in list: [(word: String, name: String)]) -> String? {
      list.first { field.contains($0.word) }?.name
    }
    let browser = name(in: Self.browsers) ?? "A program"
    text = name(in: Self.systems).map { "\(browser) on \($0)" } ?? browser
  }
}
