// The pictures for thumbnails: drawn by bench-pictures, or photographs of a Debian package; encoded by Pillow or heif-enc.
import Foundation

struct PictureFile: Hashable {
  /// The names that bench-pictures uses, and photographs.
  enum Surface: String {
    case smooth, noisy
    case elephants, aqua, blinds, flower, garden, ladybird, meadow, storm, wings, wood, yellow
  }
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

  /// Photographs with odd sides, so that no scale of a JPEG decoder divides them. The sides are those of the original,
  /// less a few pixels.
  static let photographs: [PictureFile] = {
    let sides: [(Surface, Int, Int)] = [
      (.elephants, 4_001, 3_001), (.elephants, 2_801, 2_101), (.wood, 2_557, 1_917), (.aqua, 2_557, 1_597),
      (.garden, 2_555, 1_597), (.yellow, 2_553, 1_597), (.ladybird, 2_551, 1_591), (.wings, 2_549, 1_589),
      (.storm, 1_917, 1_277), (.blinds, 1_915, 1_197), (.flower, 1_597, 1_197), (.meadow, 1_277, 1_021),
    ]
    return sides.map { PictureFile(surface: $0.0, width: $0.1, height: $0.2, kind: .jpeg) }
  }()

  /// The path of a photograph in build/photographs; nil for a picture that is drawn.
  private var photograph: String? {
    let name: String
    switch surface {
    case .smooth, .noisy: return nil
    case .elephants: name = "abstract/Elephants_5640x3172"
    case .aqua: name = "nature/Aqua"
    case .blinds: name = "nature/Blinds"
    case .flower: name = "nature/FreshFlower"
    case .garden: name = "nature/Garden"
    case .ladybird: name = "nature/LadyBird"
    case .meadow: name = "nature/GreenMeadow"
    case .storm: name = "nature/Storm"
    case .wings: name = "nature/TwoWings"
    case .wood: name = "nature/Wood"
    case .yellow: name = "nature/YellowFlower"
    }
    return "build/photographs/usr/share/backgrounds/mate/\(name).jpg"
  }

  var isPhotograph: Bool { photograph != nil }

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
    if let photograph {
      let source = place.root.appending(path: photograph).path
      _ = try Child(place.python, [encoder.path, source, file.path, "\(width)x\(height)"])
        .finish(within: Laboratory.patience)
      return file
    }
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
