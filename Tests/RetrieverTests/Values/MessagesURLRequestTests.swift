#if !canImport(Darwin)
import Foundation
import Retriever
import Testing

@Suite struct MessagesURLRequestTests {
  private let url = URL(string: "https://example.com/a")!

  @Test func startsWithTheDocumentedDefaults() {
    let request = URLRequest(url: url)
    #expect(request.url == url)
    #expect(request.httpMethod == "GET")
    #expect(request.cachePolicy == .useProtocolCachePolicy)
    #expect(request.timeoutInterval == 60)
    #expect(request.allHTTPHeaderFields == nil)
    #expect(request.mainDocumentURL == nil)
    #expect(request.httpBody == nil)
    #expect(request.httpBodyStream == nil)
    #expect(request.networkServiceType == .default)
    #expect(request.attribution == .developer)
    #expect(request.allowsCellularAccess)
    #expect(request.allowsExpensiveNetworkAccess)
    #expect(request.allowsConstrainedNetworkAccess)
    #expect(!request.assumesHTTP3Capable)
    #expect(!request.requiresDNSSECValidation)
    #expect(!request.allowsPersistentDNS)
    #expect(request.httpShouldHandleCookies)
    #expect(!request.httpShouldUsePipelining)
  }

  @Test func changingACopyLeavesTheOriginal() {
    var original = URLRequest(url: url)
    original.setValue("1", forHTTPHeaderField: "A")
    var copy = original
    copy.httpMethod = "POST"
    copy.httpBody = Data("body".utf8)
    copy.setValue("2", forHTTPHeaderField: "A")
    #expect(original.httpMethod == "GET")
    #expect(original.httpBody == nil)
    #expect(original.value(forHTTPHeaderField: "A") == "1")
    #expect(copy.value(forHTTPHeaderField: "A") == "2")
    #expect(original != copy)
  }

  @Test(arguments: [
    ("get", "GET"), ("hEAD", "HEAD"), ("Post", "POST"), ("put", "PUT"), ("dElete", "DELETE"),
    ("connect", "CONNECT"), ("options", "options"), ("patch", "patch"), ("PROPFIND", "PROPFIND"),
  ])
  func capitalisesTheMethodsThatAppleCapitalisesAndNoOthers(given: String, expected: String) {
    var request = URLRequest(url: url)
    request.httpMethod = given
    #expect(request.httpMethod == expected)
  }

  @Test func `a request without a method is a GET`() {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.httpMethod = nil
    #expect(request.httpMethod == "GET")
  }

  @Test func bodyAndBodyStreamExcludeEachOther() {
    var request = URLRequest(url: url)
    let stream = InputStream(data: Data("stream".utf8))
    request.httpBody = Data("data".utf8)
    request.httpBodyStream = stream
    #expect(request.httpBody == nil)
    #expect(request.httpBodyStream === stream)
    request.httpBody = Data("data".utf8)
    #expect(request.httpBodyStream == nil)
    #expect(request.httpBody == Data("data".utf8))
  }

  @Test func addingJoinsWithAComma() {
    var request = URLRequest(url: url)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    request.setValue("application/xml", forHTTPHeaderField: "accept")
    request.addValue("text/html", forHTTPHeaderField: "ACCEPT")
    #expect(request.allHTTPHeaderFields == ["Accept": "application/xml,text/html"])
    request.setValue(nil, forHTTPHeaderField: "accept")
    #expect(request.allHTTPHeaderFields == [:])
  }

  @Test func settingAllFieldsReplacesThem() {
    var request = URLRequest(url: url)
    request.setValue("1", forHTTPHeaderField: "A")
    request.allHTTPHeaderFields = ["B": "2"]
    #expect(request.value(forHTTPHeaderField: "A") == nil)
    #expect(request.value(forHTTPHeaderField: "b") == "2")
    request.allHTTPHeaderFields?["C"] = "3"
    #expect(request.headerFields.entries.map(\.name) == ["B", "C"])
    request.allHTTPHeaderFields = nil
    #expect(request.allHTTPHeaderFields == nil)
  }

  @Test(arguments: [
    "\r\nEvil: 1", "a\0b", "a\rb", "a\nb", "a\n", "a\r\nb", "a\r\n", "a\r\rb", "a\r\n b\r\nEvil: 1",
    "one\r\n two\r\n\tthree",
  ])
  func aValueThatCouldAddFieldsIsKeptAndThenRefused(value: String) {
    var request = URLRequest(url: url)
    request.setValue(value, forHTTPHeaderField: "A")
    #expect(request.value(forHTTPHeaderField: "A") == value)
    #expect(RequestValidation.problem(with: request)?.code == .badURL)
  }

  @Test func equalRequestsHashAlike() {
    var left = URLRequest(url: url)
    var right = URLRequest(url: url)
    left.allHTTPHeaderFields = ["A": "1", "B": "2"]
    right.setValue("2", forHTTPHeaderField: "b")
    right.setValue("1", forHTTPHeaderField: "a")
    #expect(left == right)
    #expect(left.hashValue == right.hashValue)
    right.timeoutInterval = 5
    #expect(left != right)
  }

  @Test func `the description is the URL without secrets`() {
    var request = URLRequest(url: url)
    request.setValue("Bearer hush", forHTTPHeaderField: "Authorization")
    #expect("\(request)" == "https://example.com/a")
    var dumped = ""
    dump(request, to: &dumped)
    #expect(dumped.contains("Authorization"))
    #expect(!dumped.contains("hush"))
    request.url = nil
    #expect("\(request)" == "url: nil")
  }

  @Test func aRelativeURLIsResolved() {
    let relative = URL(string: "/get", relativeTo: URL(string: "http://example.com"))!
    #expect(URLRequest(url: relative).url?.baseURL == nil)
    #expect(URLRequest(url: relative).url?.absoluteString == "http://example.com/get")
  }
}
#endif
