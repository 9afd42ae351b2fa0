#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

@Suite struct ResumableUploadProtocolTests {
  private typealias Version = ResumableUploadVersion

  private func fields(_ entries: (String, String)...) -> HeaderFields {
    HeaderFields(entries.map { (name: $0.0, value: $0.1) })
  }

  @Test func `versions from 3 to 8 are known`() {
    #expect((0...20).filter { Version(text: "\($0)") != nil } == [3, 4, 5, 6, 7, 8])
    for text in ["", "x", "-6", "6.0", "66666666666666666666", "6;a"] { #expect(Version(text: text) == nil) }
    #expect(Version(text: " 6 ") == .standard)
  }

  @Test func `completeness is read in the form of the version`() throws {
    let (old, new) = (try #require(Version(text: "3")), Version.standard)
    #expect(new.isComplete(in: fields(("upload-complete", "?1"))) == true)
    #expect(new.isComplete(in: fields(("Upload-Complete", " ?0;x=1"))) == false)
    #expect(old.isComplete(in: fields(("Upload-Incomplete", "?1"))) == false)
    #expect(old.isComplete(in: fields(("Upload-Incomplete", "?0"))) == true)
    // The field of another version has no meaning.
    #expect(new.isComplete(in: fields(("Upload-Incomplete", "?0"))) == nil)
    #expect(old.isComplete(in: fields(("Upload-Complete", "?1"))) == nil)
    for value in ["1", "true", "", "?", "?2", "?1, ?1"] {
      #expect(new.isComplete(in: fields(("Upload-Complete", value))) == nil)
    }
    #expect(new.isComplete(in: fields(("Upload-Complete", "?1"), ("Upload-Complete", "?1"))) == nil)
  }

  @Test func `an offset is a number of at most 15 digits`() {
    #expect(Version.offset(in: fields(("Upload-Offset", "0"))) == 0)
    #expect(Version.offset(in: fields(("upload-offset", " 42 ; a"))) == 42)
    #expect(Version.offset(in: fields(("Upload-Offset", "999999999999999"))) == 999_999_999_999_999)
    for value in ["1000000000000000", "-1", "+1", "1.0", "", " ", "1 2", "\"1\"", "0x1", "١"] {
      #expect(Version.offset(in: fields(("Upload-Offset", value))) == nil)
    }
    #expect(Version.offset(in: fields()) == nil)
    #expect(Version.offset(in: fields(("Upload-Offset", "1"), ("Upload-Offset", "1"))) == nil)
  }

  @Test func `an upload resource is an http URL, and https stays https`() throws {
    let secure = try #require(URL(string: "https://example.com/a/b?c"))
    let plain = try #require(URL(string: "http://example.com/a/b?c"))
    func location(_ text: String, _ base: URL) -> String? {
      Version.location(in: fields(("Location", text)), from: base)?.absoluteString
    }
    #expect(location("/u", secure) == "https://example.com/u")
    #expect(location(" u/1 ", secure) == "https://example.com/a/u/1")
    #expect(location("//other.example/u", secure) == "https://other.example/u")
    #expect(location("https://other.example/u", plain) == "https://other.example/u")
    #expect(location("http://example.com/u", plain) == "http://example.com/u")
    for text in [
      "http://example.com/u", "ftp://example.com/", "file:///u", "https://u@example.com/",
      "https://u:p@example.com/",
      "https://", "", "https://example.com:0/", "https://example.com:70000/", "data:,x",
    ] { #expect(location(text, secure) == nil) }
    #expect(Version.location(in: fields(), from: secure) == nil)
    #expect(Version.location(in: fields(("Location", "/1"), ("Location", "/2")), from: secure) == nil)
  }

  @Test func `requests to the upload resource have the fields that still fit`() throws {
    var original = URLRequest(url: try #require(URL(string: "https://example.com/photos")))
    original.httpMethod = "POST"
    original.httpBody = Data("x".utf8)
    for name in [
      "Authorization", "X-Colour", "Content-Type", "Content-Length", "Content-Encoding", "Content-MD5",
      "Digest",
      "Range", "If-None-Match", "Expect", "Accept-Language", "Upload-Draft-Interop-Version",
    ] { original.setValue("1", forHTTPHeaderField: name) }
    let same = try #require(URL(string: "https://example.com/uploads/1"))
    let patch = Version.request("PATCH", to: same, continuing: original)
    #expect(patch.httpMethod == "PATCH" && patch.url == same && patch.httpBody == nil)
    #expect(
      Set((patch.allHTTPHeaderFields ?? [:]).keys) == [
        "Authorization", "X-Colour", "Content-Type", "Accept-Language", "Upload-Draft-Interop-Version",
      ])
    let other = try #require(URL(string: "https://other.example/uploads/1"))
    let head = Version.request("HEAD", to: other, continuing: original)
    #expect(
      Set((head.allHTTPHeaderFields ?? [:]).keys) == [
        "Content-Type", "Accept-Language", "Upload-Draft-Interop-Version",
      ])
    #expect(head.cachePolicy == .reloadIgnoringLocalCacheData)
  }
}
#endif
