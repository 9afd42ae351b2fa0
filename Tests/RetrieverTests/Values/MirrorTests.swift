import Foundation
import Retriever
import Testing

/// `dump`, debuggers and the messages of failed tests read objects with mirrors, without locks.
@Suite struct MirrorTests {
  private func dumped(_ value: some Any) -> String {
    var text = ""
    dump(value, to: &text)
    return text
  }

  @Test func `a dump of a session, its configuration, its cookies and its tasks shows no secret`() throws {
    let url = try #require(URL(string: "https://dogs.example/private"))
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpAdditionalHeaders = ["Authorization": "Bearer hush"]
    let session = URLSession(configuration: configuration)
    defer { session.invalidateAndCancel() }
    let cookie = try #require(
      HTTPCookie(properties: [.name: "session", .value: "hush", .domain: "dogs.example", .path: "/"]))
    let cookies = try #require(configuration.httpCookieStorage)
    cookies.setCookie(cookie)
    let credentials = try #require(configuration.urlCredentialStorage)
    let space = URLProtectionSpace(
      host: "dogs.example", port: 443, protocol: "https", realm: nil, authenticationMethod: nil)
    credentials.set(URLCredential(user: "rex", password: "hush", persistence: .forSession), for: space)
    let cache = try #require(configuration.urlCache)
    let response = CachedURLResponse(
      response: URLResponse(url: url, mimeType: nil, expectedContentLength: 4, textEncodingName: nil),
      data: Data("hush".utf8), userInfo: ["note": "hush"], storagePolicy: .allowed)
    cache.storeCachedResponse(response, for: URLRequest(url: url))
    var request = URLRequest(url: url)
    request.httpBody = Data("hush".utf8)
    let task = session.dataTask(with: request)

    let objects: [Any] = [session, configuration, cookies, cookie, credentials, cache, response, task]
    for object in objects {
      let text = dumped(object)
      #expect(!text.contains("hush"))
      #expect(text.split(separator: "\n").count <= 5, "\(text)")
    }
    #expect(dumped(cookie).contains("dogs.example"))
    #expect(dumped(task).contains("taskIdentifier: \(task.taskIdentifier)"))
  }

  @Test func `a dump of what holds a session does not read what its threads change`() {
    struct Client {
      let session: URLSession
      let executor = TransferExecutor.shared
    }
    let session = URLSession(configuration: .ephemeral)
    defer { session.invalidateAndCancel() }
    #expect(dumped(Client(session: session)).split(separator: "\n").count == 4)
  }
}
