import Foundation
import Retriever

// An image loader with its own cache, which decides in the delegate what is stored.

final class ImageLoader: NSObject, URLSessionDataDelegate {
  typealias Completion = (Result<Data, Error>) -> Void

  let cache: URLCache
  private var session: URLSession!
  private var completions: [Int: Completion] = [:]
  private var buffers: [Int: Data] = [:]
  private let lock = NSLock()
  /// The largest picture that is stored.
  var maximumCost = 100_000

  init(directory: URL) {
    cache = URLCache(memoryCapacity: 4 * 1024 * 1024, diskCapacity: 20 * 1024 * 1024, directory: directory)
    super.init()
    let configuration = URLSessionConfiguration.default
    configuration.urlCache = cache
    configuration.requestCachePolicy = .useProtocolCachePolicy
    configuration.httpMaximumConnectionsPerHost = 4
    session = URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
  }

  @discardableResult
  func load(
    _ url: URL, policy: URLRequest.CachePolicy = .useProtocolCachePolicy, completion: @escaping Completion
  ) -> URLSessionDataTask {
    let request = URLRequest(url: url, cachePolicy: policy, timeoutInterval: 20)
    let task = session.dataTask(with: request)
    lock.lock()
    completions[task.taskIdentifier] = completion
    buffers[task.taskIdentifier] = Data()
    lock.unlock()
    task.resume()
    return task
  }

  func invalidate() { session.invalidateAndCancel() }

  // MARK: URLSessionDataDelegate

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
  ) {
    guard let http = response as? HTTPURLResponse, 200..<300 ~= http.statusCode,
      response.mimeType?.hasPrefix("image/") == true
    else { return completionHandler(.cancel) }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    lock.lock()
    buffers[dataTask.taskIdentifier]?.append(data)
    lock.unlock()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask,
    willCacheResponse proposedResponse: CachedURLResponse,
    completionHandler: @escaping (CachedURLResponse?) -> Void
  ) {
    guard proposedResponse.data.count <= maximumCost else { return completionHandler(nil) }
    var userInfo = proposedResponse.userInfo ?? [:]
    userInfo["storedBy"] = "ImageLoader"
    completionHandler(
      CachedURLResponse(
        response: proposedResponse.response, data: proposedResponse.data, userInfo: userInfo,
        storagePolicy: proposedResponse.storagePolicy))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: Error?) {
    lock.lock()
    let completion = completions.removeValue(forKey: task.taskIdentifier)
    let data = buffers.removeValue(forKey: task.taskIdentifier) ?? Data()
    lock.unlock()
    completion?(error.map { .failure($0) } ?? .success(data))
  }
}
