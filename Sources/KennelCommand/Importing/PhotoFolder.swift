import Foundation

/// The photos in a folder and below it, the oldest first.
struct PhotoFolder: Sendable {
  struct File: Sendable, Hashable {
    var path: String
    var byteCount: Int
    var date: Date

    /// The order in which files are posted.
    static func isOlder(_ one: File, _ other: File) -> Bool {
      (one.date, one.path) < (other.date, other.path)
    }
  }

  private static let suffixes: Set = ["jpg", "jpeg", "jpe", "png", "webp", "gif"]

  private(set) var files: [File] = []
  /// How many files are no photos by their names.
  private(set) var others = 0
  /// Folders that cannot be read.
  private(set) var unreadable: [String] = []

  /// Reads the folder; hidden files and links are left out. Blocks.
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
        others += 1
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

/// Captions from the names of files.
enum CaptionText {
  /// `rex_at-the-beach (2).jpg` says “rex at the beach”; a name that a camera gave says nothing.
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
