// The pictures for thumbnails, drawn by bench-pictures and encoded by Pillow or heif-enc.
import Foundation

struct PictureFile: Hashable {
  /// The names that bench-pictures uses.
  enum Surface: String { case smooth, noisy }
  enum Kind: String {
    case jpeg = "jpg"
    case progressive = "progressive.jpg"
    case png, webp, heic
  }

  let surface: Surface
  let width: Int
  let height: Int
  let kind: Kind

  static func large(_ surface: Surface, _ kind: Kind = .jpeg) -> PictureFile {
    PictureFile(surface: surface, width: 4_000, height: 3_000, kind: kind)
  }

  /// A HEIC of an iPhone's structure: 48 tiles.
  static func phone(_ surface: Surface) -> PictureFile {
    PictureFile(surface: surface, width: 4_032, height: 3_024, kind: .heic)
  }

  static func small(_ surface: Surface, _ kind: Kind) -> PictureFile {
    PictureFile(surface: surface, width: 1_280, height: 960, kind: kind)
  }

  /// 2.8 megapixels.
  static func middling(_ surface: Surface) -> PictureFile {
    PictureFile(surface: surface, width: 1_936, height: 1_452, kind: .jpeg)
  }

  var name: String { "\(surface.rawValue)-\(width)x\(height).\(kind.rawValue)" }

  /// Returns the file. Makes it if it does not exist, or is older than the drawing program or the encoder.
  func make(in place: Place) throws -> URL {
    let folder = place.work.appending(path: "pictures", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let file = folder.appending(path: name)
    let painter = place.products.appending(path: "bench-pictures")
    let encoder = place.root.appending(path: "Benchmarks/peers/encode.py")
    if let made = Self.date(file), [painter, encoder].allSatisfy({ (Self.date($0) ?? made) < made }) {
      return file
    }
    warn("bench: making \(name)")
    let drawing = folder.appending(path: "drawing.ppm")
    defer { try? FileManager.default.removeItem(at: drawing) }
    // Pictures of one surface show different scenes.
    let arguments = [surface.rawValue, "\(width)", "\(height)", width > 2_000 ? "1" : "2", drawing.path]
    _ = try Child(painter.path, arguments).finish(within: Laboratory.patience)
    _ = try Child(place.python, [encoder.path, drawing.path, file.path]).finish(within: Laboratory.patience)
    return file
  }

  private static func date(_ file: URL) -> Date? {
    try? FileManager.default.attributesOfItem(atPath: file.path)[.modificationDate] as? Date
  }
}
