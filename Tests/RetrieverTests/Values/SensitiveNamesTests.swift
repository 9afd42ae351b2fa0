#if !canImport(Darwin)
import Foundation
import Testing

@testable import Retriever

/// The names whose values archives and descriptions do not show.
struct SensitiveNamesTests {
  private static let secrets = [
    "X-CSRFToken", "csrftoken", "xsrf", "authtoken", "sessiontoken", "accesskey", "secretkey", "privatekey",
    "apitoken", "X-Ticket", "Authorisation", "x-userpass", "apiKey", "APIKEY", "user[api_key]", "passwd",
    "userpwd", "client_secret", "JSESSIONID", "connect.sid", "oauthCode", "code_verifier", "sig", "hmac",
    "X-Amz-Signature", "mycookie", "Bearer", "id_jwt", "pin", "userPin", "card-pin", "otp", "OTPValue",
    "pass-word", "to_ken", "keyboard_token", "authorSecret", "SAMLResponse", "X-Credentials", "2fa_code",
  ]

  private static let harmless = [
    "Content-Type", "Content-Encoding", "ETag", "Keep-Alive", "design", "keyboard", "monkey", "keywords",
    "author", "authority", "assigned", "signal", "passenger", "encoding", "unicode", "statusCode",
    "Status-Code", "zip_code", "country_code", "error_code", "Idempotency-Key", "cache_key", "publicKey",
    "shopping", "spinner", "option", "pint", "tokenizer",
  ]

  @Test(arguments: secrets) func `a name that contains a secret word is redacted everywhere`(
    name: String
  ) throws {
    #expect(Redaction.value("hush", ofHeader: name) == "REDACTED")
    #expect(Redaction.pairs("a=1&\(name)=hush") == "a=1&\(name)=REDACTED")
    let form = Redaction.body(
      Data("\(name)=hush&b=2".utf8), mimeType: "application/x-www-form-urlencoded")
    #expect(String(decoding: form, as: UTF8.self) == "\(name)=REDACTED&b=2")
    let json = Redaction.body(Data(#"{"\#(name)":"hush","b":2}"#.utf8), mimeType: "application/json")
    #expect(String(decoding: json, as: UTF8.self) == #"{"\#(name)":"REDACTED","b":2}"#)
    let url = try #require(URL(string: "https://dogs.example/"))
    var request = URLRequest(url: url)
    request.setValue("hush", forHTTPHeaderField: name)
    var dumped = ""
    dump(request, to: &dumped)
    #expect(!dumped.contains("hush"))
  }

  /// Some servers take a token as the name of a subprotocol.
  @Test(arguments: ["DPoP", "Sec-WebSocket-Protocol"])
  func `a standard field that contains a secret is redacted`(name: String) {
    #expect(Redaction.value("hush", ofHeader: name) == "REDACTED")
  }

  @Test(arguments: harmless) func `a name that only looks like a secret's stays readable`(name: String) {
    #expect(Redaction.value("shown", ofHeader: name) == "shown")
    #expect(Redaction.pairs("\(name)=shown") == "\(name)=shown")
  }

  @Test(arguments: [
    "Sec-WebSocket-Key", "WWW-Authenticate", "Proxy-Authenticate", "Access-Control-Allow-Credentials",
    "Public-Key-Pins", "Surrogate-Key", "Sec-Fetch-Site", "Cache-Control", "Accept-Encoding", "X-Cache-Key",
  ])
  func `a standard header field that holds no secret stays readable`(name: String) {
    #expect(Redaction.value("shown", ofHeader: name) == "shown")
  }

  @Test func `a name that is too long to analyze counts as secret`() {
    let name = String(repeating: "a", count: 300) + "-token"
    #expect(Redaction.pairs("\(name)=hush") == "\(name)=REDACTED")
  }
}
#endif
