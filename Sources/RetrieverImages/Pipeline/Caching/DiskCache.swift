import Caches
import Foundation
import Glibc
import Synchronization

/// A directory of images, stored as servers sent them.
///
/// There is one file per image, named by a hash of the resource. A file is written under a temporary name and then
/// renamed, so that it is either complete or absent, even after a crash. A damaged file is removed when it is read.
/// The bytes of an abandoned fetch are kept next to it, so that a later fetch can resume. Several processes may share
/// a directory.
///
/// The cache reads and writes on its own queue, and sweeps on another.
final class DiskCache: Sendable {
  /// The result of a lookup.
  enum Found: Sendable {
    case nothing
    case complete(CacheEntry)
    /// The beginning of the bytes, and the writer that appends the rest.
    case part(CacheEntry, Data, DiskCacheWriter)
  }

  struct Ledger: Sendable {
    /// The size of all files; nil before they were first measured.
    var size: Int?
    /// The number of bytes added since the measurement started.
    var added = 0
    var isSweeping = false
  }

  let options: DiskCacheOptions
  let queue = DispatchQueue(label: "retriever.images.disk", qos: .userInitiated)
  let sweepQueue = DispatchQueue(label: "retriever.images.sweep", qos: .utility)
  let ledger = Mutex(Ledger())
  let now: @Sendable () -> Date

  /// Creates a cache. Returns nil if the directory cannot be created, or belongs to another user, who could replace
  /// its files.
  init?(_ options: DiskCacheOptions, now: @escaping @Sendable () -> Date) {
    self.options = options
    self.now = now
    let path = options.directory.path
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      return nil
    }
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
      // An existing directory may be accessible to others.
      chmod(path, 0o700) == 0
    else { return nil }
    sweep()
  }

  func path(_ resource: ImageResource) -> String {
    options.directory.appendingPathComponent(resource.fileName).path
  }

  func partPath(_ resource: ImageResource) -> String { path(resource) + ".part" }

  /// Looks up the bytes of a resource.
  ///
  /// - Parameter maximumPartBytes: The maximum size of a partial file to return; 0 ignores partial files.
  func lookUp(_ resource: ImageResource, maximumPartBytes: Int) async -> Found {
    await onQueue { self.find(resource, maximumPartBytes: maximumPartBytes) }
  }

  /// Reads a complete entry. Returns nil if it is missing or damaged; a damaged one is removed.
  func read(_ resource: ImageResource) async -> (CacheEntry, Data)? {
    await onQueue {
      guard var file = CacheEntryFile.open(self.path(resource)) else { return nil }
      guard let entry = file.readEntry(), entry.identity == resource.identity else { return nil }
      guard let body = file.readBody() else {
        self.removeFile(self.path(resource))
        return nil
      }
      return (entry, body)
    }
  }

  /// Creates a writer for bytes that arrive now. It writes in the background.
  func write(_ resource: ImageResource, _ entry: CacheEntry) -> DiskCacheWriter {
    let writer = DiskCacheWriter(cache: self, resource: resource)
    writer.start(entry)
    return writer
  }

  /// Updates an entry after the server has confirmed it.
  func confirm(_ resource: ImageResource, _ entry: CacheEntry) {
    queue.async { [self] in
      guard var file = CacheEntryFile.open(path(resource), forWriting: true),
        file.readEntry()?.identity == resource.identity
      else { return }
      // If the new dates do not fit, the server is only asked again later.
      _ = file.rewrite(entry)
      file.touch(now())
    }
  }

  func remove(_ resource: ImageResource) {
    queue.async { [self] in
      removeFile(path(resource))
      removeFile(partPath(resource))
    }
  }

  /// Returns after all earlier operations have ended.
  func flush() async { await onQueue {} }

  private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }

  private func find(_ resource: ImageResource, maximumPartBytes: Int) -> Found {
    let path = path(resource)
    if var file = CacheEntryFile.open(path) {
      if let entry = file.readEntry(), file.bodyLength() != nil {
        if entry.identity == resource.identity {
          let now = now()
          if now.timeIntervalSince(file.lastUse) <= options.expiry {
            file.touch(now)
            return .complete(entry)
          }
          removeFile(path)
        }
      } else {
        removeFile(path)
      }
    }
    guard maximumPartBytes > 0, access(partPath(resource), F_OK) == 0,
      var file = CacheEntryFile.openExclusively(partPath(resource))
    else { return .nothing }
    guard let entry = file.readEntry(), entry.identity == resource.identity, entry.strongValidator != nil,
      now().timeIntervalSince(file.lastUse) <= options.expiry,
      let part = file.readPart(atMost: maximumPartBytes), entry.length.map({ part.count < $0 }) ?? true
    else {
      removeFile(partPath(resource))
      return .nothing
    }
    return .part(entry, part, DiskCacheWriter(cache: self, resource: resource, resuming: file, after: part))
  }

  func removeFile(_ path: String) { unlink(path) }

  /// Adds the size of a new file. If there are too many bytes, starts a sweep in the background.
  func account(for size: Int) {
    let isOver = ledger.withLock { ledger in
      ledger.added += size
      ledger.size = ledger.size.map { $0 + size }
      return ledger.size.map { $0 > options.sizeLimit } ?? false
    }
    if isOver { sweep() }
  }
}

extension ImageResource {
  /// The name of a cache file. The entry in the file identifies the resource, because hashes may collide.
  var fileName: String { FileNameHash.hexadecimal(identity) }
}

/// The location and the limits of a pipeline's disk cache.
public struct DiskCacheOptions: Sendable, Hashable {
  /// The directory, which is created if necessary and is readable only by the current user.
  ///
  /// The directory should not contain other files. If it cannot be used or belongs to another user, nothing is stored
  /// on disk.
  public var directory: URL
  /// The maximum size of all files in bytes. The least recently used files are removed in the background.
  public var sizeLimit: Int
  /// The number of seconds after which an unused image is removed (default: 30 days).
  public var expiry: TimeInterval

  /// Creates options. The defaults are a directory in the user's cache directory, 256 MiB and 30 days.
  public init(
    directory: URL = Self.defaultDirectory, sizeLimit: Int = 256 << 20, expiry: TimeInterval = 30 * 86_400
  ) {
    self.directory = directory
    self.sizeLimit = max(0, sizeLimit)
    self.expiry = expiry.isFinite ? max(0, expiry) : .greatestFiniteMagnitude
  }

  /// The directory for this program in the user's cache directory.
  public static var defaultDirectory: URL {
    let environment = ProcessInfo.processInfo.environment
    let base: URL
    if let path = environment["XDG_CACHE_HOME"], path.hasPrefix("/") {
      base = URL(fileURLWithPath: path, isDirectory: true)
    } else {
      base = FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
        ".cache", isDirectory: true)
    }
    let program = ProcessInfo.processInfo.processName.filter { $0.isLetter || $0.isNumber || $0 == "-" }
    return base.appendingPathComponent(program.isEmpty ? "Swift" : program, isDirectory: true)
      .appendingPathComponent("RetrieverImages", isDirectory: true)
  }
}
