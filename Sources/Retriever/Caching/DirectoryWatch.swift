#if !canImport(Darwin)
import Glibc
import SystemFiles

/// Reports which files of a directory have changed, with inotify(7). Asking costs one system call.
///
/// The kernel keeps at most 16,384 changes that nobody asked for, unless the system is configured otherwise.
final class DirectoryWatch: Sendable {
  enum Changes: Equatable {
    /// The names of files that have changed, been added or been removed; without order.
    case names(Set<String>)
    /// Changes were lost. The directory has to be read again.
    case lost
    /// The directory was removed or replaced. This watch reports nothing any more.
    case gone
  }

  private let descriptor: Int32

  /// - Returns: nil if the directory does not exist, or if the system has no resources for it.
  init?(directory: String) {
    let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    guard descriptor >= 0 else { return nil }
    let events = UInt32(IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR)
    guard inotify_add_watch(descriptor, directory, events) >= 0 else {
      close(descriptor)
      return nil
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Returns what has changed since the last call. Never waits.
  func changes() -> Changes {
    var names: Set<String> = []
    while true {
      switch read(into: &names) {
      case .more: continue
      case .end: return .names(names)
      case .lost: return .lost
      case .gone: return .gone
      }
    }
  }

  private enum Reading { case more, end, lost, gone }

  private func read(into names: inout Set<String>) -> Reading {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { buffer in
      let count = SystemCall.retrying { Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
      guard count > 0 else { return .end }
      let headSize = MemoryLayout<inotify_event>.size
      var position = 0
      while position + headSize <= count {
        let event = buffer.loadUnaligned(fromByteOffset: position, as: inotify_event.self)
        let start = position + headSize
        let end = start + Int(event.len)
        guard end <= count else { return .lost }
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { return .lost }
        if event.mask & UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED) != 0 { return .gone }
        let name = buffer[start..<end].prefix { $0 != 0 }
        names.insert(String(decoding: name, as: UTF8.self))
        position = end
      }
      return .more
    }
  }
}
#endif
