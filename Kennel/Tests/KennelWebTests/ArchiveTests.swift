import CCompression
import Foundation
import TestSupport
import Testing

@testable import KennelWeb

/// Compares with other programs, which read what is written here.
@Suite(.timeLimit(.minutes(5))) struct ArchiveTests {
  private static let time = ZipDirectory.Time(year: 2026, month: 7, day: 14, hour: 16, minute: 3, second: 58)

  private func entry(_ name: String, _ count: Int64) -> ZipDirectory.Entry {
    ZipDirectory.Entry(name: name, byteCount: count, time: Self.time)
  }

  private func checksum(_ data: Data) -> UInt32 {
    data.withUnsafeBytes { ccompression_crc32(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count) }
  }

  @Test func `the checksum is that of the format, in any pieces`() {
    let text = Data("123456789".utf8)
    #expect(checksum(text) == 0xCBF4_3926 && checksum(Data()) == 0)
    var pieces: UInt32 = 0
    for byte in text { pieces = withUnsafePointer(to: byte) { ccompression_crc32(pieces, $0, 1) } }
    #expect(pieces == 0xCBF4_3926)
  }

  @Test func `other programs read an archive`() throws {
    let directory = try TemporaryDirectory()
    let files = [
      ("001 Ein Hund — 犬.jpg", Data("first".utf8)), ("002.png", Data()), ("003 x.webp", Data([0, 255])),
    ]
    var archive = ZipDirectory()
    var data = Data()
    for (name, content) in files {
      data += archive.begin(entry(name, Int64(content.count)), checksum: checksum(content))
      data += content
    }
    data += archive.end()
    #expect(data.count == Int(ZipDirectory.byteCount(of: files.map { entry($0.0, Int64($0.1.count)) })))
    let path = directory.path("album.zip")
    try data.write(to: URL(filePath: path))
    #expect(try ChildProcess.run(["/usr/bin/unzip", "-t", path]).contains("No errors detected"))
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      assert archive.testzip() is None
      for info in archive.infolist():
        print(info.filename, info.file_size, info.compress_type, *info.date_time, archive.read(info).hex())
      """
    let list = try ChildProcess.run(["/usr/bin/env", "PYTHONIOENCODING=utf-8", "python3", "-c", script, path])
    #expect(
      list == """
        001 Ein Hund — 犬.jpg 5 0 2026 7 14 16 3 58 6669727374
        002.png 0 0 2026 7 14 16 3 58 \("")
        003 x.webp 2 0 2026 7 14 16 3 58 00ff

        """)
  }

  @Test func `an archive without entries is valid`() throws {
    let path = try TemporaryDirectory().path("empty.zip")
    try FileManager.default.createDirectory(
      at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(ZipDirectory().end()).write(to: URL(filePath: path))
    _ = try ChildProcess.run(["python3", "-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1])", path])
  }

  /// The file has a hole, so it needs little space.
  @Test func `large entries and far ones use ZIP64`() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path("large.zip")
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try #require(FileHandle(forWritingAtPath: path))
    var archive = ZipDirectory()
    let size = Int64(5) << 30
    try file.write(contentsOf: Data(archive.begin(entry("hole", size), checksum: 1)))
    try file.seek(toOffset: file.offset() + UInt64(size))
    let text = Data("far".utf8)
    try file.write(contentsOf: Data(archive.begin(entry("far", 3), checksum: checksum(text))) + text)
    try file.write(contentsOf: Data(archive.end()))
    #expect(
      try file.offset() == UInt64(ZipDirectory.byteCount(of: [entry("hole", size), entry("far", 3)])))
    try file.close()
    let script = """
      import sys, zipfile
      archive = zipfile.ZipFile(sys.argv[1])
      print(archive.getinfo("hole").file_size, archive.read("far").decode(), archive.open("hole").read(4))
      """
    #expect(
      try ChildProcess.run(["python3", "-c", script, path]) == "5368709120 far b'\\x00\\x00\\x00\\x00'\n")
    #expect(try ChildProcess.run(["/usr/bin/unzip", "-p", path, "far"]) == "far")
  }

  @Test func `an archive may have more entries than 16 bits count`() throws {
    let directory = try TemporaryDirectory()
    var archive = ZipDirectory()
    var data = Data()
    for number in 0..<70_000 { data += archive.begin(entry("\(number)", 0), checksum: 0) }
    data += archive.end()
    let path = directory.path("many.zip")
    try data.write(to: URL(filePath: path))
    let script = "import sys, zipfile; print(len(zipfile.ZipFile(sys.argv[1]).namelist()))"
    #expect(try ChildProcess.run(["python3", "-c", script, path]) == "70000\n")
  }

  @Test(arguments: [
    ("Rex at the lake\nand more", "Rex at the lake"), ("../../etc/passwd", "-..-etc-passwd"), ("", ""),
    ("C:\\a*b?<c>|\"d\"", "C--a-b--c---d-"), ("a\u{202E}gpj.exe\u{0}\u{7F}", "agpj.exe"), (" . . ", ""),
    ("ends. ", "ends"), ("\u{E000}犬 \u{200B} 🐕", "犬 🐕"),
    (String(repeating: "犬", count: 100), String(repeating: "犬", count: 60)),
    (String(repeating: "👨‍👩‍👧‍👦", count: 60), String(repeating: "👨👩👧👦", count: 11) + "👨"),
  ])
  func `names are safe`(caption: String, title: String) {
    #expect(ArchiveNames.title(caption) == title)
    let name = ArchiveNames.name(number: 7, of: 12, text: caption, suffix: "jpg")
    #expect(name == (title.isEmpty ? "007.jpg" : "007 \(title).jpg"))
    #expect(name.utf8.count < 255)
  }

  @Test func `names are unique and in order`() {
    let names = [1, 99, 10_000].map { ArchiveNames.name(number: $0, of: 10_000, text: "Rex", suffix: "png") }
    #expect(names == ["00001 Rex.png", "00099 Rex.png", "10000 Rex.png"])
  }
}
