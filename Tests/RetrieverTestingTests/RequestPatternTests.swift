import Foundation
import Retriever
import Testing

@testable import RetrieverTesting

@Suite struct RequestPatternTests {
  private func request(
    _ method: String, _ url: String, headers: [String: String] = [:], body: String = ""
  ) throws -> ReceivedRequest {
    let url = try #require(URL(string: url))
    var request = URLRequest(url: url)
    request.httpMethod = method
    let body = Data(body.utf8)
    return ReceivedRequest(
      number: 1, request: request, url: url, headers: headers, body: body, bodyLength: body.count)
  }

  private func get(_ url: String) throws -> ReceivedRequest { try request("GET", url) }

  @Test(arguments: [
    ("GET /dogs", "https://a.test/dogs", true), ("POST /dogs", "https://a.test/dogs", false),
    ("/dogs", "https://a.test/dogs", true), ("dogs", "https://a.test/dogs", true),
    ("ANY /dogs", "https://a.test/dogs", true), ("/dogs", "https://a.test/dogs/", false),
    ("/", "https://a.test", true), ("/dogs", "https://a.test/dogs?page=2#top", true),
    ("/dogs/*", "https://a.test/dogs/7", true), ("/dogs/*", "https://a.test/dogs/7/photo", false),
    ("/dogs/**", "https://a.test/dogs/7/photo", true), ("/dogs/**", "https://a.test/dogs", true),
    ("/**/photo", "https://a.test/dogs/7/photo", true), ("/**/photo", "https://a.test/dogs/7", false),
    ("/**/a/**/b", "https://a.test/a/x/a/y/b", true), ("/*.jpg", "https://a.test/rex.jpg", true),
    ("/*.jpg", "https://a.test/rex.png", false), ("/a%20b", "https://a.test/a%20b", true),
    ("/a%2Fb", "https://a.test/a/b", false),
    ("*://a.test:8080/", "http://a.test:8080/", true), ("*://a.test:8080/", "http://a.test:9090/", false),
    ("https://a.test/dogs", "https://a.test/dogs", true),
    ("https://a.test/dogs", "http://a.test/dogs", false),
    ("https://A.Test/dogs", "HTTPS://a.TEST/dogs", true), ("https://*.test/", "https://a.b.test/", true),
    ("https://a.test/", "https://a.test:443/", true), ("https://a.test/", "https://a.test:8443/", false),
    ("http://localhost:*/", "http://localhost:8080/", true), ("*://a.test/", "http://a.test/", true),
    ("http://[::1]:80/", "http://[::1]/", true),
    ("/dogs?page=2", "https://a.test/dogs?sort=name&page=2", true),
    ("/dogs?page=2", "https://a.test/dogs?page=3", false), ("/dogs?page=2", "https://a.test/dogs", false),
    ("/dogs?page", "https://a.test/dogs?page=9", true),
    ("/dogs?name=R*", "https://a.test/dogs?name=Rex", true),
    ("/dogs?tag=a&tag=b", "https://a.test/dogs?tag=b&tag=a", true),
  ])
  func `a text matches method, host, path and query`(pattern: String, url: String, expected: Bool) throws {
    let result = RequestPattern(pattern).matches(try get(url))
    #expect(result == expected, "\(pattern) \(url)")
  }

  @Test func `named segments become parameters`() throws {
    let pattern = RequestPattern("GET /dogs/:id/photos/:photo")
    let match = pattern.match(try get("https://a.test/dogs/7/photos/a%20b"))
    #expect(match.parameters == ["id": "7", "photo": "a b"])
    #expect(RequestPattern("/**/:last").match(try get("https://a.test/a/b/c")).parameters == ["last": "c"])
    #expect(!RequestPattern("/dogs/:id").matches(try get("https://a.test/dogs/")))
  }

  @Test func `a wildcard in a long text takes no exponential time`() throws {
    let url = "https://a.test/" + String(repeating: "a", count: 5000)
    let pattern = RequestPattern("/" + String(repeating: "a*", count: 50) + "b")
    #expect(!pattern.matches(try get(url)))
  }

  @Test func `header fields match without case of the name, and with wildcards in the value`() throws {
    let request = try request("GET", "https://a.test/", headers: ["Accept": "application/json"])
    #expect(RequestPattern.any.header("accept").matches(request))
    #expect(RequestPattern.any.header("ACCEPT", "application/*").matches(request))
    let differences = RequestPattern.any.header("Accept", "text/*").match(request).differences
    #expect(differences == ["the header field Accept is application/json, not text/*"])
    #expect(RequestPattern.any.header("X").match(request).differences == ["there is no header field X"])
  }

  @Test func `a secret header field is not shown`() throws {
    let request = try request("GET", "https://a.test/", headers: ["Authorization": "Bearer secret-1"])
    let pattern = RequestPattern.any.header("Authorization", "Bearer secret-2")
    let texts = pattern.match(request).differences + [pattern.description]
    #expect(!texts.isEmpty && !texts.joined().contains("secret"))
  }

  @Test func `JSON bodies are compared as values`() throws {
    let request = try request(
      "POST", "https://a.test/dogs", body: #"{"name":"Rex","age":5.0,"tags":["a",null,true],"x":{"y":1}}"#)
    let equal = #" { "x": {"y": 1}, "age": 5, "tags": ["a", null, true], "name": "Rex" } "#
    #expect(RequestPattern.post("/dogs").jsonBody(text: equal).matches(request))
    let cases = [
      (#"{"name":"Momo","age":5,"tags":["a",null,true],"x":{"y":1}}"#, "$.name is \"Rex\", not \"Momo\""),
      (#"{"name":"Rex","age":5,"tags":["a",null,false],"x":{"y":1}}"#, "$.tags[2] is true, not false"),
      (#"{"name":"Rex","age":5,"tags":["a"],"x":{"y":1}}"#, "$.tags has 3 elements, not 1"),
      (#"{"name":"Rex","age":5,"tags":["a",null,true]}"#, "$.x is not expected"),
      (#"{"name":"Rex","age":5,"tags":["a",null,true],"x":{"y":1,"z":2}}"#, "$.x.z is missing"),
    ]
    for (text, difference) in cases {
      let found = RequestPattern.any.jsonBody(text: text).match(request).differences
      #expect(found == ["in the JSON body, \(difference)"])
    }
    struct Dog: Encodable {
      let name: String
    }
    #expect(try !RequestPattern.any.jsonBody(Dog(name: "Rex")).matches(request))
    let plain = try self.request("POST", "https://a.test/", body: "name=Rex")
    #expect(RequestPattern.any.jsonBody(text: "{}").match(plain).differences == ["the body is not JSON"])
  }

  @Test func `forms are compared as fields`() throws {
    let request = try request("POST", "https://a.test/", body: "name=Rex+the+dog&q=a%26b")
    #expect(RequestPattern.any.formBody(["q": "a&b", "name": "Rex the dog"]).matches(request))
    #expect(!RequestPattern.any.formBody(["q": "a&b"]).matches(request))
    #expect(!RequestPattern.any.formBody(["q": "a&b", "name": "Rex the dog", "x": ""]).matches(request))
  }

  @Test(arguments: [#"{"name":"Rex"}"#, "name=a b\nc", "name=100%", "name=é[]", "=&=", ""])
  func `a body that is not a form does not match`(body: String) throws {
    let request = try request("POST", "https://a.test/", body: body)
    #expect(RequestPattern.any.formBody(["name": "Rex"]).match(request).differences.count == 1)
  }

  @Test func `bodies and conditions of the test match`() throws {
    let request = try request("PUT", "https://a.test/7", body: "woof")
    #expect(RequestPattern.put("/*").body("woof").body(Data("woof".utf8)).matches(request))
    #expect(!RequestPattern.any.body("meow").matches(request))
    let odd = RequestPattern.any.matching("an odd number") {
      Int($0.path.dropFirst()).map { $0 % 2 == 1 } == true
    }
    #expect(odd.matches(request))
    #expect(odd.match(try get("https://a.test/8")).differences == ["it does not match an odd number"])
    #expect(odd.description == "any request that matches an odd number")
  }

  @Test func `the description names all conditions`() {
    let pattern = RequestPattern.post("/dogs").header("Accept", "text/*").jsonBody(text: "{}")
    #expect(pattern.description == "POST /dogs with Accept: text/* with the JSON body {}")
    #expect(RequestPattern.any.description == "any request")
    #expect(RequestPattern("/dogs").description == "ANY /dogs")
  }
}
