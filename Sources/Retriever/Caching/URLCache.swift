#if !canImport(Darwin)
import Dispatch
import Foundation
import HTTPSyntax
import Synchronization

/// Stores responses in memory and on disk, and answers requests with them, by HTTP's rules for private caches (RFC 9111
/// and RFC 5861).
///
/// A session uses the cache of its configuration (``URLSessionConfiguration/urlCache``). It stores responses to GET that
/// have a validator or a lifetime, and that are not larger than a twentieth of a capacity. A response that has become
/// stale is validated before it is used. Responses that vary by request fields are stored side by side.
///
/// Responses are written to disk in the background. A process that ends at any moment leaves no incomplete entry. Several
/// processes may use one directory. The directory and its files are accessible only to the current user. Responses to
/// requests with a cookie, an `Authorization` field, a sign-in of the connection or a client certificate, and those that set a
/// cookie, are kept in memory only.
///
/// A session calls ``getCachedResponse(for:completionHandler:)``, ``storeCachedResponse(_:for:)-(_,URLSessionDataTask)`` and
/// ``removeCachedResponse(for:)-(URLSessionDataTask)`` of a subclass, on a background queue, so a subclass may replace the
/// storage. It uses the storage of an instance of this class directly, which is faster.
///
/// All methods are thread-safe. The least recently used responses are removed if a capacity is exceeded.
open class URLCache: NSObject, @unchecked Sendable {
  // Unchecked because subclasses may add properties. The invariant for this class: the only property is a constant of a
  // Sendable type.

  /// Where a response may be stored.
  public enum StoragePolicy: UInt, Sendable {
    /// In memory and on disk.
    case allowed = 0
    /// Only in memory.
    case allowedInMemoryOnly = 1
    /// Nowhere.
    case notAllowed = 2
  }

  package let store: ResponseStore

  // MARK: Creating

  static let defaultMemoryCapacity = 4 << 20
  static let defaultDiskCapacity = 20 << 20

  private static let sharedCache = Mutex<URLCache?>(nil)

  /// The cache of sessions with the default configuration: 4 MiB in memory, and 20 MiB on disk in the user's cache
  /// directory.
  ///
  /// Set it before the first session is created. Existing configurations keep their cache.
  open class var shared: URLCache {
    get {
      sharedCache.withLock { shared in
        if let shared { return shared }
        let cache = URLCache(
          memoryCapacity: defaultMemoryCapacity, diskCapacity: defaultDiskCapacity, diskPath: nil)
        shared = cache
        return cache
      }
    }
    set {
      var other: URLCache? = newValue
      sharedCache.withLock { swap(&$0, &other) }
      // The previous cache is released outside the lock.
      _ = other
    }
  }

  /// Creates a cache.
  ///
  /// - Parameters:
  ///   - memoryCapacity: the maximum size of all responses in memory, in bytes.
  ///   - diskCapacity: the maximum size of all files, in bytes; 0 to write none.
  ///   - path: the directory of the files, absolute or relative to the user's cache directory; nil for a directory with
  ///     the name of the program.
  public init(memoryCapacity: Int, diskCapacity: Int, diskPath path: String?) {
    let base = Self.userDirectory
    let directory = path.map { URL(fileURLWithPath: $0, isDirectory: true, relativeTo: base) }
    store = Self.makeStore(memoryCapacity, diskCapacity, directory)
    super.init()
  }

  /// Creates a cache.
  ///
  /// The directory is created when the first response is stored. It should not contain other files. If it cannot be used
  /// or belongs to another user, nothing is stored on disk.
  ///
  /// - Parameters:
  ///   - memoryCapacity: the maximum size of all responses in memory, in bytes.
  ///   - diskCapacity: the maximum size of all files, in bytes; 0 to write none.
  ///   - directory: the directory of the files; nil for a directory with the name of the program in the user's cache
  ///     directory.
  public init(memoryCapacity: Int, diskCapacity: Int, directory: URL? = nil) {
    store = Self.makeStore(memoryCapacity, diskCapacity, directory)
    super.init()
  }

  private static func makeStore(_ memoryCapacity: Int, _ diskCapacity: Int, _ directory: URL?)
    -> ResponseStore
  {
    // The default directory is not looked up without need: this reads the system's list of users.
    ResponseStore(
      memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
      directory: diskCapacity > 0 ? (directory ?? programDirectory).absoluteURL.path : nil)
  }

  private static var userDirectory: URL {
    if let path = ProcessInfo.processInfo.environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
      return URL(fileURLWithPath: path, isDirectory: true)
    }
    return FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(".cache", isDirectory: true)
  }

  private static var programDirectory: URL {
    let program = ProcessInfo.processInfo.processName.filter { $0.isLetter || $0.isNumber || $0 == "-" }
    return userDirectory.appendingPathComponent(program.isEmpty ? "Swift" : program, isDirectory: true)
      .appendingPathComponent("Retriever", isDirectory: true)
  }

  // MARK: Responses

  /// Returns the stored response to a request; nil if there is none.
  ///
  /// The response may be stale: only sessions check its age. If responses to the URL differ in fields that `Vary` names,
  /// the request's fields select one. Fields that a session adds are compared only if the request has them. This method
  /// reads a file if the response is not in memory.
  open func cachedResponse(for request: URLRequest) -> CachedURLResponse? {
    guard let key = CacheKey(request) else { return nil }
    let fields = request.headerFields
    if case .memory(let entries, _) = store.find(key),
      let entry = entries.last(where: { $0.head.extent == nil && $0.head.selection.matches(fields) })
    {
      return entry.makeCachedResponse()
    }
    let entries = store.allEntries(for: key).filter { $0.head.extent == nil }.sorted {
      $0.head.responseTime > $1.head.responseTime
    }
    let entry =
      entries.first { $0.head.selection.matches(fields) }
      ?? entries.first { $0.head.selection.matches(fields, ignoring: Self.sessionFields) }
    return entry?.makeCachedResponse()
  }

  /// The fields that a session adds to requests, in lower case.
  private static let sessionFields: Set = [
    "accept", "accept-encoding", "accept-language", "authorization", "cookie", "user-agent",
  ]

  /// Stores a response, regardless of HTTP's rules, and replaces an earlier one to the same request.
  ///
  /// Nothing is stored if the policy does not allow it, or if the response is larger than a twentieth of the capacity. Use
  /// this for responses that the program creates itself. A session stores its responses without help.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for request: URLRequest) {
    guard cachedResponse.storagePolicy != .notAllowed, let key = CacheKey(request),
      key.text.utf8.count <= StoreRule.maximumKeyLength
    else { return }
    var entry = StoredEntry(cachedResponse, key: key, requestFields: request.headerFields)
    entry.head.staysInMemory =
      cachedResponse.storagePolicy == .allowedInMemoryOnly || StoreRule.mayIdentifyUser(request.headerFields)
      || entry.head.fields.contains("Set-Cookie")
    if let origin = cachedResponse.origin, origin.key == key,
      origin.selection.matches(request.headerFields, ignoring: Self.sessionFields)
    {
      // A session stores this, or a program what it has looked up.
      let staysInMemory = entry.head.staysInMemory || origin.staysInMemory
      entry.head = origin
      entry.head.staysInMemory = staysInMemory
    }
    store.store(entry)
  }

  /// Removes all stored responses to the URL of a request.
  open func removeCachedResponse(for request: URLRequest) {
    if let key = CacheKey(request) { store.remove(key) }
  }

  /// Removes all stored responses, including those that other processes stored in the same directory.
  open func removeAllCachedResponses() { store.removeAll() }

  /// Removes the responses that were stored at a date or later. This reads all files.
  open func removeCachedResponses(since date: Date) { store.removeAll(since: date) }

  // MARK: Tasks

  /// Stores a response to the request of a task; see ``storeCachedResponse(_:for:)-(_,URLRequest)``.
  open func storeCachedResponse(_ cachedResponse: CachedURLResponse, for dataTask: URLSessionDataTask) {
    guard let request = dataTask.currentRequest ?? dataTask.originalRequest else { return }
    storeCachedResponse(cachedResponse, for: request)
  }

  /// Looks up the response to the request of a task.
  ///
  /// - Parameters:
  ///   - dataTask: the task.
  ///   - completionHandler: receives the response, or nil if there is none, on a background queue.
  open func getCachedResponse(
    for dataTask: URLSessionDataTask, completionHandler: @escaping @Sendable (CachedURLResponse?) -> Void
  ) {
    let request = dataTask.currentRequest ?? dataTask.originalRequest
    DispatchQueue.global().async { completionHandler(request.flatMap { self.cachedResponse(for: $0) }) }
  }

  /// Removes all stored responses to the URL of a task.
  open func removeCachedResponse(for dataTask: URLSessionDataTask) {
    if let request = dataTask.currentRequest ?? dataTask.originalRequest {
      removeCachedResponse(for: request)
    }
  }

  // MARK: Sizes

  /// The maximum size of all responses in memory, in bytes. If it is reduced, responses are removed.
  open var memoryCapacity: Int {
    get { store.memoryCapacity }
    set { store.memoryCapacity = newValue }
  }

  /// The maximum size of all files, in bytes. If it is reduced, files are removed in the background.
  ///
  /// A cache that was created with 0 stores nothing on disk, and keeps this value.
  open var diskCapacity: Int {
    get { store.disk?.capacity ?? 0 }
    set { store.disk?.setCapacity(max(0, newValue)) }
  }

  /// The size of all responses in memory, in bytes.
  open var currentMemoryUsage: Int { store.memoryUsage }

  /// The size of all files, in bytes. Responses that wait to be written are not included.
  open var currentDiskUsage: Int { store.disk?.usage ?? 0 }
}
#endif
