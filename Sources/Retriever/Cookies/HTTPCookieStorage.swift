#if !canImport(Darwin)
  import Foundation
  import Synchronization

  /// Keeps cookies, and knows which of them go along with a request.
  ///
  /// It follows RFC 6265: domain, path, `Secure` and expiry decide where a cookie goes; a cookie for a public suffix
  /// such as `co.uk`, for somebody else's host, or one that breaks the promise of its `__Host-` or `__Secure-` name
  /// is refused. It holds 3000 cookies, 180 of one site and 4096 bytes each at most. To make room, expired cookies go
  /// first, then those that were not used for longest, `Secure` ones last; a plain connection never makes a `Secure`
  /// one go. Cookies are kept in memory, for as long as the process runs.
  ///
  /// Every method may be called from any thread.
  // Unchecked because a subclass may add what it likes. The invariant: the state is a Mutex and atomics, and a
  // subclass must keep to that.
  open class HTTPCookieStorage: NSObject, @unchecked Sendable {
    private struct State: Sendable {
      var jar = CookieJar()
      var acceptPolicy = HTTPCookie.AcceptPolicy.always
    }

    private static let sharedStorage = HTTPCookieStorage()
    private static let groupStorages = Mutex<[String: HTTPCookieStorage]>([:])

    private let state = Mutex(State())
    /// How many cookies there are, to answer "none" without taking the lock.
    private let count = Atomic<Int>(0)
    private let now: @Sendable () -> Date
    private let announcer = CookieChangeAnnouncer()

    /// Makes an empty storage that nobody else sees.
    public override convenience init() {
      self.init(now: { Date() })
    }

    /// Makes an empty storage with a clock of its own, for tests.
    package init(now: @escaping @Sendable () -> Date) {
      self.now = now
      super.init()
    }

    /// The storage that sessions use unless their configuration names another one.
    open class var shared: HTTPCookieStorage { sharedStorage }

    /// The storage that goes by a name. Asking for it again gives the same one.
    ///
    /// - Parameter identifier: any name. The groups of apps that share one on Apple's platforms do not exist on
    ///   Linux, so it is shared within the process.
    open class func sharedCookieStorage(forGroupContainerIdentifier identifier: String) -> HTTPCookieStorage {
      groupStorages.withLock { storages in
        if let known = storages[identifier] { return known }
        let storage = HTTPCookieStorage()
        storages[identifier] = storage
        return storage
      }
    }

    // MARK: Cookies

    /// Every cookie that has not expired, oldest first.
    open var cookies: [HTTPCookie]? {
      let now = now()
      return state.withLock { $0.jar.cookies(now: now) }
    }

    /// The cookies to send to `url`: those with longer paths first, then older ones.
    open func cookies(for url: URL) -> [HTTPCookie]? {
      cookies(for: url, mainDocumentURL: nil)
    }

    /// Every cookie, sorted.
    ///
    /// - Parameter sortOrder: what to sort by: the first descriptor counts first.
    open func sortedCookies(using sortOrder: [NSSortDescriptor]) -> [HTTPCookie] {
      let all = cookies ?? []
      return NSArray(array: all).sortedArray(using: sortOrder) as? [HTTPCookie] ?? all
    }

    /// Stores a cookie in place of one with the same name, domain and path. One that has expired removes that one.
    ///
    /// A cookie is left out without a word when the policy is ``HTTPCookie/AcceptPolicy/never`` or when the rules
    /// refuse it.
    open func setCookie(_ cookie: HTTPCookie) {
      update { state, now in
        guard state.acceptPolicy != .never else { return false }
        return (try? state.jar.insert(cookie, from: nil, now: now)) != nil
      }
    }

    /// Stores the cookies of a response, those that the rules and the policy allow.
    ///
    /// - Parameters:
    ///   - cookies: what the response set.
    ///   - url: where it is from; with `nil` a cookie may be for any host.
    ///   - mainDocumentURL: the document that caused the request, if it is known: what
    ///     ``HTTPCookie/AcceptPolicy/onlyFromMainDocumentDomain`` looks at.
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

    /// Removes the cookie with the name, domain and path of `cookie`, if it is here.
    open func deleteCookie(_ cookie: HTTPCookie) {
      update { state, _ in state.jar.remove(cookie) }
    }

    /// Removes every cookie that was stored at `date` or later.
    open func removeCookies(since date: Date) {
      update { state, _ in state.jar.removeCookies(since: date) }
    }

    // MARK: Tasks

    /// Stores cookies as if the response to a task had set them.
    ///
    /// - Parameters:
    ///   - cookies: what to store. The rules and the policy apply as to the task's URL.
    ///   - task: the task; one without a request stores nothing.
    open func storeCookies(_ cookies: [HTTPCookie], for task: URLSessionTask) {
      guard let request = task.currentRequest ?? task.originalRequest, let url = request.url else { return }
      setCookies(cookies, for: url, mainDocumentURL: request.mainDocumentURL)
    }

    /// Gives the cookies to send with a task's request.
    ///
    /// - Parameters:
    ///   - task: the task.
    ///   - completionHandler: called once, before this returns, with the cookies, or with `nil` when the task has no
    ///     request.
    open func getCookiesFor(
      _ task: URLSessionTask, completionHandler: @escaping @Sendable ([HTTPCookie]?) -> Void
    ) {
      guard let request = task.currentRequest ?? task.originalRequest, let url = request.url else {
        return completionHandler(nil)
      }
      completionHandler(cookies(for: url, mainDocumentURL: request.mainDocumentURL))
    }

    /// The cookies to send with a task's request; `nil` when the task has no request.
    ///
    /// It gives what ``getCookiesFor(_:completionHandler:)`` gives, at once: there is nothing to cancel.
    ///
    /// - Parameter task: the task.
    public func cookies(for task: URLSessionTask) async -> [HTTPCookie]? {
      await withCheckedContinuation { continuation in
        getCookiesFor(task) { continuation.resume(returning: $0) }
      }
    }

    // MARK: Policy

    /// Which cookies are taken in; ``HTTPCookie/AcceptPolicy/always`` by default. Cookies that are here already stay.
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

    /// How many cookies there are.
    open override var description: String {
      "<\(type(of: self)) cookies count: \(cookies?.count ?? 0)>"
    }

    // MARK: For sessions

    /// The value of the `Cookie` field for a request, or `nil` when there is none to send.
    package func cookieHeader(for url: URL, mainDocumentURL: URL?) -> String? {
      guard count.load(ordering: .acquiring) > 0 else { return nil }
      let cookies = cookies(for: url, mainDocumentURL: mainDocumentURL)
      return cookies.isEmpty ? nil : HTTPCookie.fieldValue(sending: cookies)
    }

    /// Stores what the `Set-Cookie` fields of a response ask for. A response without one is not parsed for it.
    ///
    /// - Parameter policy: the session's own policy; that of the storage counts as well.
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

    /// What to send to `url` when the document at `mainDocumentURL`, if it is known, causes the request.
    func cookies(for url: URL, mainDocumentURL: URL?) -> [HTTPCookie] {
      let now = now()
      return state.withLock { $0.jar.cookies(for: url, mainDocumentURL: mainDocumentURL, now: now) }
    }

    private func update(_ change: (inout State, Date) -> Bool) {
      let now = now()
      let changed = state.withLock { state in
        defer { count.store(state.jar.count, ordering: .releasing) }
        return change(&state, now)
      }
      if changed { announcer.announce(.NSHTTPCookieManagerCookiesChanged, from: self) }
    }
  }

  extension HTTPCookie.AcceptPolicy {
    /// Whether cookies from a URL are taken in when the document at `mainDocumentURL`, if it is known, asked for it.
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
