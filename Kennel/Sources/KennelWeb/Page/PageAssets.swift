import CKennelPage
import Foundation
import KennelModel
import KennelStorage
import Synchronization

/// The files of the page, which are embedded in the program.
enum PageAssets {
  /// A file. It is compressed once for each coding.
  final class Asset: Sendable {
    let bytes: Data
    let contentType: String
    /// The text of the bytes' entity tag.
    let etag: String
    /// The bytes in the codings that clients have asked for, or nil if a coding does not make them smaller.
    private let encoded = Mutex<[ContentCoding: Data?]>([:])

    fileprivate init(_ bytes: Data, named name: String) {
      self.bytes = bytes
      contentType = PageAssets.contentType(of: name)
      etag = Sodium.base64(Array(Sodium.sha256(Array(bytes)).prefix(12)))
    }

    /// Returns the bytes in a coding, or as they are if the coding does not make them smaller.
    func bytes(in coding: ContentCoding) -> (bytes: Data, coding: ContentCoding) {
      // Images are compressed already.
      if coding == .identity || contentType == "image/png" { return (bytes, .identity) }
      if let known = encoded.withLock({ $0[coding] }) {
        return known.map { ($0, coding) } ?? (bytes, .identity)
      }
      // Not under the lock, because it takes milliseconds. Two first requests may both do it, with the same result.
      let data = coding.encoded(bytes, effort: .best)
      encoded.withLock { $0[coding] = .some(data) }
      return data.map { ($0, coding) } ?? (bytes, .identity)
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
    for language in Language.allCases {
      assets[texts(language)] = Asset(Words.of(language).scripts.module, named: texts(language))
    }
    // Browsers request this file automatically.
    assets["favicon.ico"] = assets["icon-180.png"]
    return assets
  }()

  /// The name of the module with the texts of the scripts in a language.
  static func texts(_ language: Language) -> String { "texts-\(language.rawValue).js" }

  /// The style sheets. A later one overrides an earlier one.
  static let styles = [
    "base.css", "grid.css", "search.css", "photo.css", "albums.css", "sheets.css", "account.css",
    "motion.css",
  ]

  /// The modules to preload, so that the browser loads them in parallel and not one after the other.
  static let modules = all.keys.filter { name in
    name.hasSuffix(".js") && !name.hasPrefix("texts-")
      && !["app.js", workerName, emptyWorkerName].contains(name)
  }.sorted()

  /// A fingerprint of all files. It is a folder in the addresses of the files, so that a browser may keep a file forever:
  /// in another version of the program, it has another address. The modules import each other by relative addresses, so
  /// they all come from the same version.
  static let fingerprint: String = {
    let files = all.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.etag)\n" }.joined()
    return Sodium.base64(Array(Sodium.sha256(Array(files.utf8)).prefix(9)))
  }()

  /// Returns the address of a file that never changes.
  static func address(of name: String) -> String { "/assets/\(fingerprint)/\(name)" }

  /// The service worker. Its address is at the root, because it decides about all pages below its own folder.
  static let workerName = "worker.js"

  /// The service worker of a kennel without one. It removes the one that a browser has.
  static let emptyWorkerName = "worker-off.js"

  static let manifestName = "manifest.webmanifest"

  /// Returns the web app manifest for the home screen of a phone, with the kennel's own name.
  ///
  /// - Parameter acceptsVideos: whether the share sheet of the phone offers the kennel for videos, too.
  static func manifest(title: String, acceptsVideos: Bool = true) -> Asset? {
    guard let asset = all[manifestName],
      var members = try? JSONSerialization.jsonObject(with: asset.bytes) as? [String: Any]
    else { return nil }
    members["name"] = title
    members["short_name"] = title
    if !acceptsVideos { removeVideoTypes(from: &members) }
    return
      (try? JSONSerialization.data(
        withJSONObject: members, options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]))
      .map { Asset($0, named: manifestName) }
  }

  private static func removeVideoTypes(from members: inout [String: Any]) {
    guard var target = members["share_target"] as? [String: Any],
      var parameters = target["params"] as? [String: Any], let files = parameters["files"] as? [[String: Any]]
    else { return }
    parameters["files"] = files.map { file in
      file.merging(["accept": (file["accept"] as? [String])?.filter { !$0.hasPrefix("video/") } ?? []]) { $1 }
    }
    target["params"] = parameters
    members["share_target"] = target
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
