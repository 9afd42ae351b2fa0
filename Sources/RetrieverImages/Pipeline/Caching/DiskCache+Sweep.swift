import Foundation
import Glibc
import Synchronization

extension DiskCache {
  private struct Candidate {
    let name: String
    let size: Int
    let lastUse: Int
  }

  /// Measures the files, and removes expired and excess ones. Only one sweep runs at a time.
  func sweep() {
    let isFirst = ledger.withLock { ledger in
      defer { ledger.isSweeping = true }
      if !ledger.isSweeping { ledger.added = 0 }
      return !ledger.isSweeping
    }
    guard isFirst else { return }
    sweepQueue.async { [weak self] in self?.sweepNow() }
  }

  /// Returns after the current sweep has ended.
  func finishSweeping() async {
    await withCheckedContinuation { continuation in sweepQueue.async { continuation.resume() } }
  }

  private func sweepNow() {
    var files = candidates().sorted { ($0.lastUse, $0.name) < ($1.lastUse, $1.name) }
    let oldest = Int(max(0, now().timeIntervalSince1970 - options.expiry))
    var size = files.reduce(0) { $0 + $1.size }
    // Slightly below the limit, so that the next image does not start another sweep.
    let goal = size > options.sizeLimit ? options.sizeLimit / 10 * 9 : options.sizeLimit
    files.reverse()
    while let file = files.popLast(), file.lastUse < oldest || size > goal {
      // On the queue of the writers, so that it never runs between opening and locking a file.
      if queue.sync(execute: { remove(file) }) { size -= file.size }
    }
    ledger.withLock { ledger in
      ledger.size = size + ledger.added
      ledger.isSweeping = false
    }
  }

  /// Removes a file, unless it is in use. Returns false if it stays.
  private func remove(_ candidate: Candidate) -> Bool {
    let path = options.directory.appendingPathComponent(candidate.name).path
    guard let file = CacheEntryFile.open(path) else {
      removeFile(path)
      return true
    }
    return file.remove(path, lastUse: candidate.lastUse)
  }

  /// Returns the cache's own files. Other files in the directory are left alone.
  private func candidates() -> [Candidate] {
    guard let directory = opendir(options.directory.path) else { return [] }
    defer { closedir(directory) }
    var files: [Candidate] = []
    while let item = readdir(directory) {
      let name = withUnsafeBytes(of: item.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      let stem = name.hasSuffix(".part") ? name.dropLast(5) : name[...]
      var status = stat()
      guard stem.utf8.count == 32, stem.allSatisfy({ $0.isHexDigit }),
        fstatat(dirfd(directory), name, &status, AT_SYMLINK_NOFOLLOW) == 0
      else { continue }
      files.append(Candidate(name: name, size: Int(status.st_size), lastUse: status.st_mtim.tv_sec))
    }
    return files
  }
}
