// The rows about images. Every thumbnail fits into a square and is encoded as a JPEG of quality 80.

extension Measurement {
  static let thumbnailSize = 320
  /// The size of the thumbnails that servers make.
  static let servedSize = 512

  static var images: [Measurement] {
    let surfaces: [PictureFile.Surface] = [.smooth, .noisy]
    let pictures =
      surfaces.map { PictureFile.large($0) }
      + [.jpeg, .png, .webp].flatMap { kind in surfaces.map { PictureFile.small($0, kind) } }
    return pictures.map(cost) + pictures.map(quality) + PictureFile.photographs.map(quality)
      + surfaces.map { fetched(.large($0)) } + surfaces.map { fetched(.phone($0)) }
      + [.jpeg, .progressive].map { cancelled(.large(.noisy, $0)) }
      + surfaces.map { served(.middling($0)) }
  }

  private static let ours = Contender(.images, "thumbnail")
  private static let gamma = Contender(.libvips, "gamma")
  private static let linear = Contender(.libvips, "linear")
  private static let pillow = Contender(.pillow, "thumbnail")

  private static func cost(of picture: PictureFile) -> Measurement {
    // The smallest scale that keeps twice the thumbnail's width. RetrieverImages uses it, too.
    let eighths = (1...8).first { picture.width * $0 >= 8 * 2 * thumbnailSize } ?? 8
    let decode = Contender(.jpeg, "decode only, eighths:", count: eighths)
    let isLarge = picture.width > 2_000
    // For each peer, the target for a large JPEG, for a small JPEG, and for other formats.
    let peers: [(name: String, contender: Contender, large: Double?, small: Double?, other: Double?)] = [
      ("libvips", gamma, 1, 0.6, 1), ("libvips-linear", linear, 0.5, nil, nil),
      ("pillow", pillow, nil, 1.1, 1),
      ("decode", decode, 1.3, nil, nil),
    ]
    let wanted = peers.filter { picture.kind == .jpeg || $0.contender != decode }
    return Measurement(
      name: "thumbnail.\(picture.name)", method: .thumbnails(of: picture),
      contenders: [ours] + wanted.map(\.contender),
      questions: wanted.map { peer in
        let bar = picture.kind == .jpeg ? (isLarge ? peer.large : peer.small) : peer.other
        return Question(
          name: "thumbnail.\(picture.title).\(peer.name)", text: "thumbnail of a \(picture.description)",
          quantity: .imageTime, ours: ours, peer: peer.contender, bar: bar.map { .ratio(atMost: $0) })
      })
  }

  /// Compares two scores: of the encoded JPEG, and of the pixels before encoding.
  private static func quality(of picture: PictureFile) -> Measurement {
    let peers: [(name: String, contender: Contender, bar: Double)] = [
      ("libvips-linear", linear, picture.isPhotograph ? -2 : -1), ("libvips", gamma, 0),
      ("pillow", pillow, 0),
    ]
    let text = "SSIMULACRA2 of the thumbnail of a \(picture.description)"
    return Measurement(
      name: "quality.\(picture.name)", method: .quality(of: picture),
      contenders: [ours] + peers.map(\.contender),
      questions: peers.flatMap { peer in
        [
          Question(
            name: "quality.\(picture.title).\(peer.name)", text: text, quantity: .score, ours: ours,
            peer: peer.contender, bar: .difference(atLeast: peer.bar)),
          Question(
            name: "pixels.\(picture.title).\(peer.name)", text: "\(text) before encoding",
            quantity: .pixelScore, ours: ours, peer: peer.contender, bar: nil),
        ]
      })
  }

  private static func fetched(_ picture: PictureFile) -> Measurement {
    let ours = Contender(.images, "fetch")
    let text = "thumbnail of a \(picture.description) that arrives at 2 MB/s"
    let isHEIC = picture.kind == .heic
    return Measurement(
      name: "fetched.\(picture.name)", method: .trickled(picture, bytesPerSecond: 2_000_000),
      contenders: [ours],
      questions: [
        Question(
          name: "fetched.\(picture.title).delay", text: "\(text): from the last byte to the thumbnail",
          quantity: .afterLastByte, ours: ours, peer: nil, bar: .figure(atMost: isHEIC ? 60 : 20)),
        Question(
          name: "fetched.\(picture.title).memory", text: "\(text): resident memory above start and the file",
          quantity: .growthBesideFile, ours: ours, peer: nil, bar: isHEIC ? .figure(atMost: 16) : nil),
      ])
  }

  private static func cancelled(_ picture: PictureFile) -> Measurement {
    let ours = Contender(.images, "cancel")
    return Measurement(
      name: "abandoned.\(picture.name)", method: .thumbnails(of: picture), contenders: [ours],
      questions: [
        Question(
          name: "abandoned.\(picture.title)",
          text: "a half-done thumbnail of a \(picture.description): from cancelling to free memory",
          quantity: .milliseconds, ours: ours, peer: nil, bar: .figure(atMost: 10))
      ])
  }

  private static func served(_ picture: PictureFile) -> Measurement {
    besideThumbor(
      Contender(.service, ""), measurement: "served.\(picture.name)", rows: "served.\(picture.title)",
      method: .served(picture),
      text:
        "thumbnail server, \(servedSize) pixels, of a \(picture.description) at distinct URLs, 4 concurrent")
  }

  /// Compares with thumbor in both of its configurations. The target applies to each, because the better one counts.
  static func besideThumbor(
    _ ours: Contender, measurement: String, rows: String, method: Method, text: String
  ) -> Measurement {
    let ways = [1, 2].map { Contender(.thumbor, "--processes", count: $0) }
    return Measurement(
      name: measurement, method: method, contenders: [ours] + ways,
      questions: ways.flatMap { way in
        let peer = "thumbor-\(way.count ?? 1)"
        return [
          Question(
            name: "\(rows).throughput.\(peer)", text: text, quantity: .throughput, ours: ours, peer: way,
            bar: .ratio(atLeast: 1.6)),
          Question(
            name: "\(rows).cpu.\(peer)", text: text, quantity: .servedTime, ours: ours, peer: way, bar: nil),
        ]
      })
  }
}

extension PictureFile {
  private var megapixels: String { short((Double(width * height) / 1e5).rounded() / 10) }

  fileprivate var title: String { "\(megapixels)mp-\(surface.rawValue)-\(kind.title)" }

  fileprivate var description: String {
    isPhotograph
      ? "photograph of \(width) × \(height) pixels (\(surface.rawValue))"
      : "\(surface.rawValue) \(kind.description) of \(megapixels) megapixels"
  }
}

extension PictureFile.Kind {
  fileprivate var title: String { self == .progressive ? "progressive" : self == .jpeg ? "jpeg" : rawValue }

  fileprivate var description: String {
    switch self {
    case .jpeg: "JPEG"
    case .progressive: "progressive JPEG"
    case .png: "PNG"
    case .webp: "WebP"
    case .heic: "HEIC"
    }
  }
}
