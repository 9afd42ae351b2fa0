import Foundation
import Glibc
import HTTPService
import RetrieverImages
import Synchronization

/// Thumbnails on the disk: a file each. Those not used for longest give way when there are too many bytes of them.
///
/// It is a cache: a file that is damaged or cannot be written is no error, it is made anew when it is asked for.
final class ThumbnailFiles: Sendable {
  private struct State: Sendable {
    /// What stands for the files that are known; its costs are their bytes.
    var index: LRUCache<ThumbnailKey, Bool>
    var nextPart = 0
  }

  let directory: String
  private let state: Mutex<State>
  private let lane = Lane<Void>("thumbnails", slots: 4, waitingLimit: 20_000)
  private static let partSuffix = ".part"

  /// - Parameter photos: thumbnails of photos that are not there any more are removed.
  init(directory: String, limit: Int, photos: PhotoDirectory) throws(KennelError) {
    self.directory = directory
    state = Mutex(State(index: LRUCache(limit: limit)))
    try FileCalls.makeDirectory(directory)
    lane.submit(LaneTicket(), { [self] () throws(KennelError) in try takeStock(photos) }) { _ in }
  }

  /// Bytes on the disk, and files.
  var usage: (bytes: Int, files: Int) { state.withLock { ($0.index.cost, $0.index.count) } }

  private func path(_ key: ThumbnailKey) -> String { "\(directory)/\(key.fileName)" }

  /// Finds what an earlier run has left, the oldest first.
  private func takeStock(_ photos: PhotoDirectory) throws(KennelError) {
    var found: [(key: ThumbnailKey, byteCount: Int, used: Int)] = []
    var photoExists: [PhotoHash: Bool] = [:]
    try FileCalls.forEachName(in: directory) { name in
      let path = "\(directory)/\(name)"
      var status = stat()
      guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
      guard let key = ThumbnailKey(fileName: name) else {
        // Another process may be writing it this very moment; it then makes it anew.
        if name.hasSuffix(Self.partSuffix) { unlink(path) }
        return
      }
      let exists = photoExists[key.photo] ?? (FileCalls.size(of: photos.location(key.photo)) != nil)
      photoExists[key.photo] = exists
      if exists {
        found.append((key, Int(status.st_size), status.st_mtim.tv_sec))
      } else {
        unlink(path)
      }
    }
    found.sort { $0.used < $1.used }
    let victims = state.withLock { state in
      var index = LRUCache<ThumbnailKey, Bool>(limit: state.index.limit)
      var victims: [ThumbnailKey] = []
      // What came meanwhile is newer.
      let newer = state.index.keys
      for file in found where state.index.peek(file.key) == nil {
        victims += index.insert(true, for: file.key, cost: file.byteCount)
      }
      for key in newer {
        victims += index.insert(true, for: key, cost: FileCalls.size(of: path(key)) ?? 0)
      }
      state.index = index
      return victims
    }
    for key in victims { unlink(path(key)) }
  }

  /// A thumbnail that is on the disk and whole; nil when there is none.
  func load(_ key: ThumbnailKey) async throws(KennelError) -> Thumbnail? {
    try await lane.run { [self] in
      let path = path(key)
      guard let size = FileCalls.size(of: path), size > 0 else { return nil }
      guard let data = wholeBytes(key) else {
        // Cut short by a power failure, say.
        unlink(path)
        state.withLock { _ = $0.index.remove(key) }
        return nil
      }
      // The next start takes stock by this time.
      utimensat(AT_FDCWD, path, nil, 0)
      note(key, byteCount: data.count)
      return Thumbnail(key, content(data, path))
    }
  }

  /// The bytes of a thumbnail that is on the disk and whole.
  func bytes(_ key: ThumbnailKey) async throws(KennelError) -> Data? {
    try await lane.run { [self] in wholeBytes(key) }
  }

  /// Larger ones are none that were made here.
  private static let byteLimit = 64 << 20

  /// A thumbnail's bytes, when they are there to the end.
  private func wholeBytes(_ key: ThumbnailKey) -> Data? {
    let data = try? OpenFile(reading: path(key)).contents(limit: Self.byteLimit)
    return data.flatMap { key.format.isWhole($0) ? $0 : nil }
  }

  /// Keeps a thumbnail, and hands it back in the form in which it is sent.
  func keep(_ key: ThumbnailKey, _ data: Data) async throws(KennelError) -> Thumbnail {
    let part = state.withLock { state in
      state.nextPart += 1
      return "\(directory)/\(getpid())-\(state.nextPart)\(Self.partSuffix)"
    }
    return try await lane.run { [self] in
      let path = path(key)
      do throws(KennelError) {
        try write(data, to: part)
        try FileCalls.rename(part, to: path)
      } catch {
        // No space, say: it is sent all the same.
        unlink(part)
        return Thumbnail(key, .bytes(data))
      }
      note(key, byteCount: data.count)
      return Thumbnail(key, content(data, path))
    }
  }

  private func write(_ data: Data, to path: String) throws(KennelError) {
    try OpenFile(creating: path).write(data)
  }

  private func note(_ key: ThumbnailKey, byteCount: Int) {
    let victims = state.withLock { state in
      state.index.value(for: key) == nil ? state.index.insert(true, for: key, cost: byteCount) : []
    }
    for victim in victims { unlink(path(victim)) }
  }

  private func content(_ data: Data, _ path: String) -> Thumbnail.Content {
    guard data.count > Thumbnail.inMemoryLimit,
      let response = try? HTTPResponse.file(
        at: path, for: HTTPRequest(target: "/"), contentType: "application/octet-stream")
    else { return .bytes(data) }
    return .file(response.body, byteCount: data.count)
  }

  /// Removes all thumbnails of a photo.
  func remove(_ photo: PhotoHash) {
    let keys = ThumbnailKey.all(of: photo)
    lane.submit(
      LaneTicket(),
      { [self] in
        for key in keys {
          unlink(path(key))
          state.withLock { _ = $0.index.remove(key) }
        }
      }
    ) { _ in }
  }

  /// The answer with a file, which is opened on another thread.
  func fileResponse(
    at path: String, for request: HTTPRequest, contentType: String, fields: HTTPFields, entityTag: EntityTag
  ) async throws(KennelError) -> HTTPResponse {
    try await lane.run { () throws(KennelError) in
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
    var fields: HTTPFields = ["Cache-Control": KennelSite.immutable]
    if isNegotiated { fields.append("Vary", "Accept") }
    return try await fileResponse(
      at: path(thumbnail.key), for: request, contentType: thumbnail.key.format.contentType, fields: fields,
      entityTag: thumbnail.tag)
  }

  func close() async { await lane.close() }
}

extension ThumbnailFormat {
  /// Whether a file is there to its end: a power failure can cut it short.
  func isWhole(_ data: Data) -> Bool {
    switch self {
    case .jpeg: return data.starts(with: [0xFF, 0xD8]) && data.suffix(2).elementsEqual([0xFF, 0xD9])
    case .webp:
      guard data.count > 12, data.starts(with: Array("RIFF".utf8)) else { return false }
      let size = data.dropFirst(4).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      return data.count == size + 8
    }
  }
}
