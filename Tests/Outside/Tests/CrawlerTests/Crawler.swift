import Foundation
import Retriever

// A crawler that goes through a proxy with a password.

struct ProxyConfiguration {
  var host: String
  var port: Int
  var user: String
  var password: String
}

final class Crawler: NSObject, URLSessionTaskDelegate {
  private let proxy: ProxyConfiguration
  private var session: URLSession!
  private let lock = NSLock()
  private var visited: Set<URL> = []
  private(set) var challenges: [String] = []

  init(proxy: ProxyConfiguration) {
    self.proxy = proxy
    super.init()
    let configuration = URLSessionConfiguration.ephemeral
    configuration.connectionProxyDictionary = [
      "HTTPEnable": 1,
      "HTTPProxy": proxy.host,
      "HTTPPort": proxy.port,
      "HTTPSEnable": 1,
      "HTTPSProxy": proxy.host,
      "HTTPSPort": proxy.port,
    ]
    configuration.httpAdditionalHeaders = ["User-Agent": "crawler/1.0"]
    configuration.timeoutIntervalForRequest = 20
    session = URLSession(configuration: configuration, delegate: self, delegateQueue: .main)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    let space = challenge.protectionSpace
    challenges.append("\(space.host):\(space.port) \(space.realm ?? "") \(space.isProxy())")
    guard space.isProxy(), space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else {
      return completionHandler(.performDefaultHandling, nil)
    }
    guard challenge.previousFailureCount == 0 else {
      return completionHandler(.cancelAuthenticationChallenge, nil)
    }
    completionHandler(
      .useCredential, URLCredential(user: proxy.user, password: proxy.password, persistence: .forSession))
  }

  private func isNew(_ url: URL) -> Bool {
    lock.lock()
    defer { lock.unlock() }
    return visited.insert(url).inserted
  }

  /// Follows the links of a page, and returns all pages.
  func crawl(_ start: URL, completion: @escaping (Result<[String: Int], Error>) -> Void) {
    let group = DispatchGroup()
    let state = State()
    visit(start, group, state)
    group.notify(queue: .main) {
      completion(state.error.map { .failure($0) } ?? .success(state.pages))
    }
  }

  final class State {
    var pages: [String: Int] = [:]
    var error: Error?
  }

  private func visit(_ url: URL, _ group: DispatchGroup, _ state: State) {
    guard isNew(url) else { return }
    group.enter()
    session.dataTask(with: url) { data, response, error in
      defer { group.leave() }
      if let error = error {
        state.error = error
        return
      }
      guard let data = data, let http = response as? HTTPURLResponse else { return }
      state.pages[url.path] = http.statusCode
      for link in String(decoding: data, as: UTF8.self).components(separatedBy: "\n") where !link.isEmpty {
        if let next = URL(string: link, relativeTo: url)?.absoluteURL { self.visit(next, group, state) }
      }
    }.resume()
  }

  func invalidate() { session.invalidateAndCancel() }
}
