import Foundation
import TestSupport
import Testing

@testable import RetrieverImages

/// Compares with exiftool, the reference for metadata: it writes files that are read here, and reads files written here.
@Suite(.timeLimit(.minutes(5))) struct ExifToolTests {
  private static let tags = [
    "-EXIF:Make=Kennel", "-EXIF:Model=K-1", "-EXIF:DateTimeOriginal=2026:11:26 16:00:01",
    "-EXIF:SubSecTimeOriginal=5", "-EXIF:OffsetTimeOriginal=-03:30", "-EXIF:ExposureTime=0.004",
    "-EXIF:FNumber=2.8", "-EXIF:ISO=400", "-EXIF:FocalLength=5.7", "-EXIF:FocalLengthIn35mmFormat=26",
    "-EXIF:Flash#=25", "-EXIF:GPSLatitude=52.51", "-EXIF:GPSLatitudeRef=S", "-EXIF:GPSLongitude=13.405",
    "-EXIF:GPSLongitudeRef=E", "-EXIF:GPSAltitude=34.5", "-EXIF:GPSAltitudeRef#=0", "-EXIF:Orientation#=7",
    "-EXIF:SerialNumber=SN-123", "-EXIF:OwnerName=Ada", "-EXIF:LensModel=26 mm", "-EXIF:Software=Firmware",
    "-XMP:Title=Ein Hund — 犬", "-XMP:Description=Am Meer", "-XMP:Subject=dog", "-XMP:Subject=sea",
    "-XMP:Rating=5",
    "-XMP:Creator=Ada", "-XMP:Rights=© Ada", "-XMP:CreatorTool=Editor",
  ]

  private static func drawn(_ name: String) throws -> Data {
    switch name {
    case "jpg": try JPEGFixture.baseline()
    case "png": PNGFixture().data()
    case "webp":
      try WebPFixture.file(WebPFixture.pixels(drawnBitmap(width: 31, height: 20), isLossless: false))
    default: GIFFixture().data()
    }
  }

  @Test(arguments: ["jpg", "png", "webp"]) func `what exiftool writes is read`(name: String) throws {
    let data = try ExifTool.write(Self.tags, to: try Self.drawn(name), as: "a.\(name)")
    let metadata = try ImageMetadata(data: data)
    let tags = try ExifTool.read(data, as: "a.\(name)")
    #expect(metadata.cameraMake == tags["EXIF:Make"] as? String && metadata.cameraMake == "Kennel")
    #expect(metadata.cameraModel == tags["EXIF:Model"] as? String)
    #expect(metadata.captureDate?.description == "2026-11-26T16:00:01.5-03:30")
    #expect(metadata.exposureTime == tags["EXIF:ExposureTime"] as? Double && metadata.exposureTime == 0.004)
    #expect(metadata.fNumber == tags["EXIF:FNumber"] as? Double && metadata.fNumber == 2.8)
    #expect(metadata.isoSpeed == tags["EXIF:ISO"] as? Int && metadata.flashFired == true)
    #expect(metadata.focalLength == 5.7 && metadata.focalLengthIn35mmFilm == 26)
    let latitude = try #require(tags["Composite:GPSLatitude"] as? Double)
    let longitude = try #require(tags["Composite:GPSLongitude"] as? Double)
    let location = try #require(metadata.location)
    #expect(abs(location.latitude - latitude) < 1e-6 && abs(location.longitude - longitude) < 1e-6)
    #expect(latitude < 0 && location.altitude == 34.5)
    #expect(metadata.orientation == .rightMirrored && tags["EXIF:Orientation"] as? Int == 7)
    #expect(metadata.cameraSerialNumber == "SN-123" && metadata.ownerName == "Ada")
    #expect(metadata.lensModel == "26 mm" && metadata.software == "Firmware")
    #expect(metadata.title == "Ein Hund — 犬" && metadata.description == "Am Meer")
    #expect(metadata.keywords == ["dog", "sea"] && metadata.rating == 5 && metadata.artist == "Ada")
    #expect(metadata.copyright == "© Ada")
    #expect(UIImage(data: data)?.imageOrientation == .rightMirrored)
  }

  @Test func `IPTC records and comments are read`() throws {
    let jpeg = try ExifTool.write(
      [
        "-codedcharacterset=utf8", "-IPTC:Caption-Abstract=Am Meer", "-IPTC:Keywords=dog",
        "-IPTC:Keywords=sea",
        "-IPTC:ObjectName=Hund", "-IPTC:By-line=Ada", "-Comment=hello",
        "-IPTC:DateCreated=2001:02:03", "-IPTC:TimeCreated=04:05:06+07:00",
        "-XMP-photoshop:DateCreated=2001:02:03",
      ], to: try Self.drawn("jpg"), as: "a.jpg")
    let metadata = try ImageMetadata(data: jpeg)
    #expect(metadata.title == "Hund" && metadata.description == "Am Meer" && metadata.artist == "Ada")
    #expect(metadata.keywords == ["dog", "sea"] && metadata.comments == ["hello"])
    // The time is more than the day in the XMP packet.
    #expect(metadata.captureDate?.description == "2001-02-03T04:05:06+07:00")
    let gif = try ExifTool.write(
      ["-XMP:Title=Hund", "-Comment=hello"], to: try Self.drawn("gif"), as: "a.gif")
    let read = try ImageMetadata(data: gif)
    #expect(read.title == "Hund" && read.comments.contains("hello"))
  }

  @Test(arguments: ["jpg", "png", "webp", "gif"])
  func `exiftool finds nothing in a stripped file but the orientation`(name: String) throws {
    let tags = Self.tags + ["-Comment=hello", "-IPTC:Keywords=dog"]
    let data = try ExifTool.write(
      tags.filter { name == "jpg" || !$0.hasPrefix("-IPTC") }.filter {
        name != "gif" || !$0.hasPrefix("-EXIF")
      }
      .filter { name != "webp" || !$0.hasPrefix("-Comment") }, to: try Self.drawn(name), as: "a.\(name)")
    let result = try StrippedImage(data: data).data()
    let found = try ExifTool.read(result, as: "a.\(name)")
    let kept = found.keys.filter { key in
      ["EXIF:", "XMP:", "IPTC:", "Photoshop:", "MakerNotes:", "PNG:Comment", "File:Comment", "GIF:Comment"]
        .contains {
          key.hasPrefix($0)
        }
    }
    // exiftool reports the resolution and position of colors with a default if EXIF data lacks them.
    #expect(Set(kept).isSubset(of: ["EXIF:Orientation"]), "\(kept)")
    #expect(found["EXIF:Orientation"] as? Int == (name == "gif" ? nil : 7))
    #expect(found["ExifTool:Warning"] == nil && found["ExifTool:Error"] == nil, "\(found)")
    #expect(decode(result).pixels == decode(data).pixels && decode(result).error == nil)
  }

  @Test(arguments: ["heic", "avif"])
  func `what exiftool writes into a HEIC or AVIF is read, and removed`(name: String) throws {
    let form =
      name == "heic" ? HEIFFixture.phone() : HEIFFixture(grid: [.redAV1], columns: 1, width: 60, height: 50)
    let data = try ExifTool.write(Self.tags, to: form.data(), as: "a.\(name)")
    let metadata = try ImageMetadata(data: data)
    #expect(metadata.cameraModel == "K-1" && metadata.title == "Ein Hund — 犬" && metadata.location != nil)
    #expect(metadata.orientation == .up, "that of EXIF data has no meaning in these formats")
    let stripped = try StrippedImage(data: data)
    #expect(stripped.removed == [.exif, .location, .xmp])
    let result = try stripped.data()
    let found = try ExifTool.read(result, as: "a.\(name)")
    #expect(!found.keys.contains { $0.hasPrefix("EXIF:") || $0.hasPrefix("XMP:") }, "\(found)")
    #expect(found["ExifTool:Warning"] == nil && found["ExifTool:Error"] == nil, "\(found)")
    #expect(decode(result).pixels == decode(form.data()).pixels && decode(result).error == nil)
  }

  @Test func `exiftool finds the gain map of a stripped file`() throws {
    let fixture = try GainMapFixture()
    let result = try StrippedImage(data: fixture.data).data()
    let found = try ExifTool.read(result, as: "a.jpg")
    let map = try #require(try ImageMetadata(data: result).gainMap)
    #expect(found["MPF:NumberOfImages"] as? Int == 2)
    #expect(found["MPF:MPImageLength"] as? Int == map.data.count)
    #expect(found["MPF:MPImageStart"] as? Int == result.count - map.data.count)
    #expect(found["ExifTool:Warning"] == nil, "\(found)")
  }
}

/// Runs exiftool, which `scripts/setup test` installs.
enum ExifTool {
  static func write(_ arguments: [String], to data: Data, as name: String) throws -> Data {
    let folder = try TemporaryDirectory()
    let file = try folder.write(data, to: name)
    _ = try ChildProcess.run(
      ["/usr/bin/exiftool", "-q", "-q", "-overwrite_original"] + arguments + [file.path])
    return try Data(contentsOf: file)
  }

  /// Returns all tags with their groups, such as `EXIF:Make`, as numbers where possible.
  static func read(_ data: Data, as name: String) throws -> [String: Any] {
    let folder = try TemporaryDirectory()
    let file = try folder.write(data, to: name)
    let json = try ChildProcess.run(["/usr/bin/exiftool", "-q", "-j", "-n", "-G", file.path])
    let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
    return try #require(list?.first)
  }
}
