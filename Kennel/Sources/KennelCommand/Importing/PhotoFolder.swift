import Foundation
import Glibc

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
  /// Files and folders whose names are not UTF-8, with other characters in place of the wrong bytes.
  private(set) var unnamed: [String] = []

  /// Reads the folder, without hidden files and symbolic links. Blocks the thread.
  init(_ root: String) {
    // Paths are bytes here, because Foundation leaves out names that are not UTF-8.
    var folders = [Array(URL(fileURLWithPath: root, isDirectory: true).path.utf8CString.dropLast())]
    while let folder = folders.popLast() { folders += read(folder) }
    files.sort(by: File.isOlder)
  }

  /// Adds the files of a folder, and returns its subfolders. No path ends with a zero.
  private mutating func read(_ folder: [CChar]) -> [[CChar]] {
    guard let directory = opendir(folder + [0]) else {
      unreadable.append(Self.text(folder))
      return []
    }
    defer { closedir(directory) }
    var folders: [[CChar]] = []
    while true {
      errno = 0
      guard let entry = readdir(directory) else {
        if errno != 0 { unreadable.append(Self.text(folder)) }
        return folders
      }
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          Array(UnsafeBufferPointer(start: $0, count: strlen($0)))
        }
      }
      guard name.first != CChar(bitPattern: UInt8(ascii: ".")) else { continue }
      let path = folder + [CChar(bitPattern: UInt8(ascii: "/"))] + name
      var status = stat()
      guard lstat(path + [0], &status) == 0 else {
        // The file may have been removed in the meantime.
        if errno == ENOENT { continue }
        unreadable.append(Self.text(path))
        continue
      }
      if add(path, status) { folders.append(path) }
    }
  }

  /// Adds a file. Returns whether it is a folder that can be read.
  private mutating func add(_ path: [CChar], _ status: stat) -> Bool {
    let kind = status.st_mode & S_IFMT
    guard kind == S_IFDIR || kind == S_IFREG else { return false }
    let text = Self.text(path)
    if kind == S_IFREG, !Self.suffixes.contains(URL(fileURLWithPath: text).pathExtension.lowercased()) {
      otherCount += 1
      return false
    }
    guard text.utf8.elementsEqual(path.map { UInt8(bitPattern: $0) }) else {
      unnamed.append(text)
      return false
    }
    if kind == S_IFDIR { return true }
    files.append(File(path: text, byteCount: Int(status.st_size), date: Date(status.st_mtim)))
    return false
  }

  private static func text(_ path: [CChar]) -> String {
    String(decoding: path.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
