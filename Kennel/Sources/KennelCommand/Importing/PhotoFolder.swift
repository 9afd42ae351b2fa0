import Foundation

/// The photos and videos in a folder and its subfolders, the oldest first.
struct PhotoFolder: Sendable {
  struct File: Sendable, Hashable {
    var path: String
    var byteCount: Int
    var date: Date

    /// Returns whether `one` is posted before `other`.
    static func isOlder(_ one: File, _ other: File) -> Bool {
      (one.date, one.path) < (other.date, other.path)
    }
  }

  private static let suffixes: Set = [
    "jpg", "jpeg", "jpe", "png", "webp", "gif", "heic", "heif", "avif", "mp4", "m4v", "mov",
    "3gp",
  ]

  private(set) var files: [File] = []
  /// The number of files without the file name extension of a photo.
  private(set) var otherCount = 0
  /// Folders that cannot be read.
  private(set) var unreadable: [String] = []

  /// Reads the folder, without hidden files and symbolic links. Blocks the thread.
  init(_ root: String) {
    let keys: [URLResourceKey] = [
      .isRegularFileKey, .isSymbolicLinkKey, .fileSizeKey, .contentModificationDateKey,
    ]
    var unreadable: [String] = []
    let walk = FileManager.default.enumerator(
      at: URL(fileURLWithPath: root, isDirectory: true), includingPropertiesForKeys: keys,
      options: [.skipsHiddenFiles]
    ) { url, _ in
      unreadable.append(url.path)
      return true
    }
    for case let url as URL in walk ?? .init() {
      guard let values = try? url.resourceValues(forKeys: Set(keys)), values.isRegularFile == true,
        values.isSymbolicLink != true
      else { continue }
      guard Self.suffixes.contains(url.pathExtension.lowercased()) else {
        otherCount += 1
        continue
      }
      files.append(
        File(
          path: url.path, byteCount: values.fileSize ?? 0, date: values.contentModificationDate ?? Date()))
    }
    files.sort(by: File.isOlder)
    self.unreadable = unreadable
  }
}

/// Captions made from file names.
enum CaptionText {
  /// Returns “rex at the beach” for `rex_at-the-beach (2).jpg`, and an empty text for a name that a camera gave.
  static func from(_ path: String) -> String {
    var name = URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    if let copy = name.range(of: #"\s*\(\d+\)$"#, options: .regularExpression) { name.removeSubrange(copy) }
    let words = name.split { $0 == "_" || $0 == "-" || $0 == " " || $0 == "+" }
    let letters = words.filter { $0.contains(where: \.isLetter) && !$0.contains(where: \.isNumber) }
    let cameras: Set = [
      "img", "dsc", "dscn", "dscf", "pxl", "mvimg", "image", "photo", "p", "cimg", "screenshot", "whatsapp",
    ]
    guard letters.contains(where: { $0.count > 1 && !cameras.contains($0.lowercased()) }) else { return "" }
    return words.joined(separator: " ")
  }
}
