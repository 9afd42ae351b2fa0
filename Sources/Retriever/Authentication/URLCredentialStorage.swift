#if !canImport(Darwin)
  import Foundation
  import Synchronization

  extension NSNotification.Name {
    /// Posted, with the storage as its object, after a stored credential was added, changed or removed.
    public static let NSURLCredentialStorageChanged = NSNotification.Name(
      "NSURLCredentialStorageChangedNotification")
  }

  /// The option of `URLCredentialStorage.remove(_:for:options:)` that also removes synchronizable credentials.
  public let NSURLCredentialStorageRemoveSynchronizableCredentials =
    "NSURLCredentialStorageRemoveSynchronizableCredentials"

  /// Credentials by protection space, for every session that is configured to use this storage.
  ///
  /// - Note: There is no keychain on this platform: whatever its persistence, a credential is kept in memory only.
  // Invariant behind @unchecked: all mutable state is inside the Mutex.
  open class URLCredentialStorage: NSObject, @unchecked Sendable {
    private struct Contents {
      var credentials: [URLProtectionSpace: [String: URLCredential]] = [:]
      var defaults: [URLProtectionSpace: Default] = [:]
    }

    private struct Default {
      var credential: URLCredential
      /// Whether the program chose it. Otherwise it is the default only as long as the space has no other.
      var isChosen: Bool
    }

    private let contents = Mutex(Contents())

    /// The storage that sessions share unless they were given one of their own.
    public static let shared = URLCredentialStorage()

    /// Makes an empty storage.
    public override init() {}

    /// Every stored credential, by space and then by user name.
    open var allCredentials: [URLProtectionSpace: [String: URLCredential]] {
      contents.withLock { $0.credentials }
    }

    /// The credentials of a space by user name; `nil` when there are none.
    ///
    /// - Parameter space: The space.
    open func credentials(for space: URLProtectionSpace) -> [String: URLCredential]? {
      contents.withLock { $0.credentials[space] }
    }

    /// Stores a credential for a space, in place of one with the same user name.
    ///
    /// One without a user name, or with the persistence `.none`, is not stored.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - space: What it is for.
    open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
      store(credential, for: space, asDefault: false)
    }

    /// The credential to use for a space when nobody says otherwise.
    ///
    /// That is the one set with `setDefaultCredential(_:for:)`, else the first one that was stored for the space as long
    /// as no other is stored. Once the default has been removed there is none: another user's credential never takes
    /// its place.
    ///
    /// - Parameter space: The space.
    open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
      contents.withLock { $0.defaults[space]?.credential }
    }

    /// Stores a credential and makes it the one to use for a space.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - space: What it is for.
    open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
      store(credential, for: space, asDefault: true)
    }

    /// Removes a credential from a space; a synchronizable one stays.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - space: What it is for.
    open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
      remove(credential, for: space, options: nil)
    }

    /// Removes a credential from a space.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - space: What it is for.
    ///   - options: `[NSURLCredentialStorageRemoveSynchronizableCredentials: true]` removes a synchronizable
    ///     one too.
    open func remove(
      _ credential: URLCredential, for space: URLProtectionSpace, options: [String: any Sendable]? = [:]
    ) {
      let removesSynchronizable =
        options?[NSURLCredentialStorageRemoveSynchronizableCredentials] as? Bool ?? false
      guard let user = credential.user, credential.persistence != .synchronizable || removesSynchronizable
      else { return }
      let changed = contents.withLock { contents in
        guard contents.credentials[space]?[user] == credential else { return false }
        contents.credentials[space]?[user] = nil
        if contents.credentials[space]?.isEmpty == true { contents.credentials[space] = nil }
        if contents.defaults[space]?.credential == credential { contents.defaults[space] = nil }
        return true
      }
      if changed { postChange() }
    }

    // The forms that name a task are here for subclasses that decide by task; these are the plain ones.

    /// Hands the credentials of a space, by user name, to a closure.
    ///
    /// - Parameters:
    ///   - protectionSpace: The space.
    ///   - task: The task that asks.
    ///   - completionHandler: Called once, before this returns.
    open func getCredentials(
      for protectionSpace: URLProtectionSpace, task: URLSessionTask,
      completionHandler: @escaping ([String: URLCredential]?) -> Void
    ) {
      completionHandler(credentials(for: protectionSpace))
    }

    /// The credentials of a space by user name; `nil` when there are none.
    ///
    /// - Parameters:
    ///   - protectionSpace: The space.
    ///   - task: The task that asks.
    open func credentials(
      for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) async -> [String: URLCredential]? {
      credentials(for: protectionSpace)
    }

    /// Stores a credential for a space.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - protectionSpace: What it is for.
    ///   - task: The task that asks.
    open func set(
      _ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) {
      set(credential, for: protectionSpace)
    }

    /// Removes a credential from a space.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - protectionSpace: What it is for.
    ///   - options: As for `remove(_:for:options:)`.
    ///   - task: The task that asks.
    open func remove(
      _ credential: URLCredential, for protectionSpace: URLProtectionSpace,
      options: [String: any Sendable]? = [:], task: URLSessionTask
    ) {
      remove(credential, for: protectionSpace, options: options)
    }

    /// Hands the credential to use for a space to a closure.
    ///
    /// - Parameters:
    ///   - space: The space.
    ///   - task: The task that asks.
    ///   - completionHandler: Called once, before this returns.
    open func getDefaultCredential(
      for space: URLProtectionSpace, task: URLSessionTask,
      completionHandler: @escaping (URLCredential?) -> Void
    ) {
      completionHandler(defaultCredential(for: space))
    }

    /// The credential to use for a space when nobody says otherwise.
    ///
    /// - Parameters:
    ///   - space: The space.
    ///   - task: The task that asks.
    open func defaultCredential(for space: URLProtectionSpace, task: URLSessionTask) async -> URLCredential? {
      defaultCredential(for: space)
    }

    /// Stores a credential and makes it the one to use for a space.
    ///
    /// - Parameters:
    ///   - credential: The credential.
    ///   - protectionSpace: What it is for.
    ///   - task: The task that asks.
    open func setDefaultCredential(
      _ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask
    ) {
      setDefaultCredential(credential, for: protectionSpace)
    }

    private func store(_ credential: URLCredential, for space: URLProtectionSpace, asDefault: Bool) {
      guard let user = credential.user, credential.persistence != .none else { return }
      let changed = contents.withLock { contents in
        let wasStored = contents.credentials[space]?[user] == credential
        let before = contents.defaults[space]
        let isFirst = contents.credentials[space] == nil
        contents.credentials[space, default: [:]][user] = credential
        if asDefault || isFirst || before?.credential.user == user {
          let isChosen = asDefault || before?.isChosen == true
          contents.defaults[space] = Default(credential: credential, isChosen: isChosen)
        } else if before?.isChosen == false {
          contents.defaults[space] = nil
        }
        return !wasStored || (asDefault && before?.credential != credential)
      }
      if changed { postChange() }
    }

    /// Called without the lock: an observer may well look into the storage.
    private func postChange() {
      NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
    }
  }
#endif
