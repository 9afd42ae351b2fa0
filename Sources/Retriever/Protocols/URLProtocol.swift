#if !canImport(Darwin)
import Foundation

/// Loads requests in a way that the program defines, instead of over the network.
///
/// Subclass it, implement ``canInit(with:)-(URLRequest)``, ``canonicalRequest(for:)``, ``startLoading()`` and
/// ``stopLoading()``, and add the class to ``URLSessionConfiguration/protocolClasses`` or register it with
/// ``registerClass(_:)``. A session creates one object for each request that the class accepts. The object reports to
/// its ``client``, from any thread.
///
/// ``startLoading()`` and ``stopLoading()`` of one object are called on a queue of their own, one after the other, so
/// they may block. `stopLoading` is called once after `startLoading`, also after the load has ended.
///
/// As on Apple's platforms, a protocol gets the body of a request as ``URLRequest/httpBodyStream``, and the session's
/// ``URLSessionConfiguration/httpAdditionalHeaders`` with the header fields. It gets no cookies.
///
/// A protocol decides about the session's cache. It gets the stored response to a GET request as ``cachedResponse``, of
/// any age, unless the request's policy ignores the cache. A complete response is stored if the protocol's storage policy
/// allows it, regardless of the response's header fields. Downloads and parts (status 206) are not stored.
open class URLProtocol: NSObject {
  // A session passes a protocol object between its queues, one call at a time.

  /// The request to load, in the form that ``canonicalRequest(for:)`` returned.
  open var request: URLRequest { loadedRequest }

  /// The receiver of the response.
  open var client: (any URLProtocolClient)? {
    get { currentClient }
    set { currentClient = newValue }
  }

  /// The stored response to the request, if there is one. It may be stale.
  open var cachedResponse: CachedURLResponse? { knownResponse }

  /// The task that loads the request.
  open var task: URLSessionTask? {
    get { loadingTask }
    set { loadingTask = newValue }
  }

  private let loadedRequest: URLRequest
  private let knownResponse: CachedURLResponse?
  private var currentClient: (any URLProtocolClient)?
  private weak var loadingTask: URLSessionTask?

  /// Creates an object that loads a request. Sessions call ``init(task:cachedResponse:client:)``.
  ///
  /// - Parameters:
  ///   - request: the request.
  ///   - cachedResponse: the cached response for the request, if there is one.
  ///   - client: the receiver of the response.
  public required init(
    request: URLRequest, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
  ) {
    loadedRequest = request
    knownResponse = cachedResponse
    currentClient = client
    super.init()
  }

  /// Creates an object that loads the current request of a task.
  ///
  /// - Parameters:
  ///   - task: the task.
  ///   - cachedResponse: the cached response for the request, if there is one.
  ///   - client: the receiver of the response.
  public required convenience init(
    task: URLSessionTask, cachedResponse: CachedURLResponse?, client: (any URLProtocolClient)?
  ) {
    // The session passes the request for the protocol, whose body is a stream, through its client.
    let request = (client as? ProtocolLoad)?.request ?? task.currentRequest ?? URLRequest()
    self.init(
      request: Self.canonicalRequest(for: request), cachedResponse: cachedResponse, client: client)
    loadingTask = task
  }

  // MARK: What subclasses implement

  /// Returns whether the class loads a request. The default is false.
  ///
  /// It is called on any thread, for each request and each redirect.
  open class func canInit(with request: URLRequest) -> Bool { false }

  /// Returns whether the class loads a task's current request. The default asks ``canInit(with:)-(URLRequest)``.
  open class func canInit(with task: URLSessionTask) -> Bool {
    guard let request = task.currentRequest else { return false }
    return canInit(with: request)
  }

  /// Returns the form of a request in which it is loaded. The default is the request itself.
  open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

  /// Returns whether two requests have the same response in a cache. The default compares the requests.
  open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { a == b }

  /// Starts to load the request, and reports to the ``client`` now or later. The default does nothing.
  open func startLoading() {}

  /// Ends loading, because the task was cancelled or the load is complete. The default does nothing.
  open func stopLoading() {}

  // MARK: Registering

  /// Registers a class for all sessions. The class that was registered last is asked first.
  ///
  /// The classes in a session's ``URLSessionConfiguration/protocolClasses`` are asked before the registered ones.
  ///
  /// - Returns: whether the class is a subclass of `URLProtocol`.
  @discardableResult
  open class func registerClass(_ protocolClass: AnyClass) -> Bool {
    guard let protocolClass = protocolClass as? URLProtocol.Type else { return false }
    ProtocolRegistry.shared.add(protocolClass)
    return true
  }

  /// Removes a class that was registered with ``registerClass(_:)``. Loads that have started continue.
  open class func unregisterClass(_ protocolClass: AnyClass) {
    guard let protocolClass = protocolClass as? URLProtocol.Type else { return }
    ProtocolRegistry.shared.remove(protocolClass)
  }

  // MARK: Properties of requests

  /// Returns a property of a request; nil if it was not set.
  ///
  /// Properties travel with copies of a request. Protocols use them to mark requests, for example those that they load
  /// themselves.
  open class func property(forKey key: String, in request: URLRequest) -> Any? {
    request.fields.protocolProperties.values[key]
  }

  /// Sets a property of a request.
  open class func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
    request.value.fields.protocolProperties.values[key] = value
  }

  /// Removes a property of a request.
  open class func removeProperty(forKey key: String, in request: NSMutableURLRequest) {
    request.value.fields.protocolProperties.values[key] = nil
  }
}

/// Receives what a ``URLProtocol`` loads. Sessions implement it; it may be called from any thread.
public protocol URLProtocolClient: NSObjectProtocol, Sendable {
  /// The server redirected to another request. The session asks its delegate, and either loads the new request and
  /// stops this protocol object, or uses the redirect's own response.
  func urlProtocol(
    _ protocol: URLProtocol, wasRedirectedTo request: URLRequest, redirectResponse: URLResponse)

  /// The cached response that the protocol object was created with is the response.
  func urlProtocol(_ protocol: URLProtocol, cachedResponseIsValid cachedResponse: CachedURLResponse)

  /// The head of the response. The policy determines whether the response is stored when it is complete.
  func urlProtocol(
    _ protocol: URLProtocol, didReceive response: URLResponse,
    cacheStoragePolicy policy: URLCache.StoragePolicy)

  /// A part of the body. A body may be reported in any number of parts.
  func urlProtocol(_ protocol: URLProtocol, didLoad data: Data)

  /// The load is complete.
  func urlProtocolDidFinishLoading(_ protocol: URLProtocol)

  /// The load failed. The task ends with this error.
  func urlProtocol(_ protocol: URLProtocol, didFailWithError error: any Error)

  /// The server requests authentication. The session passes the challenge to its delegate, and the answer to the
  /// challenge's ``URLAuthenticationChallenge/sender``.
  func urlProtocol(_ protocol: URLProtocol, didReceive challenge: URLAuthenticationChallenge)

  /// A challenge no longer needs an answer.
  func urlProtocol(_ protocol: URLProtocol, didCancel challenge: URLAuthenticationChallenge)
}
#endif
