#if !canImport(Darwin)
import Foundation
import TestSupport
import Testing

@testable import Retriever

/// Places where a secret could reach an archive. Each value here contains `HUNTER2`.
@Suite(.timeLimit(.minutes(5))) struct ArchiveSecretsTests {
  private let form = "application/x-www-form-urlencoded"

  private func redacted(_ body: String, _ type: String?) -> String {
    String(decoding: Redaction.body(Data(body.utf8), mimeType: type), as: UTF8.self)
  }

  /// Loads a request with an archive and returns the recorded request.
  private func recorded(
    configure: (URLSessionConfiguration) -> Void = { _ in }, _ change: (inout URLRequest) -> Void
  ) async throws -> (text: String, request: [String: Any]) {
    let server = try ScriptedServer.http { _ in Reply() }
    var request = URLRequest(url: server.url())
    request.httpMethod = "POST"
    change(&request)
    let session = URLSession.forTest(configure)
    session.archive.isRecording = true
    _ = try await session.data(for: request)
    let data = try session.archive.har()
    let json = try JSONSerialization.jsonObject(with: data) as? [String: Any]
    let entries = try #require((json?["log"] as? [String: Any])?["entries"] as? [[String: Any]])
    return (String(decoding: data, as: UTF8.self), try #require(entries[0]["request"] as? [String: Any]))
  }

  // MARK: Bodies

  @Test func `a POST without a type is recorded and redacted as the form that is sent`() async throws {
    let (text, request) = try await recorded { $0.httpBody = Data("user=a&password=HUNTER2".utf8) }
    #expect(!text.contains("HUNTER2"))
    let body = try #require(request["postData"] as? [String: Any])
    #expect(body["mimeType"] as? String == form)
    #expect(body["text"] as? String == "user=a&password=REDACTED")
    let headers = try #require(request["headers"] as? [[String: String]])
    #expect(headers.contains(["name": "Content-Type", "value": form]))
  }

  @Test func `JSON that is sent without a type is redacted as JSON`() async throws {
    let (text, request) = try await recorded {
      $0.httpBody = Data(#"{"user":"a","password":"HUNTER2"}"#.utf8)
    }
    #expect(!text.contains("HUNTER2"))
    let body = try #require(request["postData"] as? [String: Any])
    #expect(body["text"] as? String == #"{"user":"a","password":"REDACTED"}"#)
  }

  @Test func `a type that the configuration adds is recorded`() async throws {
    let (text, request) = try await recorded {
      $0.httpAdditionalHeaders = ["content-type": " Application/X-WWW-Form-Urlencoded;charset=utf-8"]
    } _: {
      $0.httpBody = Data("<a>&password=HUNTER2".utf8)
    }
    #expect(!text.contains("HUNTER2"))
    #expect((request["postData"] as? [String: Any])?["text"] as? String == "<a>&password=REDACTED")
  }

  @Test(arguments: [
    " application/x-www-form-urlencoded", "\tapplication/x-www-form-urlencoded ; charset=utf-8",
    "APPLICATION/X-WWW-FORM-URLENCODED", "text/html, application/x-www-form-urlencoded",
  ])
  func `a form is found by its type in any spelling`(type: String) {
    #expect(redacted("<a>=1&password=HUNTER2", type) == "<a>=1&password=REDACTED")
    #expect(!redacted("--b\r\nHUNTER2", " Multipart/Form-Data; boundary=b").contains("HUNTER2"))
  }

  @Test(arguments: [nil, "", "application/octet-stream", "text/plain", "x/y", "\u{A0}text/html"])
  func `a form or JSON without a known type is found by its first bytes`(type: String?) {
    #expect(redacted("user=a&password=HUNTER2", type) == "user=a&password=REDACTED")
    #expect(redacted("password=HUNTER2", type) == "password=REDACTED")
    #expect(!redacted("user=a\r\npassword=HUNTER2", type).contains("HUNTER2"))
    #expect(redacted(#" {"password":"HUNTER2"}"#, type) == #" {"password":"REDACTED"}"#)
    let multipart = "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\nHUNTER2\r\n--b--"
    #expect(!redacted(multipart, type).contains("HUNTER2"))
  }

  @Test func `a body of another kind stays unchanged`() {
    let page = "<a href='/?a=1&code=7'>"
    #expect(redacted(page, "text/html") == page)
    #expect(redacted("a,b=c&key=1", nil) == "a,b=c&key=1")
    #expect(redacted("", nil) == "")
  }

  @Test(arguments: [
    (
      #"{"next":"https://a.test/b?access_token=HUNTER2&c=1"}"#,
      #"{"next":"https://a.test/b?access_token=REDACTED&c=1"}"#
    ),
    (
      #"["https:\/\/a.test\/?a=1\u0026X-Amz-Signature=HUNTER2"]"#,
      #"["https://a.test/?a=1&X-Amz-Signature=REDACTED"]"#
    ),
    (#"{"body":"{\"token\":\"HUNTER2\"}"}"#, #"{"body":"{\"token\":\"REDACTED\"}"}"#),
    (#"["\n {\"token\":\"HUNTER2\"}"]"#, #"["\n {\"token\":\"REDACTED\"}"]"#),
    (#"["[a](https://a.test/?token=HUNTER2)"]"#, #"["[a](https://a.test/?token=REDACTED"]"#),
    // Cut in the middle.
    (#"["https:\/\/a.test\/?token=HUNTER2\u00"#, #"["https://a.test/?token=REDACTED""#),
    (#"["{\"token\":\"HUNTER2"#, #"["{\"token\":\"REDACTED\"""#),
    (
      #"{"a":"https:\/\/a.test\/?page=1","b":"x=1","c":"[1]"}"#,
      #"{"a":"https:\/\/a.test\/?page=1","b":"x=1","c":"[1]"}"#
    ),
  ])
  func `URLs and JSON in the strings of JSON are redacted`(text: String, expected: String) {
    #expect(redacted(text, "application/json") == expected)
  }

  @Test(arguments: [")]}'\n", ")]}',\n", "for(;;);", "while(1);"])
  func `JSON after a line against scripts of other sites is redacted`(line: String) {
    #expect(redacted(line + #"{"token":"HUNTER2"}"#, "text/plain") == line + #"{"token":"REDACTED"}"#)
    #expect(redacted(line + #"{"token":"HUNTER2"}"#, form) == line + #"{"token":"REDACTED"}"#)
  }

  @Test func `JSON in a function call is redacted`() {
    let script = redacted(#"done({"token":"HUNTER2"})"#, "text/javascript")
    #expect(script == #"done({"token":"REDACTED"})"#)
  }

  @Test(arguments: [
    String.Encoding.utf16, .utf16LittleEndian, .utf16BigEndian, .utf32, .utf32LittleEndian, .utf32BigEndian,
  ])
  func `JSON and forms in UTF-16 and UTF-32 are redacted`(encoding: String.Encoding) throws {
    for type in [nil, "application/json", "text/plain"] {
      let json = try #require(#"{"é":1,"password":"HUNTER2"}"#.data(using: encoding))
      // The last character is cut.
      for body in [json, json.dropLast()] {
        let text = String(decoding: Redaction.body(body, mimeType: type), as: UTF8.self)
        #expect(text.contains(#""é":1,"password":"REDACTED""#))
      }
    }
    let body = try #require("user=a&password=HUNTER2".data(using: encoding))
    let text = String(decoding: Redaction.body(body, mimeType: nil), as: UTF8.self)
    #expect(text.hasSuffix("user=a&password=REDACTED"))
  }

  @Test func `a body that the program has compressed is not recorded`() async throws {
    let (text, request) = try await recorded {
      $0.httpBody = Data("password=HUNTER2".utf8)
      $0.setValue("gzip", forHTTPHeaderField: "Content-Encoding")
    }
    #expect(!text.contains("HUNTER2"))
    #expect(
      (request["postData"] as? [String: Any])?["text"] as? String == "REDACTED: 16 bytes of encoded data")
  }

  // MARK: Pairs

  @Test(arguments: [
    ("pass%FFword=HUNTER2", "pass%FFword=REDACTED"), ("%70assword%=HUNTER2", "%70assword%=REDACTED"),
    ("to%256Ben=HUNTER2", "to%256Ben=REDACTED"),
    ("a=1&\u{301}password=HUNTER2", "a=1&\u{301}password=REDACTED"),
    ("password=\u{338}HUNTER2", "password=REDACTED"), ("token=a;HUNTER2&b=2", "token=REDACTED&b=2"),
    ("a=1;key=HUNTER2", "a=1;key=REDACTED"),
  ])
  func `a secret pair is found in spite of its encoding`(pair: String, expected: String) {
    #expect(Array(Redaction.pairs(pair).utf8) == Array(expected.utf8))
  }

  @Test(arguments: [
    "next=https%3A%2F%2Fb.example%2Fcb%3Ftoken%3DHUNTER2", "next=/cb?token=HUNTER2",
    "next=https%3A%2F%2Fuser%3AHUNTER2%40b.example%2F", "next=https://user:HUNTER2@b.example/",
    "next=%2Fcb%253Ftoken%253DHUNTER2", "state=token%3DHUNTER2%26b%3D1",
    "data=%7B%22password%22%3A%22HUNTER2%22%7D", "https%3A%2F%2Fb.example%2F%3Fcode%3DHUNTER2",
    "a=%25252525253Ftoken%25252525253DHUNTER2", "next=%2Fa%3Bjsessionid%3DHUNTER2",
  ])
  func `a secret in the value of a query item is removed`(query: String) throws {
    let url = try #require(URL(string: "https://a.example/?x=1&\(query)&y=2"))
    let text = Redaction.text(of: url)
    #expect(!text.contains("HUNTER2"))
    #expect(text.hasPrefix("https://a.example/?x=1&") && text.hasSuffix("&y=2"))
  }

  @Test(arguments: [
    "q=a%20b&page=2", "q=100%25", "mail=a@b.example", "next=https%3A%2F%2Fb.example%2Fa%3Fpage%3D2",
    "a=b==", "q=%zz%", "a=[1,2]", "a&b", "=1",
  ])
  func `harmless query items stay as they are`(query: String) throws {
    #expect(Redaction.pairs(query) == query)
  }

  @Test func `replacing deeply nested values is fast`() {
    let text = Redaction.pairs(String(repeating: "a=", count: 50_000) + "HUNTER2")
    #expect(text == "a=a=a=a=a=REDACTED")
  }

  @Test(arguments: [
    ("https://a.example/;jsessionid=HUNTER2/c;d=1?e=2", "https://a.example/;jsessionid=REDACTED/c;d=1?e=2"),
    ("https://a.example/token=HUNTER2/b", "https://a.example/token=REDACTED/b"),
    ("https://user:HUNTER2@a.example:8080/", "https://REDACTED@a.example:8080/"),
    ("https://HUNTER2@a.example", "https://REDACTED@a.example"),
  ])
  func `secrets in the authority and the path of a URL are removed`(text: String, expected: String) throws {
    #expect(Redaction.text(of: try #require(URL(string: text))) == expected)
  }

  // MARK: Header fields

  @Test(arguments: [
    ("DPoP", "HUNTER2", "REDACTED"),
    ("WWW-Authenticate", "Negotiate HUNTER2==", "Negotiate REDACTED"),
    ("WWW-Authenticate", "NTLM HUNTER2", "NTLM REDACTED"),
    ("Proxy-Authenticate", "Negotiate a/HUNTER2+b", "Negotiate REDACTED"),
    (
      "WWW-Authenticate", #"Basic realm="a, b\"", Negotiate HUNTER2=, Bearer error="invalid_token""#,
      #"Basic realm="a, b\"", Negotiate REDACTED, Bearer error="invalid_token""#
    ),
    ("WWW-Authenticate", #"Digest nonce="1", session_key="HUNTER2""#, #"Digest nonce="1", REDACTED"#),
    ("X-Upstream", "Bearer HUNTER2", "REDACTED"), ("X-Upstream", " basic HUNTER2", "REDACTED"),
    ("Origin", "https://user:HUNTER2@a.example", "https://REDACTED@a.example"),
    ("Destination", "https://a.example/?token=HUNTER2", "https://a.example/?token=REDACTED"),
    ("Referer", "https://user:HUNTER2@a.example/", "https://REDACTED@a.example/"),
    ("Location", "/a;jsessionid=HUNTER2?x=1", "/a;jsessionid=REDACTED?x=1"),
    ("Content-Location", "/a?next=%2F%3Fcode%3DHUNTER2&b=1", "/a?next=%2F%3Fcode%3DREDACTED&b=1"),
    (
      "Link", #"</a?token=HUNTER2>; rel="next", <https://u:HUNTER2@b.example/?c=1>; rel=prev"#,
      #"</a?token=REDACTED>; rel="next", <https://REDACTED@b.example/?c=1>; rel=prev"#
    ),
    ("Refresh", "5; url=https://u:HUNTER2@a.example/?b=1", "5; url=https://REDACTED@a.example/?b=1"),
    ("Refresh", "0;URL='/cb?password=HUNTER2 HUNTER2'", "0;URL='/cb?password=REDACTED"),
    ("Refresh", "0;url=/a;jsessionid=HUNTER2", "0;url=/a;jsessionid=REDACTED"),
    ("X-Next", "see https://u:HUNTER2@a.example/", "see https://REDACTED@a.example/"),
    ("X-Data", #"{"token":"HUNTER2","a":1}"#, #"{"token":"REDACTED","a":1}"#),
  ])
  func `a secret in a header field is removed`(name: String, value: String, expected: String) {
    #expect(Redaction.value(value, ofHeader: name) == expected)
  }

  @Test(arguments: [
    ("WWW-Authenticate", #"Basic realm="dogs", charset="UTF-8""#), ("WWW-Authenticate", "Negotiate, NTLM"),
    ("Origin", "null"), ("Origin", "https://a.example"), ("Refresh", "5"),
    ("Link", #"<https://a.example/?page=2>; rel="next"; title="a=b""#), ("ETag", #"W/"abc==""#),
    ("Content-Type", "text/html; charset=utf-8"), ("Alt-Svc", #"h3=":443"; ma=86400"#),
    ("User-Agent", "Bot/1.0 (+https://a.example/bot?b=1)"), ("Cache-Control", "max-age=3, private"),
  ])
  func `a harmless header field stays readable`(name: String, value: String) {
    #expect(Redaction.value(value, ofHeader: name) == value)
  }

  @Test func `any bytes can be redacted`() {
    var random = SeededRandom(1)
    let pieces = Array(#"%=&;/?#@<>"',\{}[]: -a7"#.utf8) + [0, 0xC3, 0xFE, 0xFF, 0x0A]
    for _ in 0..<1000 {
      let bytes = (0..<Int.random(in: 0..<24, using: &random)).compactMap { _ in
        pieces.randomElement(using: &random)
      }
      let text = String(decoding: bytes, as: UTF8.self)
      for type in [nil, form, "application/json", "text/plain"] {
        _ = Redaction.body(Data(bytes), mimeType: type)
      }
      for name in ["Link", "WWW-Authenticate", "Location", "X-A"] {
        _ = Redaction.value(text, ofHeader: name)
      }
      #expect(Redaction.pairs("password=" + text).utf8.starts(with: "password=REDACTED".utf8))
    }
  }

  @Test func `the value of a cookie without a name is not recorded`() async throws {
    let server = try ScriptedServer.http { _ in Reply(headers: [("Set-Cookie", "HUNTER2; Path=/")]) }
    var request = URLRequest(url: server.url())
    request.setValue("HUNTER2; a=HUNTER2; =HUNTER2", forHTTPHeaderField: "Cookie")
    let session = URLSession.forTest()
    session.archive.isRecording = true
    _ = try await session.data(for: request)
    let text = String(decoding: try session.archive.har(), as: UTF8.self)
    #expect(!text.contains("HUNTER2"))
    #expect(text.contains(#""a""#))
  }
}
#endif
