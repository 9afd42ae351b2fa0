import Foundation

/// Writes MP4 and QuickTime files around a few bytes that stand for coded pictures and sounds.
public struct MovieFixture: Sendable {
  /// A track of the file.
  public struct Track: Sendable {
    /// What the track contains.
    public var handler = "vide"
    /// The coding of the samples.
    public var codec = "avc1"
    /// The samples, one for each chunk.
    public var samples: [[UInt8]]
    /// The name of its handler.
    public var name = "VideoHandler"
    /// How the pictures are turned, as numbers with 16 bits after the point.
    public var matrix: [Int] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
    /// The width in pixels.
    public var width = 1920
    /// The height in pixels.
    public var height = 1080
    /// Boxes at the end of the track.
    public var extra: [UInt8] = []

    /// Creates a track.
    public init(
      handler: String = "vide", codec: String = "avc1", samples: [[UInt8]], name: String = "VideoHandler",
      width: Int = 1920, height: Int = 1080
    ) {
      (self.handler, self.codec, self.samples, self.name) = (handler, codec, samples, name)
      (self.width, self.height) = (width, height)
    }
  }

  /// Creates a file with pictures and sounds.
  public init() {}

  /// The samples of the pictures.
  public static let pictures: [[UInt8]] = [[1, 2, 3, 4, 5], [6, 7], [8, 9, 10]]
  /// The samples of the sounds.
  public static let sounds: [[UInt8]] = [[11, 12], [13, 14, 15, 16]]
  /// The matrix of pictures that are turned to the right.
  public static let rotatedRight = [0, 0x10000, 0, -0x10000, 0, 0, 0x4380000, 0, 0x4000_0000]

  /// The brand, which is the format.
  public var brand = "isom"
  /// The tracks.
  public var tracks = [
    Track(samples: pictures),
    Track(handler: "soun", codec: "mp4a", samples: sounds, name: "SoundHandler", width: 0, height: 0),
  ]
  /// Whether the description comes before the data.
  public var isDescriptionFirst = false
  /// Whether the size of the data has 64 bits.
  public var hasLongSizes = false
  /// Whether the positions of samples have 64 bits.
  public var hasLongOffsets = false
  /// The seconds since 1904, or 0.
  public var creationTime = 0
  /// Boxes at the end of the description.
  public var extra: [UInt8] = []
  /// Boxes at the end of the file.
  public var trailer: [UInt8] = []
  /// Bytes in the data that no sample has.
  public var unusedData: [UInt8] = []

  /// The file of a phone: turned, with a place, names and a track of positions.
  public static var phone: MovieFixture {
    var movie = MovieFixture()
    movie.brand = "qt  "
    movie.creationTime = 3_803_808_600
    movie.tracks[0].matrix = rotatedRight
    movie.tracks[0].extra = box("udta", text("name", "Ada's camera"))
    movie.tracks.append(
      Track(handler: "meta", codec: "mebx", samples: [Array("+52.5+13.5 secret place".utf8)], name: "Places"))
    movie.extra =
      box("udta", text("\u{A9}xyz", "+52.5200+013.4050+034.000/") + text("\u{A9}mak", "SecretCam"))
      + appleKeys([
        ("com.apple.quicktime.creationdate", "2024-07-14T15:30:00+0200"),
        ("com.apple.quicktime.location.ISO6709", "+52.5200+013.4050+034.000/"),
        ("com.apple.quicktime.make", "SecretCam"), ("com.apple.quicktime.model", "Phone 7"),
        ("com.apple.quicktime.author", "Ada Lovelace"), ("com.example.serial", "SN-123"),
      ])
    movie.trailer =
      box("uuid", [0xBE, 0x7A, 0xCF, 0xCB] + Array("xmpmeta secret".utf8)) + box("sefd", Array("secret".utf8))
    return movie
  }

  /// Texts in the file of a phone that others must not get.
  public static let secrets = [
    "secret", "Secret", "Ada", "SN-123", "xmpmeta", "52.5", "2024", "Phone 7", "Handler", "Places", "encoder",
  ]

  // MARK: Boxes

  /// Returns a number with its most significant byte first.
  public static func big(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// Returns the four bytes of a type. © is one byte.
  public static func code(_ type: String) -> [UInt8] {
    type.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  /// Returns a box.
  public static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8, 4) + code(type) + content
  }

  /// Returns a box whose size has 64 bits.
  public static func longBox(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(1, 4) + code(type) + big(content.count + 16, 8) + content
  }

  /// Returns a box with a version and flags.
  public static func full(_ type: String, _ content: [UInt8], version: UInt8 = 0, flags: Int = 0) -> [UInt8] {
    box(type, [version] + big(flags, 3) + content)
  }

  /// A text of `udta`.
  public static func text(_ type: String, _ text: String) -> [UInt8] {
    box(type, big(text.utf8.count, 2) + [0x15, 0xC7] + Array(text.utf8))
  }

  /// Returns a `meta` box with keys and values, as cameras of Apple write it.
  public static func appleKeys(_ values: [(String, String)]) -> [UInt8] {
    let keys = values.flatMap { box("mdta", Array($0.0.utf8)) }
    let items = values.enumerated().flatMap { index, value in
      big(8 + 16 + value.1.utf8.count, 4) + big(index + 1, 4)
        + box("data", big(1, 4) + big(0, 4) + Array(value.1.utf8))
    }
    return box(
      "meta",
      full("hdlr", big(0, 4) + Array("mdta".utf8) + big(0, 12) + [0])
        + full("keys", big(values.count, 4) + keys) + box("ilst", items))
  }

  // MARK: The file

  /// Returns the file.
  public func data() -> Data {
    let type = Self.box("ftyp", Self.code(brand) + Self.big(512, 4) + Self.code("isom"))
    let samples = tracks.flatMap(\.samples)
    let content = unusedData + samples.flatMap { $0 }
    let media = hasLongSizes ? Self.longBox("mdat", content) : Self.box("mdat", content)
    let start = type.count + (hasLongSizes ? 16 : 8) + unusedData.count
    let description = description(start: 0)
    let moved = self.description(start: start + (isDescriptionFirst ? description.count : 0))
    return Data(
      isDescriptionFirst ? type + moved + media + trailer : type + media + moved + trailer)
  }

  /// The `moov` box.
  ///
  /// - Parameter start: The position of the first sample in the file.
  private func description(start: Int) -> [UInt8] {
    let times = Self.big(creationTime, 4) + Self.big(creationTime, 4)
    let header = Self.full(
      "mvhd",
      times + Self.big(600, 4) + Self.big(25_500, 4) + Self.big(0x10000, 4) + Self.big(0, 80))
    var position = start
    var all: [UInt8] = []
    for (index, track) in tracks.enumerated() {
      let offsets = track.samples.map { sample -> Int in
        defer { position += sample.count }
        return position
      }
      all += box(of: track, number: index + 1, offsets: offsets, times: times)
    }
    return Self.box("moov", header + all + extra)
  }

  private func box(of track: Track, number: Int, offsets: [Int], times: [UInt8]) -> [UInt8] {
    let head = Self.full(
      "tkhd",
      times + Self.big(number, 4) + Self.big(0, 4) + Self.big(25_500, 4) + Self.big(0, 16)
        + track.matrix.flatMap { Self.big($0, 4) } + Self.big(track.width << 16, 4)
        + Self.big(track.height << 16, 4), flags: 3)
    let isLong = hasLongOffsets
    let entry =
      track.handler == "vide"
      ? Self.box(
        track.codec,
        Self.big(1, 8) + Self.big(0, 16) + Self.big(track.width, 2) + Self.big(track.height, 2)
          + Self.big(0, 14) + [7] + Array("encoder".utf8) + Self.big(0, 24) + Self.big(24, 2)
          + Self.big(0xFFFF, 2) + Self.box("avcC", [1, 2, 3]) + Self.box("priv", Array("secret".utf8))
          + Self.big(0, 4))
      : track.handler == "soun"
        ? Self.box(track.codec, Self.big(1, 8) + Self.big(0, 20) + Self.box("esds", [4, 5]))
        : Self.box(track.codec, Self.big(1, 8))
    let table =
      Self.full("stsd", Self.big(1, 4) + entry)
      + Self.full("stts", Self.big(1, 4) + Self.big(track.samples.count, 4) + Self.big(20, 4))
      + Self.full("stsc", Self.big(1, 4) + Self.big(1, 4) + Self.big(1, 4) + Self.big(1, 4))
      + Self.full(
        "stsz",
        Self.big(0, 4) + Self.big(track.samples.count, 4) + track.samples.flatMap { Self.big($0.count, 4) })
      + Self.full(
        isLong ? "co64" : "stco",
        Self.big(offsets.count, 4) + offsets.flatMap { Self.big($0, isLong ? 8 : 4) })
    let information = Self.box(
      "minf",
      Self.full("vmhd", Self.big(0, 8), flags: 1)
        + Self.box("dinf", Self.full("dref", Self.big(1, 4) + Self.full("url ", [], flags: 1)))
        + Self.box("stbl", table))
    let media = Self.box(
      "mdia",
      Self.full("mdhd", times + Self.big(600, 4) + Self.big(25_500, 4) + Self.big(0, 4))
        + Self.full(
          "hdlr", Self.big(0, 4) + Self.code(track.handler) + Self.big(0, 12) + Array(track.name.utf8) + [0])
        + information)
    return Self.box("trak", head + media + track.extra)
  }
}
