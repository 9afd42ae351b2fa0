import Foundation
import Hashing
import Testing

@testable import ObjectStorage

/// The signatures that Amazon documents for S3 and in its test suite for Signature Version 4.
@Suite struct SigningTests {
  private let signer = RequestSigner(
    StoreCredentials(
      accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"),
    region: "us-east-1")
  private let date = Date(timeIntervalSince1970: 1_369_353_600)
  private let host = "examplebucket.s3.amazonaws.com"

  private func signature(
    _ method: String, _ path: String, _ query: [(String, String)] = [], _ fields: [(String, String)] = [],
    body: String = ""
  ) -> String {
    let hash = hexadecimal(SHA256.hash(body.utf8))
    let request = CanonicalRequest(
      method: method, path: path, query: query,
      headers: fields + [("Host", host), ("X-Amz-Content-SHA256", hash), ("x-amz-date", "20130524T000000Z")],
      payload: hash)
    return String(signer.authorization(for: request, at: date).suffix(64))
  }

  @Test func `a GET request with a range has the documented header field`() {
    let hash = hexadecimal(SHA256.hash([]))
    let request = CanonicalRequest(
      method: "GET", path: "/test.txt", query: [],
      headers: [
        ("host", host), ("Range", "bytes=0-9"), ("x-amz-content-sha256", hash),
        ("x-amz-date", "20130524T000000Z"),
      ], payload: hash)
    #expect(
      signer.stringToSign(for: request, time: "20130524T000000Z")
        .hasSuffix("\n7344ae5b7ee6c3e7e6b0fe0640412a37625d1fbfff95c48bbb2dc43964946972"))
    #expect(
      signer.authorization(for: request, at: date)
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
  }

  @Test func `a PUT request has the documented signature`() {
    let found = signature(
      "PUT", "/test$file.text", [],
      [("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
      body: "Welcome to Amazon S3.")
    #expect(found == "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
  }

  @Test func `requests for the life cycle and the list of a bucket have the documented signatures`() {
    #expect(
      signature("GET", "/", [("lifecycle", "")])
        == "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543")
    #expect(
      signature("GET", "/", [("prefix", "J"), ("max-keys", "2")])
        == "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
  }

  @Test func `a presigned URL has the documented query`() {
    let query = signer.presignedQuery(
      method: "GET", path: "/test.txt", host: host, query: [], lifetime: 86_400, at: date)
    #expect(
      query
        == "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3"
        + "%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
  }

  struct Case: Sendable {
    var name: String
    var method = "GET"
    var path = "/"
    var query: [(String, String)] = []
    var fields: [(String, String)] = []
    var body = ""
    var signature: String
  }

  private static let suite = [
    Case(
      name: "get-vanilla", signature: "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    Case(
      name: "get-vanilla-query-order-key-case", query: [("Param2", "value2"), ("Param1", "value1")],
      signature: "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    Case(
      name: "get-vanilla-empty-query-key", query: [("Param1", "value1")],
      signature: "a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
    Case(
      name: "get-utf8", path: "/\u{1234}",
      signature: "8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    Case(
      name: "get-unreserved", path: "/-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz",
      signature: "07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    Case(
      name: "get-header-value-trim", fields: [("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
      signature: "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    Case(
      name: "post-vanilla", method: "POST",
      signature: "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    Case(
      name: "post-x-www-form-urlencoded", method: "POST",
      fields: [("Content-Type", "application/x-www-form-urlencoded")], body: "Param1=value1",
      signature: "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
  ]

  @Test(arguments: suite) func `the test suite's signatures are the same`(_ test: Case) {
    let signer = RequestSigner(
      StoreCredentials(accessKey: "AKIDEXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"),
      region: "us-east-1", service: "service")
    let request = CanonicalRequest(
      method: test.method, path: test.path, query: test.query,
      headers: test.fields + [("Host", "example.amazonaws.com"), ("X-Amz-Date", "20150830T123600Z")],
      payload: hexadecimal(SHA256.hash(test.body.utf8)))
    let found = signer.authorization(for: request, at: Date(timeIntervalSince1970: 1_440_938_160))
    #expect(found.hasSuffix("Signature=\(test.signature)"), "\(test.name)")
  }

  @Test func `the key of another day is derived again`() {
    let request = CanonicalRequest(
      method: "GET", path: "/", query: [], headers: [("host", host)], payload: "")
    let today = signer.authorization(for: request, at: date)
    let tomorrow = signer.authorization(for: request, at: date + 86_400)
    #expect(today != tomorrow)
    #expect(signer.authorization(for: request, at: date) == today)
  }

  @Test func `hashes are those of their standards`() {
    #expect(hexadecimal(MD5.hash([])) == "d41d8cd98f00b204e9800998ecf8427e")
    #expect(hexadecimal(MD5.hash(Array("message digest".utf8))) == "f96b697d7cb7938d525a2f31aaf161d0")
    let digits = String(repeating: "1234567890", count: 8)
    #expect(hexadecimal(MD5.hash(Array(digits.utf8))) == "57edf4a22be3c955ac49da2e2107b67a")
    // RFC 4231, test cases 2 and 6.
    #expect(
      hexadecimal(SHA256.authentication(of: "what do ya want for nothing?".utf8, key: Array("Jefe".utf8)))
        == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
    let message = "Test Using Larger Than Block-Size Key - Hash Key First"
    #expect(
      hexadecimal(SHA256.authentication(of: message.utf8, key: [UInt8](repeating: 0xaa, count: 131)))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
  }
}
