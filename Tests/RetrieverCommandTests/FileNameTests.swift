import Foundation
import Glibc
import Retriever
import TestSupport
import Testing

@testable import RetrieverCommand

@Suite struct FileNameTests {
  @Test(arguments: [
    ("photo.jpg", "photo.jpg"), (".bashrc", "bashrc"), ("../../etc/passwd", "_.._etc_passwd"),
    ("-rf", "rf"), ("a\u{1B}[2Jb", "a_[2Jb"), ("", "download"), ("...", "download"), ("  x ", "x"),
    ("a\u{202E}gpj.exe", "a_gpj.exe"), (". -.-x", "x"), (".\u{301}x", "x"), ("-\u{301}rf", "rf"),
    ("\u{301}.x", "x"), ("\u{301}", "download"),
  ])
  func proposedNamesLoseWhatCouldDoHarm(proposed: String, name: String) {
    #expect(SafeName.make(proposed) == name)
  }

  @Test func longNamesLeaveRoomForWhatIsAppended() {
    let name = SafeName.make(String(repeating: "犬", count: 200) + ".jpeg")
    #expect(name.utf8.count <= 240 && name.hasSuffix(".jpeg"))
  }

  @Test func `a long Character is shortened like a long name`() {
    let marks = String(repeating: "\u{301}", count: 120)
    let name = SafeName.make("a\(marks).bashrc")
    #expect(name.utf8.count <= 240 && name.utf8.first == UInt8(ascii: "a") && name.hasSuffix(".bashrc"))
    let blanks = String(repeating: " ", count: 20)
    #expect(SafeName.make(String(repeating: "a", count: 230) + blanks + "b").utf8.count == 230)
  }

  @Test func `a suffix does not make a name too long`() {
    let name = SafeName.make(String(repeating: "a", count: 300), suffix: "-320x320.jpg")
    #expect(name.utf8.count == 240 && name.hasSuffix("a-320x320.jpg"))
    #expect(SafeName.make("..", suffix: "-320x320.jpg") == "download-320x320.jpg")
  }

  private func response(_ status: Int, _ fields: [String: String]) throws -> HTTPURLResponse {
    try #require(
      HTTPURLResponse(
        url: URL(fileURLWithPath: "/"), statusCode: status, httpVersion: nil, headerFields: fields))
  }

  @Test func onlyWhatCanBeToldApartIsResumed() throws {
    let url = try #require(URL(string: "https://me:secret@a.example/x?token=geheim#z"))
    func record(_ fields: [String: String], status: Int = 200) throws -> ResumeRecord? {
      ResumeRecord(url: url, response: try response(status, fields), total: 5)
    }
    #expect(try record(["ETag": "\"1\""])?.validator == "\"1\"")
    #expect(try record(["ETag": "\"1\""])?.url == "https://REDACTED@a.example/x?token=REDACTED")
    #expect(try record(["ETag": "W/\"1\"", "Last-Modified": "today"])?.validator == "today")
    #expect(try record([:]) == nil)
    #expect(try record(["ETag": "\"1\"", "Accept-Ranges": "none"]) == nil)
    #expect(try record(["ETag": "\"1\"", "Content-Encoding": "gzip"]) == nil)
    #expect(try record(["ETag": "\"1\""], status: 203) == nil)
  }

  @Test func `a record identifies its URL without its secrets, and is private`() async throws {
    let url = try #require(URL(string: "https://me:secret@a.example/x?token=geheim#z"))
    let same = try #require(URL(string: "https://a.example/x?token=geheim"))
    let other = try #require(URL(string: "https://a.example/x?token=other"))
    #expect(ResumeRecord.digest(of: url) == ResumeRecord.digest(of: same))
    #expect(ResumeRecord.digest(of: url) != ResumeRecord.digest(of: other))
    let fields = ["ETag": "\"1\""]
    let record = try #require(ResumeRecord(url: url, response: try response(200, fields), total: 5))
    let directory = try TemporaryDirectory()
    let path = directory.path("record")
    try record.write(path)
    #expect(ResumeRecord.read(path) == record)
    let text = try String(contentsOf: directory.file("record"), encoding: .utf8)
    #expect(!text.contains("secret") && !text.contains("geheim"))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: directory.url.path) == ["record"])
  }

  private func record(_ fields: [String: String], total: Int64?) throws -> ResumeRecord {
    let url = try #require(URL(string: "https://a.example/x"))
    return try #require(ResumeRecord(url: url, response: try response(200, fields), total: total))
  }

  private static let ranges: [(String?, Int64?)] = [
    ("bytes 5-9/10", 10), ("bytes 5-7/10", 10), ("bytes 5-9/*", 10), ("Bytes 5-9/10", 10),
    ("bytes 50-59/60", nil), ("bytes 5-9/11", nil), ("bytes 5-10/10", nil), ("bytes 5-10/*", nil),
    ("bytes 5-4/10", nil), ("bytes 5-/10", nil), ("bytes 5-9", nil), ("bytes 5-9/", nil), ("bytes", nil),
    ("items 5-9/10", nil), ("bytes 5-9223372036854775807/9223372036854775807", nil), (nil, nil),
  ]

  @Test(arguments: ranges)
  func `only the missing bytes of a file continue it`(field: String?, length: Int64?) throws {
    let record = try record(["ETag": "\"1\""], total: 10)
    let response = try response(206, field.map { ["Content-Range": $0] } ?? [:])
    #expect(record.length(continuedBy: response, at: 5) == length)
  }

  @Test func `only a part of the same version continues a file`() throws {
    let range = "bytes 5-9/10"
    func length(_ record: ResumeRecord, _ fields: [String: String], status: Int = 206) throws -> Int64? {
      let fields = fields.merging(["Content-Range": range]) { own, _ in own }
      return record.length(continuedBy: try response(status, fields), at: 5)
    }
    let tagged = try record(["ETag": "\"1\""], total: nil)
    #expect(try length(tagged, [:]) == 10)
    #expect(try length(tagged, ["ETag": "\"1\"", "Last-Modified": "today"]) == 10)
    #expect(try length(tagged, ["ETag": "\"2\""]) == nil)
    #expect(try length(tagged, [:], status: 200) == nil)
    #expect(try length(tagged, ["Content-Length": "5"]) == 10)
    #expect(try length(tagged, ["Content-Length": "9223372036854775807"]) == nil)
    #expect(try length(tagged, ["Content-Range": "bytes 5-7/*"]) == 8)
    let (friday, saturday) = ("Fri, 20 Nov 2026 20:00:00 GMT", "Sat, 21 Nov 2026 20:00:00 GMT")
    let dated = try record(["Last-Modified": friday], total: nil)
    #expect(try length(dated, ["Last-Modified": friday, "ETag": "W/\"1\""]) == 10)
    #expect(try length(dated, ["Last-Modified": saturday]) == nil)
    // The file may have changed twice in the second of the date.
    let weak = try record(["Last-Modified": friday, "ETag": "W/\"1\""], total: nil)
    #expect(try length(weak, ["Last-Modified": friday, "ETag": "W/\"2\""]) == nil)
    #expect(try length(weak, ["Last-Modified": friday, "ETag": "\"1\""]) == 10)
  }

  @Test func idsBecomeURLs() throws {
    let list = try #require(URL(string: "https://a.example/dogs/list.txt"))
    let relative = CollageList(remote: list, base: nil)
    #expect(try relative.url(of: "rex.jpg").absoluteString == "https://a.example/dogs/rex.jpg")
    #expect(try relative.url(of: "https://b.example/x").host == "b.example")
    let based = CollageList(remote: list, base: "https://c.example/p/{id}.jpg?s=1")
    #expect(try based.url(of: "a b?c").absoluteString == "https://c.example/p/a%20b%3Fc.jpg?s=1")
    let appended = CollageList(remote: list, base: "https://c.example/p/")
    #expect(try appended.url(of: "7").absoluteString == "https://c.example/p/7")
  }

  @Test func `a line of a list is displayed without secrets`() {
    #expect(CollageList.shown("rex.jpg") == "rex.jpg")
    #expect(
      CollageList.shown("https://u:pw@a.example/x.jpg?token=geheim")
        == "https://REDACTED@a.example/x.jpg?token=REDACTED")
  }

  @Test func aListFromElsewhereLeadsToNoFileOfThisMachine() throws {
    let list = try #require(URL(string: "https://a.example/list"))
    for base in [nil, "https://c.example/"] {
      let url = try? CollageList(remote: list, base: base).url(of: "file:///etc/passwd")
      #expect(url?.isFileURL != true)
    }
  }
}
