// A kennel's data directory with users and posts, made with `kennel`.
import Foundation

struct KennelData {
  /// The number of posts of each picture. It is enough for a round of uncached thumbnails.
  static let postsPerPicture = 240
  static let users = 8
  static let password = "tennis ball"
  static let pictures = [PictureFile.middling(.smooth), .middling(.noisy)]

  let directory: URL
  /// The photos of all posts, with names such as `7/photo.jpg`, for peers that read files.
  let photos: URL
  private let program: URL

  /// Makes the directory if it does not exist, or is older than the pictures or the program.
  init(_ place: Place) throws {
    let folder = place.work.appending(path: "kennel", directoryHint: .isDirectory)
    directory = folder.appending(path: "data", directoryHint: .isDirectory)
    photos = folder.appending(path: "photos", directoryHint: .isDirectory)
    program = place.products.appending(path: "kennel")
    let stamp = folder.appending(path: "made")
    let files = try Self.pictures.map { try $0.make(in: place) }
    if let made = Self.date(stamp),
      (files + [program]).allSatisfy({ (Self.date($0) ?? .distantFuture) < made })
    {
      return
    }
    warn("bench: making the data directory of a kennel")
    try? FileManager.default.removeItem(at: folder)
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    for (index, file) in files.enumerated() { try copies(of: file, from: index * Self.postsPerPicture + 1) }
    for number in 0..<Self.users {
      try run("user", "add", Self.user(number), "--password-stdin", "--data", directory.path)
    }
    try run("import", "--quiet", "--data", directory.path, photos.path)
    try Data().write(to: stamp)
  }

  static func user(_ number: Int) -> String { "User\(number)" }

  /// The numbers of the posts with a picture.
  static func posts(of picture: PictureFile) -> ClosedRange<Int> {
    let first = (pictures.firstIndex(of: picture) ?? 0) * postsPerPicture + 1
    return first...first + postsPerPicture - 1
  }

  /// Copies a picture to many files. Each has a different comment, so that Kennel stores it as another photo.
  private func copies(of file: URL, from first: Int) throws {
    let jpeg = try Data(contentsOf: file)
    for number in first..<first + Self.postsPerPicture {
      let text = Data("\(number)".utf8)
      let comment = Data([0xff, 0xfe, 0, UInt8(text.count + 2)]) + text
      let folder = photos.appending(path: "\(number)", directoryHint: .isDirectory)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      let copy = folder.appending(path: "photo.jpg")
      try (jpeg.prefix(2) + comment + jpeg.dropFirst(2)).write(to: copy)
      // Kennel imports files in the order of their dates.
      let date = Date(timeIntervalSince1970: 1_700_000_000 + Double(number) * 60)
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: copy.path)
    }
  }

  private func run(_ arguments: String...) throws {
    let line = "printf '%s\\n' '\(Self.password)' | \"$0\" \"$@\" >/dev/null"
    _ = try Child("/bin/sh", ["-c", line, program.path] + arguments).finish(within: 300)
  }

  private static func date(_ file: URL) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
  }
}
