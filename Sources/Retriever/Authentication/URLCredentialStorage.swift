#if !canImport(Darwin)
import Foundation
import Synchronization

extension NSNotification.Name {
  /// Posted after a stored credential was added, changed or removed. The object is the storage.
  public static let NSURLCredentialStorageChanged = NSNotification.Name(
    "NSURLCredentialStorageChangedNotification")
}

/// The option of `URLCredentialStorage.remove(_:for:options:)` that also removes synchronizable credentials.
public let NSURLCredentialStorageRemoveSynchronizableCredentials =
  "NSURLCredentialStorageRemoveSynchronizableCredentials"

/// A store of credentials by protection space, for every session that is configured to use it.
///
/// Linux has no keychain. The `.permanent` credentials of ``shared`` outlive the process in a file that only the user may
/// read: `retriever/credentials.json` in the program's directory in `$XDG_DATA_HOME` (default: `~/.local/share`). The
/// passwords in it are not encrypted. ``URLSessionConfiguration/keepsSharedStorages`` turns this off. All other
/// credentials, and those of other storages, are in memory only.
// Invariant for @unchecked: all mutable state is inside the Mutex.
open class URLCredentialStorage: NSObject, @unchecked Sendable {
  private struct Contents {
    var credentials: [URLProtectionSpace: [String: URLCredential]] = [:]
    var defaults: [URLProtectionSpace: Default] = [:]
  }

  private struct Default {
    var credential: URLCredential
    /// Whether the program chose it. Otherwise it is the default only while the space has no other credential.
    var isChosen: Bool
  }

  private let contents = Mutex(Contents())

  /// The storage that sessions share by default.
  public static let shared = URLCredentialStorage(
    records: SharedRecords(RecordFile(directory: RecordFile.programDirectory, name: "credentials.json")))

  /// The file of the storage; nil if it is in memory only.
  private let records: SharedRecords<CredentialRecord>?

  /// Creates an empty storage.
  public override init() { records = nil }

  /// Creates a storage with the credentials of a file, in which it stores changes.
  init(records: SharedRecords<CredentialRecord>) {
    self.records = records
    super.init()
    contents.withLock { contents in
      let all = records.read()
      for record in all {
        let (space, credential) = (record.space, record.credential)
        contents.credentials[space, default: [:]][credential.user ?? ""] = credential
        if record.isDefault { contents.defaults[space] = Default(credential: credential, isChosen: true) }
      }
      // The credential that is left after the default was removed is not the default.
      for record in all where record.isOnlyCredential ?? true {
        let space = record.space
        guard contents.defaults[space] == nil, contents.credentials[space]?.count == 1 else { continue }
        contents.defaults[space] = Default(credential: record.credential, isChosen: false)
      }
    }
  }

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

  /// Stores a credential for a space and replaces any with the same user name.
  ///
  /// A credential without a user name, or with the persistence `.none`, is not stored.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - space: The protection space that the credential is for.
  open func set(_ credential: URLCredential, for space: URLProtectionSpace) {
    store(credential, for: space, asDefault: false)
  }

  /// The default credential of a space.
  ///
  /// This is the credential set with `setDefaultCredential(_:for:)`. If there is none, it is the space's first
  /// credential, while the space has no other. Once the default has been removed, the space has no default: the
  /// credential of another user never replaces it.
  ///
  /// - Parameter space: The space.
  open func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
    contents.withLock { $0.defaults[space]?.credential }
  }

  /// Stores a credential and makes it the default of a space.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - space: The protection space that the credential is for.
  open func setDefaultCredential(_ credential: URLCredential, for space: URLProtectionSpace) {
    store(credential, for: space, asDefault: true)
  }

  /// Removes a credential from a space, unless the credential is synchronizable.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - space: The protection space that the credential is for.
  open func remove(_ credential: URLCredential, for space: URLProtectionSpace) {
    remove(credential, for: space, options: nil)
  }

  /// Removes a credential from a space.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - space: The protection space that the credential is for.
  ///   - options: `[NSURLCredentialStorageRemoveSynchronizableCredentials: true]` also removes a synchronizable
  ///     credential.
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
      records?.remove(CredentialRecord.key(user: user, space: space))
      return true
    }
    if changed { postChange() }
  }

  // These methods exist for subclasses that decide by task. Here they ignore the task.

  /// Passes the credentials of a space, by user name, to a closure.
  ///
  /// - Parameters:
  ///   - protectionSpace: The space.
  ///   - task: The task that needs the credential.
  ///   - completionHandler: The closure, called once, before this method returns.
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
  ///   - task: The task that needs the credential.
  open func credentials(
    for protectionSpace: URLProtectionSpace, task: URLSessionTask
  ) async -> [String: URLCredential]? {
    credentials(for: protectionSpace)
  }

  /// Stores a credential for a space.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - protectionSpace: The protection space that the credential is for.
  ///   - task: The task that needs the credential.
  open func set(
    _ credential: URLCredential, for protectionSpace: URLProtectionSpace, task: URLSessionTask
  ) {
    set(credential, for: protectionSpace)
  }

  /// Removes a credential from a space.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - protectionSpace: The protection space that the credential is for.
  ///   - options: As for `remove(_:for:options:)`.
  ///   - task: The task that needs the credential.
  open func remove(
    _ credential: URLCredential, for protectionSpace: URLProtectionSpace,
    options: [String: any Sendable]? = [:], task: URLSessionTask
  ) {
    remove(credential, for: protectionSpace, options: options)
  }

  /// Passes the default credential of a space to a closure.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - task: The task that needs the credential.
  ///   - completionHandler: The closure, called once, before this method returns.
  open func getDefaultCredential(
    for space: URLProtectionSpace, task: URLSessionTask,
    completionHandler: @escaping (URLCredential?) -> Void
  ) {
    completionHandler(defaultCredential(for: space))
  }

  /// The default credential of a space.
  ///
  /// - Parameters:
  ///   - space: The space.
  ///   - task: The task that needs the credential.
  open func defaultCredential(for space: URLProtectionSpace, task: URLSessionTask) async -> URLCredential? {
    defaultCredential(for: space)
  }

  /// Stores a credential and makes it the default of a space.
  ///
  /// - Parameters:
  ///   - credential: The credential.
  ///   - protectionSpace: The protection space that the credential is for.
  ///   - task: The task that needs the credential.
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
      keep(space, in: contents)
      return !wasStored || (asDefault && before?.credential != credential)
    }
    if changed { postChange() }
  }

  /// Records the credentials of a space in the file. Called with the lock, so that changes keep their order.
  private func keep(_ space: URLProtectionSpace, in contents: Contents) {
    guard let records else { return }
    let standard = contents.defaults[space]
    for (user, credential) in contents.credentials[space] ?? [:] {
      let isDefault = credential == standard?.credential
      if let record = CredentialRecord(
        credential, for: space, isDefault: isDefault && standard?.isChosen == true,
        isOnlyCredential: isDefault && standard?.isChosen == false)
      {
        records.set(record)
      } else {
        records.remove(CredentialRecord.key(user: user, space: space))
      }
    }
  }

  /// Called without the lock, because an observer may access the storage.
  private func postChange() {
    NotificationCenter.default.post(name: .NSURLCredentialStorageChanged, object: self)
  }
}
#endif
