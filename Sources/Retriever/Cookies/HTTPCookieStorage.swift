#if !canImport(Darwin)
import Foundation
import Synchronization

/// A store of cookies that selects the cookies to send with a request.
///
/// It follows RFC 6265: domain, path, `Secure` and expiry decide where a cookie is sent. It refuses a cookie for a
/// public suffix such as `co.uk` or for a different host. It also refuses a cookie that violates the rules of its
/// `__Host-` or `__Secure-` prefix. The maximum is 3000 cookies, 180 per site, and 4096 bytes per cookie. A full
/// storage removes expired cookies first, then the least recently used ones, `Secure` cookies last. An unencrypted
/// connection never evicts a `Secure` cookie.
///
/// The cookies of ``shared`` that have an expiry date outlive the process. They are in `retriever/cookies.json` in the
/// program's directory in `$XDG_DATA_HOME` (default: `~/.local/share`), which only the user may read. Programs with
/// different names do not share cookies. ``URLSessionConfiguration/keepsSharedStorages`` turns this off. Other
/// storages keep their cookies in memory.
///
/// The storage is thread-safe.
// Unchecked because a subclass may add properties. The invariant: the state is a Mutex and atomics. Subclasses must
// follow the same rule.
open class HTTPCookieStorage: NSObject, @unchecked Sendable {
  private struct State: Sendable {
    var jar = CookieJar()
    var acceptPolicy = HTTPCookie.AcceptPolicy.always
  }

  private static let sharedStorage = HTTPCookieStorage(
    records: SharedRecords(RecordFile(directory: RecordFile.programDirectory, name: "cookies.json")))
  private static let groupStorages = Mutex<[String: HTTPCookieStorage]>([:])

  private let state = Mutex(State())
  /// The number of cookies, to return "none" without taking the lock.
  private let count = Atomic<Int>(0)
  private let now: @Sendable () -> Date
  private let announcer = CookieChangeAnnouncer()
  /// The file of the storage; nil if it is in memory only.
  private let records: SharedRecords<CookieRecord>?

  /// Creates an empty, private storage.
  public override convenience init() {
    self.init(now: { Date() })
  }

  /// Creates an empty storage with a custom clock, for tests.
  package init(now: @escaping @Sendable () -> Date) {
    self.now = now
    records = nil
    super.init()
  }

  /// Creates a storage with the cookies of a file, in which it stores changes.
  init(records: SharedRecords<CookieRecord>) {
    now = { Date() }
    self.records = records
    super.init()
    let now = now()
    state.withLock { state in
      state.jar = CookieJar(recordsChanges: true)
      // The file has another order. Records without a date are those of an earlier version.
      let all = records.read().sorted { ($0.created ?? .distantPast) < ($1.created ?? .distantPast) }
      for record in all {
        guard let cookie = record.cookie else { continue }
        // The clock may have been set back.
        _ = try? state.jar.insert(
          cookie, from: nil, created: record.created, now: min(record.stored ?? now, now))
      }
      _ = state.jar.takeChanges()
      count.store(state.jar.count, ordering: .releasing)
    }
  }

  /// The storage that sessions use by default.
  open class var shared: HTTPCookieStorage { sharedStorage }

  /// Returns the storage with a name. The same name always returns the same storage.
  ///
  /// - Parameter identifier: any name. Linux has no app groups, so the storage is shared within the process.
  open class func sharedCookieStorage(forGroupContainerIdentifier identifier: String) -> HTTPCookieStorage {
    groupStorages.withLock { storages in
      if let known = storages[identifier] { return known }
      let storage = HTTPCookieStorage()
      storages[identifier] = storage
      return storage
    }
  }

  // MARK: Cookies

  /// All cookies that have not expired, oldest first.
  open var cookies: [HTTPCookie]? {
    let now = now()
    return state.withLock { $0.jar.cookies(now: now) }
  }

  /// Returns the cookies to send to `url`: those with longer paths first, then older ones.
  open func cookies(for url: URL) -> [HTTPCookie]? {
    cookies(for: url, mainDocumentURL: nil)
  }

  /// Returns all cookies, sorted.
  ///
  /// - Parameter sortOrder: the sort descriptors, the most important one first.
  open func sortedCookies(using sortOrder: [NSSortDescriptor]) -> [HTTPCookie] {
    let all = cookies ?? []
    return NSArray(array: all).sortedArray(using: sortOrder) as? [HTTPCookie] ?? all
  }

  /// Stores a cookie and replaces one with the same name, domain and path. An expired cookie removes that one.
  ///
  /// The cookie is ignored silently if the policy is ``HTTPCookie/AcceptPolicy/never`` or the rules refuse it.
  open func setCookie(_ cookie: HTTPCookie) {
    update { state, now in
      guard state.acceptPolicy != .never else { return false }
      return (try? state.jar.insert(cookie, from: nil, now: now)) != nil
    }
  }

  /// Stores the cookies of a response that the rules and the policy allow.
  ///
  /// - Parameters:
  ///   - cookies: the cookies that the response set.
  ///   - url: the response's URL; with `nil` a cookie may be for any host.
  ///   - mainDocumentURL: the document that caused the request, if it is known.
  ///     ``HTTPCookie/AcceptPolicy/onlyFromMainDocumentDomain`` uses it.
  open func setCookies(_ cookies: [HTTPCookie], for url: URL?, mainDocumentURL: URL?) {
    update { state, now in
      guard state.acceptPolicy.accepts(from: url, for: mainDocumentURL) else { return false }
      var changed = false
      for cookie in cookies where (try? state.jar.insert(cookie, from: url, now: now)) != nil {
        changed = true
      }
      return changed
    }
  }

  /// Removes the cookie with the name, domain and path of `cookie`, if there is one.
  open func deleteCookie(_ cookie: HTTPCookie) {
    update { state, _ in state.jar.remove(cookie) }
  }

  /// Removes all cookies that were stored at `date` or later.
  open func removeCookies(since date: Date) {
    update { state, _ in state.jar.removeCookies(since: date) }
  }

  // MARK: Tasks

  /// Stores cookies as if the response to a task had set them.
  ///
  /// - Parameters:
  ///   - cookies: the cookies to store. The rules and the policy apply as for the task's URL.
  ///   - task: the task. If it has no request, nothing is stored.
  open func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
    guard let request = task.currentRequest ?? task.originalRequest, let url = request.url else { return }
    setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
  }

  /// Passes the cookies to send with a task's request to a closure.
  ///
  /// - Parameters:
  ///   - task: the task.
  ///   - completionHandler: the closure, called once, before this method returns, with the cookies or, if the task
  ///     has no request, with `nil`.
  open func getCookiesFor(
    _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
  ) {
    guard let request = task.currentRequest ?? task.originalRequest, let url = request.url else {
      return completionHandler(nil)
    }
    completionHandler(cookies(for: url, mainDocumentURL: request.mainDocumentURL))
  }

  /// Returns the cookies to send with a task's request; `nil` if the task has no request.
  ///
  /// It returns the same cookies as ``getCookiesFor(_:completionHandler:)``, immediately, so cancelling has no
  /// effect.
  ///
  /// - Parameter task: the task.
  public func cookies(for task: URLSessionTask) async -> [HTTPCookie]? {
    await withCheckedContinuation { continuation in
      getCookiesFor(task) { continuation.resume(returning: $0) }
    }
  }

  // MARK: Policy

  /// The cookies that the storage accepts (default: ``HTTPCookie/AcceptPolicy/always``). It does not affect existing
  /// cookies.
  open var cookieAcceptPolicy: HTTPCookie.AcceptPolicy {
    get { state.withLock { $0.acceptPolicy } }
    set {
      let changed = state.withLock { state in
        defer { state.acceptPolicy = newValue }
        return state.acceptPolicy != newValue
      }
      if changed { announcer.announce(.NSHTTPCookieManagerAcceptPolicyChanged, from: self) }
    }
  }

  /// The number of cookies, for logs.
  open override var description: String {
    "<\(type(of: self)) cookies count: \(cookies?.count ?? 0)>"
  }

  // MARK: For sessions

  /// Returns the value of the `Cookie` field for a request, or `nil` if there are no cookies to send.
  package func cookieHeader(for url: URL, mainDocumentURL: URL?) -> String? {
    guard count.load(ordering: .acquiring) > 0 else { return nil }
    let cookies = cookies(for: url, mainDocumentURL: mainDocumentURL)
    return cookies.isEmpty ? nil : HTTPCookie.fieldValue(sending: cookies)
  }

  /// Stores the cookies that a response's `Set-Cookie` fields set. A response without one is not parsed.
  ///
  /// - Parameter policy: the session's policy, which applies in addition to the storage's.
  package func store(
    setCookieFieldsOf response: HTTPURLResponse, for request: URLRequest,
    policy: HTTPCookie.AcceptPolicy = .always
  ) {
    guard request.httpShouldHandleCookies, response.mayContainField("Set-Cookie"),
      let url = response.url ?? request.url, policy.accepts(from: url, for: request.mainDocumentURL)
    else { return }
    let now = now()
    let cookies = response.headerFields.values(for: "Set-Cookie").compactMap { field in
      SetCookieField.cookie(field[...], from: url, now: now).map(HTTPCookie.init)
    }
    if !cookies.isEmpty { setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL) }
  }

  /// Returns the cookies to send to `url` if the document at `mainDocumentURL` causes the request; it may be unknown.
  func cookies(for url: URL, mainDocumentURL: URL?) -> [HTTPCookie] {
    let now = now()
    return state.withLock { $0.jar.cookies(for: url, mainDocumentURL: mainDocumentURL, now: now) }
  }

  private func update(_ change: (inout State, Date) -> Bool) {
    let now = now()
    let changed = state.withLock { state in
      defer { count.store(state.jar.count, ordering: .releasing) }
      let isChanged = change(&state, now)
      guard let records else { return isChanged }
      // With the lock, so that changes reach the file in their order.
      for cookie in state.jar.takeChanges() {
        if let record = state.jar.record(like: cookie) {
          records.set(record)
        } else {
          records.remove(CookieRecord.key(of: cookie.fields))
        }
      }
      return isChanged
    }
    if changed { announcer.announce(.NSHTTPCookieManagerCookiesChanged, from: self) }
  }
}

extension HTTPCookie.AcceptPolicy {
  /// Returns whether cookies from a URL are accepted if the document at `mainDocumentURL` requested it; it may be
  /// unknown.
  fileprivate func accepts(from url: URL?, for mainDocumentURL: URL?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .onlyFromMainDocumentDomain:
      guard let url, let mainDocumentURL else { return true }
      return CookieJar.isSameSite(url, mainDocumentURL)
    }
  }
}
#endif
