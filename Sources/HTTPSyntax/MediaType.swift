/// Common media types and their file name extensions.
public enum MediaType {
  /// The preferred extension comes first.
  private static let endings: [(type: String, endings: [String])] = [
    ("application/gzip", ["gz"]), ("application/json", ["json"]), ("application/pdf", ["pdf"]),
    ("application/x-tar", ["tar"]), ("application/xhtml+xml", ["xhtml"]), ("application/xml", ["xml"]),
    ("application/zip", ["zip"]), ("audio/mpeg", ["mp3"]), ("audio/mp4", ["m4a"]),
    ("audio/ogg", ["ogg", "oga"]), ("audio/wav", ["wav"]), ("font/woff2", ["woff2"]),
    ("image/avif", ["avif"]),
    ("image/bmp", ["bmp"]), ("image/gif", ["gif"]), ("image/heic", ["heic"]),
    ("image/jpeg", ["jpeg", "jpg", "jpe"]), ("image/png", ["png"]), ("image/svg+xml", ["svg"]),
    ("image/tiff", ["tiff", "tif"]), ("image/webp", ["webp"]), ("text/calendar", ["ics"]),
    ("text/css", ["css"]), ("text/csv", ["csv"]), ("text/html", ["html", "htm"]),
    ("text/javascript", ["js", "mjs"]), ("text/markdown", ["md", "markdown"]),
    ("text/plain", ["txt", "text", "log"]), ("video/mp4", ["mp4", "m4v"]),
    ("video/quicktime", ["mov", "qt"]),
    ("video/webm", ["webm"]),
  ]

  /// Types that servers still send, in addition to the registered types for the same files.
  private static let otherNames = ["application/javascript": "js", "text/xml": "xml"]

  private static let endingsByType = otherNames.merging(
    endings.compactMap { entry in entry.endings.first.map { (entry.type, $0) } }, uniquingKeysWith: { $1 })

  private static let typesByEnding = Dictionary(
    endings.flatMap { entry in entry.endings.map { ($0, entry.type) } },
    uniquingKeysWith: { first, _ in first })

  /// Returns the preferred file name extension of a type, without the dot.
  public static func ending(of type: String) -> String? { endingsByType[type] }

  /// Returns the media type for a file name; nil if the extension is missing or unknown.
  public static func type(ofFile name: String) -> String? {
    let last = name.split(separator: "/").last ?? ""
    guard let dot = last.lastIndex(of: "."), dot > last.startIndex else { return nil }
    return typesByEnding[last[last.index(after: dot)...].lowercased()]
  }
}
