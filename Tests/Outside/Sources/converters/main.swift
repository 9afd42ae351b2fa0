import Foundation
import FoundationNetworking
import Retriever
import RetrieverConverters

// Converts each kind of value from FoundationNetworking to Retriever and back, and compares.

func check(_ condition: Bool, _ what: String) {
  guard condition else {
    print("converters: failed: \(what)")
    exit(1)
  }
}

let url = URL(string: "https://www.example.com:8443/path?query")!

var request = FoundationNetworking.URLRequest(
  url: url, cachePolicy: .returnCacheDataElseLoad, timeoutInterval: 7)
request.httpMethod = "PATCH"
request.httpBody = Data("body".utf8)
request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
request.httpShouldHandleCookies = false
request.mainDocumentURL = URL(string: "https://main.example.com")
if let converted = Retriever.URLRequest(request) {
  check(converted.url == url && converted.httpMethod == "PATCH", "the URL and method of a request")
  check(converted.cachePolicy == .returnCacheDataElseLoad && converted.timeoutInterval == 7, "its policies")
  check(converted.httpBody == Data("body".utf8) && !converted.httpShouldHandleCookies, "its body")
  check(converted.value(forHTTPHeaderField: "content-type") == "text/plain", "its fields")
  check(FoundationNetworking.URLRequest(converted) == request, "a request there and back")
} else {
  check(false, "a request")
}

for policy in [
  Retriever.URLRequest.CachePolicy.useProtocolCachePolicy, .reloadIgnoringLocalCacheData,
  .returnCacheDataElseLoad,
  .returnCacheDataDontLoad, .reloadIgnoringLocalAndRemoteCacheData, .reloadRevalidatingCacheData,
] {
  let own = Retriever.URLRequest(url: url, cachePolicy: policy)
  let theirs = FoundationNetworking.URLRequest(own)
  check(theirs.map { "\($0.cachePolicy)" } == "\(policy)", "the cache policy \(policy)")
  check(
    theirs.flatMap { Retriever.URLRequest($0) }?.cachePolicy == policy,
    "the cache policy \(policy) there and back")
}

let stream = InputStream(data: Data("stream".utf8))
request.httpBodyStream = stream
check(Retriever.URLRequest(request)?.httpBodyStream === stream, "a body stream")

let response = Retriever.HTTPURLResponse(
  url: url, statusCode: 418, httpVersion: "HTTP/2",
  headerFields: ["ETag": "\"a\"", "Content-Type": "text/html"])!
let theirs = FoundationNetworking.URLResponse.converted(response) as? FoundationNetworking.HTTPURLResponse
check(theirs?.statusCode == 418 && theirs?.value(forHTTPHeaderField: "ETag") == "\"a\"", "a response")
check(theirs?.mimeType == "text/html", "the type of a response")
let ours = theirs.flatMap { Retriever.URLResponse.converted($0) } as? Retriever.HTTPURLResponse
check(
  ours?.statusCode == 418 && ours?.allHeaderFields.count == 2 && ours?.url == url, "a response there and back"
)

let plain = FoundationNetworking.URLResponse(
  url: url, mimeType: "image/png", expectedContentLength: 12, textEncodingName: nil)
let converted = Retriever.URLResponse.converted(plain)
check(converted?.mimeType == "image/png" && converted?.expectedContentLength == 12, "a response without HTTP")

let cookie = Retriever.HTTPCookie(properties: [
  .name: "a", .value: "b", .domain: "www.example.com", .path: "/", .secure: "TRUE",
  .expires: Date(timeIntervalSince1970: 4_000_000_000),
])!
let theirCookie = FoundationNetworking.HTTPCookie(cookie)
check(theirCookie?.name == "a" && theirCookie?.isSecure == true, "a cookie")
check(theirCookie?.expiresDate == Date(timeIntervalSince1970: 4_000_000_000), "the expiry of a cookie")
check(theirCookie.flatMap { Retriever.HTTPCookie($0) } == cookie, "a cookie there and back")

let credential = FoundationNetworking.URLCredential(
  user: "dog", password: "biscuit", persistence: .forSession)
let ourCredential = Retriever.URLCredential(credential)
check(ourCredential?.user == "dog" && ourCredential?.password == "biscuit", "a credential")
check(ourCredential?.persistence == .forSession, "the persistence of a credential")
check(
  ourCredential.flatMap { FoundationNetworking.URLCredential($0) }?.password == "biscuit", "a credential back"
)

let space = Retriever.URLProtectionSpace(
  host: "h", port: 80, protocol: "http", realm: "r",
  authenticationMethod: Retriever.NSURLAuthenticationMethodHTTPBasic)
let theirSpace = FoundationNetworking.URLProtectionSpace(space)
check(theirSpace.host == "h" && theirSpace.realm == "r" && !theirSpace.isProxy(), "a protection space")
check(Retriever.URLProtectionSpace(theirSpace) == space, "a protection space there and back")

let stored = Retriever.CachedURLResponse(
  response: response, data: Data("x".utf8), userInfo: ["key": 1], storagePolicy: .allowedInMemoryOnly)
let theirStored = FoundationNetworking.CachedURLResponse(stored)
check(
  theirStored?.data == Data("x".utf8) && theirStored?.storagePolicy == .allowedInMemoryOnly,
  "a stored response")
check(
  theirStored.flatMap { Retriever.CachedURLResponse($0) }?.userInfo?["key"] as? Int == 1, "its information")
print("converters: passed")
