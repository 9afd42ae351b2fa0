import Foundation
import TestSupport
import Testing

@testable import ObjectStorage

@Suite struct ValueTests {
  @Test func `a location has a bucket, a prefix, a server and a region`() throws {
    let own = try StoreLocation(
      "s3://photos/family%20dogs/?endpoint=https://Objects.example.org:8443/&region=eu", environment: [:])
    #expect(own.bucket == "photos" && own.prefix == "family dogs/" && own.region == "eu")
    #expect(own.isSecure && own.host == "objects.example.org:8443")
    #expect(own.path(of: "family dogs/a") == "/photos/family dogs/a")
    let amazon = try StoreLocation("s3://photos", environment: ["AWS_REGION": "eu-west-1"])
    #expect(amazon.host == "photos.s3.eu-west-1.amazonaws.com" && amazon.prefix.isEmpty)
    #expect(amazon.path(of: "a") == "/a")
    let dotted = try StoreLocation("s3://photos.example.org", environment: [:])
    #expect(dotted.host == "s3.us-east-1.amazonaws.com")
    let variable = try StoreLocation("s3://photos", environment: ["AWS_ENDPOINT_URL": "http://[::1]:9000"])
    #expect(!variable.isSecure && variable.host == "[::1]:9000")
    #expect(try StoreLocation("\(own)", environment: [:]).host == own.host)
  }

  @Test(arguments: ["", "kennel", "a%20b", "100%25", "a%2520b", "why%3F", "a%0Ab", "a%26b=c%23", "%C3%BC/b"])
  func `a location that is read from its own text is the same`(_ prefix: String) throws {
    let location = try StoreLocation(
      "s3://photos/\(prefix)?endpoint=http://[::1]:9000&addressing=host", environment: [:])
    #expect(try StoreLocation("\(location)", environment: [:]) == location)
    #expect(!"\(location)".contains("\n"))
  }

  @Test(arguments: [
    "", "https://photos", "s3://", "s3://UPPER", "s3://a..b", "s3://photos/../secret",
    "s3://photos?endpoint=ftp://a",
    "s3://photos?endpoint=https://user:pass@host", "s3://photos?endpoint=https://host/path",
    "s3://photos?secret=1",
    "s3://photos?region=a&region=b", "s3://photos?region=%ff", "s3://photos?addressing=dns",
    "s3://photos/%zz",
  ]) func `a location that is not valid is an error`(_ text: String) {
    let error = #expect(throws: ObjectStoreError.self) { try StoreLocation(text, environment: [:]) }
    #expect(error?.code == .badAddress || error?.code == .badKey)
    #expect(error.map { "\($0)".contains("pass") } != true)
  }

  @Test func `credentials come from the environment, then from a file`() throws {
    let variables = ["AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_SESSION_TOKEN": "c"]
    #expect(
      try StoreCredentials.find(in: variables)
        == StoreCredentials(accessKey: "a", secretKey: "b", sessionToken: "c"))
    #expect(throws: ObjectStoreError.self) { try StoreCredentials.find(in: ["AWS_ACCESS_KEY_ID": "a"]) }
    let directory = try TemporaryDirectory()
    let file = try directory.write(
      Data(
        """
        # keys
        [default]
        aws_access_key_id = d1
        aws_secret_access_key=d2=/+
        [ other ]
        aws_access_key_id = o1
        aws_secret_access_key = o2
        aws_session_token = o3
        [broken]
        aws_access_key_id = x
        """.utf8), to: "credentials")
    var environment = ["AWS_SHARED_CREDENTIALS_FILE": file.path]
    #expect(
      try StoreCredentials.find(in: environment) == StoreCredentials(accessKey: "d1", secretKey: "d2=/+"))
    environment["AWS_PROFILE"] = "other"
    #expect(try StoreCredentials.find(in: environment).sessionToken == "o3")
    environment["AWS_PROFILE"] = "broken"
    #expect(throws: ObjectStoreError.self) { try StoreCredentials.find(in: environment) }
    #expect(throws: ObjectStoreError.self) { try StoreCredentials.find(in: ["HOME": "/nonexistent"]) }
    #expect(throws: ObjectStoreError.self) { try StoreCredentials.find(in: [:]) }
  }

  @Test func `names of objects that a client or a server could change are refused`() throws {
    for key in ["", "..", "a/../b", "./a", "a\0b", String(repeating: "x", count: 1025)] {
      #expect(throws: ObjectStoreError.self) { try ObjectKey.check(key) }
    }
    for key in ["a", "a//b", "...", "/a", String(repeating: "x", count: 1024)] { try ObjectKey.check(key) }
  }

  @Test func `documents of stores are read`() throws {
    let text = """
      <?xml version="1.0"?><!-- <a> -->
      <s:List xmlns:s="x" note="a>b"><Key>a&amp;b&#x20;&#233;&lt;</Key><Empty/><Key><![CDATA[<c>]]></Key></s:List>

      """
    let document = try #require(XMLDocument.parse(Data(text.utf8)))
    #expect(document.name == "List")
    #expect(document.all("Key").map(\.text) == ["a&b é<", "<c>"])
    #expect(document.children.count == 3)
  }

  @Test(arguments: [
    "", "text", "<a>", "<a></b>", "<a/><b/>", "<a>&unknown;</a>", "<a>&#xD800;</a>", "</a>", "<a", "<a b='>",
    "<!DOCTYPE a>",
    "<!-- ", "<a><![CDATA[", "<a></a>text", "<>", "< a/>",
  ]) func `a document that is not valid is refused`(_ text: String) {
    #expect(XMLDocument.parse(Data(text.utf8)) == nil)
  }

  @Test func `documents that are too deep or too long are refused`() {
    let deep = String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)
    #expect(XMLDocument.parse(Data(deep.utf8)) == nil)
    let long = "<a>" + String(repeating: "<b/>", count: XMLDocument.maximumNodes) + "</a>"
    #expect(XMLDocument.parse(Data(long.utf8)) == nil)
    #expect(XMLDocument.parse(Data([0x3c, 0x61, 0x3e, 0xff, 0x3c, 0x2f, 0x61, 0x3e])) == nil)
  }

  @Test func `pauses grow to a limit, and the store's own wish counts`() {
    let retries = StoreRetries()
    #expect(retries.pause(afterAttempts: 1, asked: nil, jitter: 0) == .milliseconds(50))
    #expect(retries.pause(afterAttempts: 2, asked: nil, jitter: 1) == .milliseconds(200))
    #expect(retries.pause(afterAttempts: 1, asked: .seconds(9), jitter: 1) == .seconds(9))
    #expect(retries.pause(afterAttempts: 5, asked: nil, jitter: 1) == nil)
    // A request that took long, or must wait long, is not sent again.
    #expect(retries.pause(afterAttempts: 1, asked: nil, jitter: 1, elapsed: .seconds(9)) != nil)
    #expect(retries.pause(afterAttempts: 1, asked: nil, jitter: 1, elapsed: .seconds(10)) == nil)
    #expect(retries.pause(afterAttempts: 1, asked: .seconds(60), jitter: 1) == nil)
  }
}
