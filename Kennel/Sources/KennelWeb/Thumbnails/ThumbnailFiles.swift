import Caches
import Foundation
import Glibc
import HTTPService
import KennelStorage
import RetrieverImages
import Synchronization

/// The thumbnails on the disk, one file each. The least recently used files are removed when their total size exceeds
/// the limit.
///
/// This is a cache: a damaged or unwritable file is not an error. The thumbnail is made again on request.
final class ThumbnailFiles: Sendable {
  private struct State: Sendable {
    /// The index of the known files. The cost of an entry is the size of its file.
    var index: LRUCache<ThumbnailKey, Bool>
    var nextPart = 0
  }

  let directory: String
  private let state: Mutex<State>
  private let workQueue = BlockingWorkQueue<Void>("thumbnails", slots: 4, maximumWaitingCount: 20_000)
  private static let partSuffix = ".part"

  init(directory: String, limit: Int) throws(KennelError) {
    self.directory = directory
    state = Mutex(State(index: LRUCache(limit: limit)))
    try FileCalls.makeDirectory(directory)
  }

  /// Finds the files of earlier runs in the background.
  ///
  /// - Parameter completion: called at the end, also if that failed.
  func index(completion: @escaping @Sendable () -> Void) {
    workQueue.submit(
      CancellationTicket(), { [self] () throws(KennelError) in try indexExistingFiles() }
    ) { _ in completion() }
  }

  /// Returns the photos that have thumbnails on the disk.
  func photos() async throws(KennelError) -> [PhotoHash] {
    try await workQueue.run { [directory] () throws(KennelError) -> [PhotoHash] in
      var photos: Set<PhotoHash> = []
      try FileCalls.forEachName(in: directory) { name in
        if let key = ThumbnailKey(fileName: name) { photos.insert(key.photo) }
      }
      return Array(photos)
    }
  }

  /// The number of bytes on the disk and the number of files.
  var usage: (bytes: Int, files: Int) { state.withLock { ($0.index.cost, $0.index.count) } }

  private func path(_ key: ThumbnailKey) -> String { "\(directory)/\(key.fileName)" }

  /// Finds the files of earlier runs, the oldest first.
  private func indexExistingFiles() throws(KennelError) {
    var found: [(key: ThumbnailKey, byteCount: Int, used: Int)] = []
    try FileCalls.forEachName(in: directory) { name in
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
      guard let key = ThumbnailKey(fileName: name) else {
        // Another process may be writing it at this moment. That process then makes the thumbnail again.
        if name.hasSuffix(Self.partSuffix) { unlink(path) }
        return
      }
      found.append((key, Int(status.st_size), status.st_mtim.tv_sec))
    }
    found.sort { $0.used < $1.used }
    let evicted = state.withLock { state in
      var index = LRUCache<ThumbnailKey, Bool>(limit: state.index.limit)
      var evicted: [ThumbnailKey] = []
      // Thumbnails that were added in the meantime are newer.
      let newer = state.index.keys
      for file in found where state.index.peek(file.key) == nil {
        evicted += index.insert(true, for: file.key, cost: file.byteCount)
        if index.peek(file.key) == nil { evicted.append(file.key) }
      }
      for key in newer {
        evicted += index.insert(true, for: key, cost: FileCalls.size(of: path(key)) ?? 0)
      }
      state.index = index
      return evicted
    }
    for key in evicted { unlink(path(key)) }
  }

  /// Loads a complete thumbnail from the disk. Returns nil if there is none.
  func load(_ key: ThumbnailKey) async throws(KennelError) -> Thumbnail? {
    try await workQueue.run { [self] in
      let path = path(key)
      guard let size = FileCalls.size(of: path), size > 0 else { return nil }
      guard let data = completeBytes(key) else {
        // The file is incomplete, for example after a power failure.
        unlink(path)
        state.withLock { _ = $0.index.remove(key) }
        return nil
      }
      // The next start sorts the files by this time.
      utimensat(AT_FDCWD, path, nil, 0)
      guard note(key, byteCount: data.count) else { return Thumbnail(key, .bytes(data)) }
      return Thumbnail(key, content(data, path))
    }
  }

  /// Returns the bytes of a complete thumbnail on the disk.
  func bytes(_ key: ThumbnailKey) async throws(KennelError) -> Data? {
    try await workQueue.run { [self] in completeBytes(key) }
  }

  /// The maximum size of a thumbnail. Larger files were not made here.
  private static let maximumByteCount = 64 << 20

  /// Returns the bytes of a thumbnail if the file is complete.
  private func completeBytes(_ key: ThumbnailKey) -> Data? {
    let data = try? OpenFile(reading: path(key)).contents(limit: Self.maximumByteCount)
    return data.flatMap { key.format.isComplete($0) ? $0 : nil }
  }

  /// Stores a thumbnail and returns it in the form in which it is sent.
  func keep(_ key: ThumbnailKey, _ data: Data) async throws(KennelError) -> Thumbnail {
    let part = state.withLock { state in
      state.nextPart += 1
      return "\(directory)/\(getpid())-\(state.nextPart)\(Self.partSuffix)"
    }
    return try await workQueue.run { [self] in
      let path = path(key)
      do throws(KennelError) {
        try write(data, to: part)
        try FileCalls.rename(part, to: path)
      } catch {
        // The file could not be written, for example because the disk is full. The thumbnail is sent anyway.
        unlink(part)
        return Thumbnail(key, .bytes(data))
      }
      guard note(key, byteCount: data.count) else { return Thumbnail(key, .bytes(data)) }
      return Thumbnail(key, content(data, path))
    }
  }

  private func write(_ data: Data, to path: String) throws(KennelError) {
    try OpenFile(creating: path).write(data)
  }

  /// Adds a file to the index. False if it is larger than the limit, so that it was removed.
  private func note(_ key: ThumbnailKey, byteCount: Int) -> Bool {
    let (isKept, evicted) = state.withLock { state -> (Bool, [ThumbnailKey]) in
      if state.index.value(for: key) != nil { return (true, []) }
      let evicted = state.index.insert(true, for: key, cost: byteCount)
      return (state.index.peek(key) != nil, evicted)
    }
    for old in isKept ? evicted : evicted + [key] { unlink(path(old)) }
    return isKept
  }

  private func content(_ data: Data, _ path: String) -> Thumbnail.Content {
    guard data.count > Thumbnail.maximumInMemorySize,
      let response = try? HTTPResponse.file(
        at: path, for: HTTPRequest(target: "/"), contentType: "application/octet-stream")
    else { return .bytes(data) }
    return .file(response.body, byteCount: data.count)
  }

  /// Removes all thumbnails of a photo.
  func remove(_ photo: PhotoHash) {
    let keys = ThumbnailKey.all(of: photo)
    workQueue.submit(
      CancellationTicket(),
      { [self] in
        for key in keys {
          unlink(path(key))
          state.withLock { _ = $0.index.remove(key) }
        }
      }
    ) { _ in }
  }

  /// Returns a response with a file that is opened on another thread.
  func fileResponse(
    at path: String, for request: HTTPRequest, contentType: String, fields: HTTPFields, entityTag: EntityTag
  ) async throws(KennelError) -> HTTPResponse {
    try await workQueue.run { () throws(KennelError) in
      do {
        return try HTTPResponse.file(
          at: path, for: request, contentType: contentType, fields: fields, entityTag: entityTag)
      } catch {
        throw .file(
          "A picture could not be opened", path: path, errno: (error as? HTTPServerError)?.errno ?? 0)
      }
    }
  }

  func fileResponse(
    _ thumbnail: Thumbnail, to request: HTTPRequest, isNegotiated: Bool
  ) async throws(KennelError) -> HTTPResponse {
    var fields: HTTPFields = ["Cache-Control": CacheControl.immutable]
    if isNegotiated { fields.append("Vary", "Accept") }
    return try await fileResponse(
      at: path(thumbnail.key), for: request, contentType: thumbnail.key.format.contentType, fields: fields,
      entityTag: thumbnail.tag)
  }

  func close() async { await workQueue.close() }
}

extension ThumbnailFormat {
  /// Returns whether the data is complete. A power failure can truncate a file.
  func isComplete(_ data: Data) -> Bool {
    switch self {
    case .jpeg: return data.starts(with: [0xFF, 0xD8]) && data.suffix(2).elementsEqual([0xFF, 0xD9])
    case .webp:
      guard data.count > 12, data.starts(with: Array("RIFF".utf8)) else { return false }
      let size = data.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      return data.count == size + 8
    }
  }
}
