import Foundation
import RetrieverImages
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite(.timeLimit(.minutes(5))) struct MetadataCommandTests {
  private let program: Program

  init() throws { program = try Program() }

  /// Writes a photo with metadata into the working directory, and returns it.
  private func photo(_ name: String) throws -> Data {
    let pixels = Array(repeating: ImagePixels.Pixel(red: 9, green: 99, blue: 199), count: 60 * 40)
    let image = try #require(UIImage(width: 60, height: 40, pixels: pixels))
    let data = name.hasSuffix("png") ? image.pngData() : image.jpegData(compressionQuality: 0.9)
    try #require(data).write(to: program.file(name))
    _ = try ChildProcess.run([
      "/usr/bin/exiftool", "-q", "-q", "-overwrite_original", "-EXIF:Make=Kennel", "-EXIF:Model=Kennel K-1",
      "-EXIF:DateTimeOriginal=2026:11:26 16:00:01", "-EXIF:OffsetTimeOriginal=+01:00",
      "-EXIF:ExposureTime=0.004",
      "-EXIF:FNumber=2.8", "-EXIF:ISO=400", "-EXIF:GPSLatitude=52.51", "-EXIF:GPSLatitudeRef=N",
      "-EXIF:GPSLongitude=13.405", "-EXIF:GPSLongitudeRef=E", "-EXIF:Orientation#=6",
      "-XMP:Title=A \u{1B}[31mdog",
      "-XMP:Subject=sea", program.file(name).path,
    ])
    return try #require(program.contents(name))
  }

  private func metadata(_ name: String) throws -> ImageMetadata {
    try ImageMetadata(data: try #require(program.contents(name), "\(program.files)"))
  }

  @Test func `inspect shows the metadata of a file`() async throws {
    _ = try photo("dog.jpg")
    let result = try await program.run("inspect", "dog.jpg")
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.text.split(separator: "\n").map(String.init)
    #expect(lines.first == "dog.jpg: JPEG, 60 × 40 pixels, orientation right")
    #expect(lines.contains("  Taken: 2026-11-26T16:00:01+01:00"))
    #expect(lines.contains("  Place: 52.51, 13.405"))
    #expect(lines.contains("  Camera: Kennel K-1"))
    #expect(lines.contains("  Exposure: 1/250 s, f/2.8, ISO 400"))
    #expect(lines.contains("  Keywords: sea"))
    #expect(!result.text.contains("\u{1B}"), "a title cannot control the terminal")
  }

  @Test func `inspect prints JSON for files and for images at URLs`() async throws {
    let data = try photo("dog.png")
    let server = try ScriptedServer.http { _ in Reply(headers: [("Content-Type", "image/png")], body: data) }
    let result = try await program.run("inspect", "--json", "./dog.png", server.address("/dog"))
    #expect(result.status == 0, "\(result.errors)")
    let objects = try result.output.split(separator: UInt8(ascii: "\n")).map {
      try JSONSerialization.jsonObject(with: $0) as? [String: Any] ?? [:]
    }
    #expect(objects.count == 3 && objects[1]["status"] as? Int == 200)
    for object in [objects[0], objects[2]] {
      #expect(object["format"] as? String == "png" && object["width"] as? Int == 60)
      #expect(
        object["cameraModel"] as? String == "Kennel K-1" && object["exposureSeconds"] as? Double == 0.004)
      #expect((object["place"] as? [String: Double])?["latitude"].map { abs($0 - 52.51) < 1e-6 } == true)
    }
    let shown = try await program.run("inspect", server.address("/dog"))
    #expect(shown.text.contains("receive") && shown.text.contains("  Camera: Kennel K-1\n"))
  }

  @Test func `inspect explains what is not an image`() async throws {
    try Data("no image".utf8).write(to: program.file("text"))
    let text = try await program.run("inspect", "text")
    #expect(text.status == 9 && text.errors.hasPrefix("retriever: text: The image format is not supported."))
    let missing = try await program.run("inspect", "./missing.jpg")
    #expect(missing.status == 8, "\(missing.errors)")
    #expect(missing.errors.contains("Could not read the file missing.jpg: No such file or directory."))
  }

  @Test func `strip writes copies without metadata`() async throws {
    let original = try photo("dog.jpg")
    let result = try await program.run("strip", "--output", "clean.jpg", "dog.jpg")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.errors.hasPrefix("clean.jpg: removed camera data (EXIF), location, XMP; "))
    #expect(program.contents("dog.jpg") == original)
    let clean = try metadata("clean.jpg")
    #expect(clean.location == nil && clean.title == nil && clean.orientation == .right)
    #expect(
      try await program.run("strip", "-o", "clean.jpg", "dog.jpg").status == 8, "the file already exists")
    #expect(try await program.run("strip", "-f", "-o", "clean.jpg", "dog.jpg").status == 0)
    let piped = try await program.run("strip", "-o", "-", "dog.jpg")
    #expect(piped.output == program.contents("clean.jpg") && piped.errors.isEmpty)
    _ = try photo("cat.png")
    #expect(try await program.run("strip", "--output", "all/", "dog.jpg", "cat.png").status == 0)
    #expect(try metadata("all/cat.png").cameraMake == nil && metadata("all/dog.jpg").cameraMake == nil)
  }

  @Test func `strip replaces files in place, and only those that have metadata`() async throws {
    _ = try photo("dog.jpg")
    try FileManager.default.createSymbolicLink(
      atPath: program.file("link.jpg").path, withDestinationPath: "dog.jpg")
    chmod(program.file("dog.jpg").path, 0o600)
    let result = try await program.run("strip", "--in-place", "--json", "link.jpg")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.text.contains(#""removed":["exif","location","xmp"]"#))
    #expect(try metadata("dog.jpg").location == nil)
    var status = stat()
    #expect(lstat(program.file("link.jpg").path, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    #expect(stat(program.file("dog.jpg").path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let number = status.st_ino
    let again = try await program.run("strip", "-i", "dog.jpg")
    #expect(again.errors == "dog.jpg: nothing to remove\n")
    #expect(stat(program.file("dog.jpg").path, &status) == 0 && status.st_ino == number)
    #expect(program.files == ["dog.jpg", "link.jpg"])
  }

  @Test func `strip keeps the original of a damaged image, and continues with the others`() async throws {
    let damaged = try photo("dog.png").prefix(100)
    try damaged.write(to: program.file("dog.png"))
    _ = try photo("cat.jpg")
    let result = try await program.run("strip", "--in-place", "dog.png", "cat.jpg")
    #expect(result.status == 10 && result.errors.contains("retriever: dog.png: The PNG image is incomplete"))
    #expect(program.contents("dog.png") == damaged)
    #expect(try metadata("cat.jpg").location == nil)
    #expect(program.files == ["cat.jpg", "dog.png"])
  }

  @Test func `after Ctrl-C, every file is either the original or complete`() async throws {
    let original = try photo("0.jpg")
    let names = (0..<2_000).map { "\($0).jpg" }
    for name in names { try original.write(to: program.file(name)) }
    let running = try program.start(["strip", "--quiet", "--parallel", "1", "--in-place"] + names)
    #expect(await eventually { program.contents("0.jpg") != original })
    running.interrupt()
    #expect(try await running.end().status == 130)
    let stripped = try #require(program.contents("0.jpg"))
    #expect(program.files == names.sorted(), "there are no temporary files")
    #expect(names.allSatisfy { [original, stripped].contains(program.contents($0)) })
    #expect(program.contents(names[1_999]) == original)
  }

  @Test func `strip needs to know where to write`() async throws {
    _ = try photo("dog.jpg")
    let neither = try await program.run("strip", "dog.jpg")
    #expect(neither.status == 2 && neither.errors.contains("--in-place"))
    #expect(try await program.run("strip", "-i", "-o", "a.jpg", "dog.jpg").status == 2)
    #expect(try await program.run("strip", "-o", "-", "dog.jpg", "dog.jpg").status == 2)
  }
}
