import Foundation
import Testing

import Retriever

@Suite struct NSURLRequestTests {
  private static let url = URL(string: "https://example.com/a?b=c")!

  @Test func `a request converts to an object and back`() throws {
    var request = URLRequest(url: Self.url, cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 7)
    request.httpMethod = "PUT"
    request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data("hello".utf8)
    let object = request as NSURLRequest
    #expect(object.url == Self.url)
    #expect(object.httpMethod == "PUT")
    #expect(object.cachePolicy == .returnCacheDataElseLoad)
    #expect(object.timeoutInterval == 7)
    #expect(object.value(forHTTPHeaderField: "content-type") == "text/plain")
    #expect(object as URLRequest == request)
    let dynamic: Any = request
    #expect((dynamic as? NSURLRequest)?.httpBody == Data("hello".utf8))
    let dynamicObject: Any = object
    #expect(dynamicObject as? URLRequest == request)
  }

  @Test func `a mutable copy changes alone`() throws {
    let object = NSURLRequest(url: Self.url)
    let copy = try #require(object.mutableCopy() as? NSMutableURLRequest)
    copy.httpMethod = "POST"
    copy.addValue("1", forHTTPHeaderField: "X-Count")
    copy.addValue("2", forHTTPHeaderField: "X-Count")
    copy.url = URL(string: "https://example.org/")
    #expect(object.httpMethod == "GET")
    #expect(object.url == Self.url)
    #expect((copy as URLRequest).value(forHTTPHeaderField: "x-count") == "1,2")
    #expect(copy != object)
    let immutable = try #require(copy.copy() as? NSURLRequest)
    copy.httpMethod = "DELETE"
    #expect(immutable.httpMethod == "POST")
    #expect(!(immutable is NSMutableURLRequest))
  }

  @Test func `equal requests are equal objects with the same hash`() {
    let first = NSURLRequest(url: Self.url)
    let second = NSMutableURLRequest(url: Self.url)
    #expect(first == second)
    #expect(first.hash == second.hash)
    second.setValue("b", forHTTPHeaderField: "A")
    #expect(first != second)
  }

  @Test func `every property of a mutable request can be set`() {
    let request = NSMutableURLRequest(url: Self.url)
    request.cachePolicy = .reloadIgnoringCacheData
    request.timeoutInterval = 3
    request.mainDocumentURL = Self.url
    request.networkServiceType = .networkServiceTypeCallSignaling
    request.allowsCellularAccess = false
    request.allowsExpensiveNetworkAccess = false
    request.allowsConstrainedNetworkAccess = false
    request.assumesHTTP3Capable = true
    request.requiresDNSSECValidation = true
    request.allowsPersistentDNS = true
    request.attribution = .user
    request.allHTTPHeaderFields = ["A": "b"]
    request.httpShouldHandleCookies = false
    request.httpShouldUsePipelining = true
    request.httpBodyStream = InputStream(data: Data([1]))
    #expect(request.httpBody == nil && request.httpBodyStream != nil)
    request.httpBody = Data([2])
    #expect(request.httpBodyStream == nil)
    let value = request as URLRequest
    #expect(value.cachePolicy == .reloadIgnoringLocalCacheData)
    #expect(value.timeoutInterval == 3 && value.mainDocumentURL == Self.url)
    #expect(value.networkServiceType == .callSignaling && value.attribution == .user)
    #expect(!value.allowsCellularAccess && !value.allowsExpensiveNetworkAccess)
    #expect(!value.allowsConstrainedNetworkAccess && value.assumesHTTP3Capable)
    #expect(value.requiresDNSSECValidation && value.allowsPersistentDNS)
    #expect(value.allHTTPHeaderFields == ["A": "b"] && value.httpBody == Data([2]))
    #expect(!value.httpShouldHandleCookies && value.httpShouldUsePipelining)
  }
}
