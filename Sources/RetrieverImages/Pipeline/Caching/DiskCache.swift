import Foundation
import Glibc
import Synchronization

/// Images as servers sent them, in a directory of their own.
///
/// One file an image, named by a hash of what it is the image of. A file is written under another name and then renamed,
/// so that whatever happens there is a whole one or none; a damaged one is removed when it is read. What a fetch that was
/// given up has brought is kept beside it, for a later one to go on from. Several processes may share a directory.
///
/// All reading and writing is done on a queue of the cache's own, sweeping on another.
final class DiskCache: Sendable {
  /// What a look into the cache finds.
  enum Found: Sendable {
    case nothing
    case whole(CacheEntry)
    /// The beginning, and the file to which the rest is to be added.
    case part(CacheEntry, Data, DiskCacheWriter)
  }

  struct Ledger: Sendable {
    /// The size of all files; nil before they were counted for the first time.
    var size: Int?
    /// What was added since the count began.
    var added = 0
    var isSweeping = false
  }

  let options: DiskCacheOptions
  let queue = DispatchQueue(label: "retriever.images.disk", qos: .userInitiated)
  let sweepQueue = DispatchQueue(label: "retriever.images.sweep", qos: .utility)
  let ledger = Mutex(Ledger())
  let now: @Sendable () -> Date

  /// Nil when the directory can neither be found nor made, or belongs to somebody else, who could swap its files.
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
      // What was there before may be open to others.
      chmod(path, 0o700) == 0
    else { return nil }
    sweep()
  }

  func path(_ resource: ImageResource) -> String {
    options.directory.appendingPathComponent(resource.fileName).path
  }

  func partPath(_ resource: ImageResource) -> String { path(resource) + ".part" }

  /// What there is of a resource.
  ///
  /// - Parameter mostPartBytes: a larger part is no use; 0 leaves parts alone.
  func lookUp(_ resource: ImageResource, mostPartBytes: Int) async -> Found {
    await onQueue { self.find(resource, mostPartBytes: mostPartBytes) }
  }

  /// The bytes of a whole entry; nil when they are gone or damaged: then they are removed.
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

  /// A file for the bytes that come now; they are written behind the caller's back.
  func write(_ resource: ImageResource, _ entry: CacheEntry) -> DiskCacheWriter {
    let writer = DiskCacheWriter(cache: self, resource: resource)
    writer.start(entry)
    return writer
  }

  /// The server has confirmed what is stored.
  func confirm(_ resource: ImageResource, _ entry: CacheEntry) {
    queue.async { [self] in
      guard var file = CacheEntryFile.open(path(resource), forWriting: true),
        file.readEntry()?.identity == resource.identity
      else { return }
      // With no room for the new dates it is asked for again, which is no harm.
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

  /// Returns when everything that was asked for before has been done.
  func flush() async { await onQueue {} }

  private func onQueue<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: work()) }
    }
  }

  private func find(_ resource: ImageResource, mostPartBytes: Int) -> Found {
    let path = path(resource)
    if var file = CacheEntryFile.open(path) {
      if let entry = file.readEntry(), file.bodyLength() != nil {
        if entry.identity == resource.identity {
          let now = now()
          if now.timeIntervalSince(file.lastUse) <= options.expiry {
            file.touch(now)
            return .whole(entry)
          }
          removeFile(path)
        }
      } else {
        removeFile(path)
      }
    }
    guard mostPartBytes > 0, access(partPath(resource), F_OK) == 0,
      var file = CacheEntryFile.openExclusively(partPath(resource))
    else { return .nothing }
    guard let entry = file.readEntry(), entry.identity == resource.identity, entry.strongValidator != nil,
      now().timeIntervalSince(file.lastUse) <= options.expiry,
      let part = file.readPart(atMost: mostPartBytes), entry.length.map({ part.count < $0 }) ?? true
    else {
      removeFile(partPath(resource))
      return .nothing
    }
    return .part(entry, part, DiskCacheWriter(cache: self, resource: resource, resuming: file, after: part))
  }

  func removeFile(_ path: String) { unlink(path) }

  /// A file has been added; too many bytes are swept away, in the background.
  func account(for size: Int) {
    let isOver = ledger.withLock { ledger in
      ledger.added += size
      ledger.size = ledger.size.map { $0 + size }
      return ledger.size.map { $0 > options.sizeLimit } ?? false
    }
    if isOver { sweep() }
  }
}
