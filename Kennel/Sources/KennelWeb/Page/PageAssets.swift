import CKennelPage
import Foundation
import KennelStorage

/// The files of the page, which are embedded in the program.
enum PageAssets {
  struct Asset: Sendable {
    var bytes: Data
    var contentType: String
    /// The entity tag of the bytes.
    var etag: String

    fileprivate init(_ bytes: Data, named name: String) {
      self.bytes = bytes
      contentType = PageAssets.contentType(of: name)
      etag = Sodium.base64(Array(Sodium.sha256(Array(bytes)).prefix(12)))
    }
  }

  static let all: [String: Asset] = {
    var assets: [String: Asset] = [:]
    var index = 0
    while let file = kennel_page_file_at(index)?.pointee {
      let name = String(cString: file.name)
      let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
      assets[name] = Asset(Data(bytes), named: name)
      index += 1
    }
    // Browsers request this file automatically.
    assets["favicon.ico"] = assets["icon-180.png"]
    return assets
  }()

  /// The style sheets. A later one overrides an earlier one.
  static let styles = ["base.css", "grid.css", "photo.css", "sheets.css", "motion.css"]

  /// The modules to preload, so that the browser loads them in parallel and not one after the other.
  static let modules = all.keys.filter { $0.hasSuffix(".js") && $0 != "app.js" }.sorted()

  static let manifestName = "manifest.webmanifest"

  /// Returns the web app manifest for the home screen of a phone, with the kennel's own name.
  static func manifest(title: String) -> Asset? {
    guard let asset = all[manifestName],
      var members = try? JSONSerialization.jsonObject(with: asset.bytes) as? [String: Any]
    else { return nil }
    members["name"] = title
    members["short_name"] = title
    return
      (try? JSONSerialization.data(
        withJSONObject: members, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]))
      .map { Asset($0, named: manifestName) }
  }

  private static func contentType(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json"
    default: "text/plain; charset=utf-8"
    }
  }
}
