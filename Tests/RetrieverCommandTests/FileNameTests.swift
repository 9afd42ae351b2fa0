import Foundation
import Retriever
import Testing

@testable import RetrieverCommand

@Suite struct FileNameTests {
  @Test(arguments: [
    ("photo.jpg", "photo.jpg"), (".bashrc", "bashrc"), ("../../etc/passwd", "_.._etc_passwd"),
    ("-rf", "rf"), ("a\u{1B}[2Jb", "a_[2Jb"), ("", "download"), ("...", "download"), ("  x ", "x"),
    ("a\u{202E}gpj.exe", "a_gpj.exe"), (". -.-x", "x"),
  ])
  func proposedNamesLoseWhatCouldDoHarm(proposed: String, name: String) {
    #expect(SafeName.make(proposed) == name)
  }

  @Test func longNamesLeaveRoomForWhatIsAppended() {
    let name = SafeName.make(String(repeating: "犬", count: 200) + ".jpeg")
    #expect(name.utf8.count <= 240 && name.hasSuffix(".jpeg"))
  }

  private func response(_ status: Int, _ fields: [String: String]) throws -> HTTPURLResponse {
    try #require(
      HTTPURLResponse(
        url: URL(fileURLWithPath: "/"), statusCode: status, httpVersion: nil, headerFields: fields))
  }

  @Test func onlyWhatCanBeToldApartIsResumed() throws {
    let url = try #require(URL(string: "https://me:secret@a.example/x?y#z"))
    func record(_ fields: [String: String], status: Int = 200) throws -> ResumeRecord? {
      ResumeRecord(url: url, response: try response(status, fields), total: 5)
    }
    #expect(try record(["ETag": "\"1\""])?.validator == "\"1\"")
    #expect(try record(["ETag": "\"1\""])?.url == "https://a.example/x?y")
    #expect(try record(["ETag": "W/\"1\"", "Last-Modified": "today"])?.validator == "today")
    #expect(try record([:]) == nil)
    #expect(try record(["ETag": "\"1\"", "Accept-Ranges": "none"]) == nil)
    #expect(try record(["ETag": "\"1\"", "Content-Encoding": "gzip"]) == nil)
    #expect(try record(["ETag": "\"1\""], status: 203) == nil)
  }

  @Test func onlyTheMissingBytesContinueAFile() throws {
    #expect(ResumeRecord.continues(try response(206, ["Content-Range": "bytes 5-9/10"]), at: 5))
    #expect(!ResumeRecord.continues(try response(206, ["Content-Range": "bytes 50-59/60"]), at: 5))
    #expect(!ResumeRecord.continues(try response(200, ["Content-Range": "bytes 5-9/10"]), at: 5))
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

  @Test func aListFromElsewhereLeadsToNoFileOfThisMachine() throws {
    let list = try #require(URL(string: "https://a.example/list"))
    for base in [nil, "https://c.example/"] {
      let url = try? CollageList(remote: list, base: base).url(of: "file:///etc/passwd")
      #expect(url?.isFileURL != true)
    }
  }
}
