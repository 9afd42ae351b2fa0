import Glibc
import Synchronization

/// Takes all descriptors that this process may still open, until `end()`. Only for programs that run a single test.
public final class DescriptorExhaustion: Sendable {
  private let taken: Mutex<[Int32]>
  private let earlier: rlimit

  /// Takes every descriptor except `spare`.
  public init(leaving spare: Int = 0) throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw ListeningSocket.failure("Could not read the descriptor limit")
    }
    earlier = limit
    // A low limit avoids opening a million descriptors.
    limit.rlim_cur = min(limit.rlim_cur, 512)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var descriptors: [Int32] = []
    while true {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      if descriptor < 0 { break }
      descriptors.append(descriptor)
    }
    for descriptor in descriptors.suffix(spare) { close(descriptor) }
    taken = Mutex(descriptors.dropLast(spare))
  }

  /// Releases the descriptors and restores the limit.
  public func end() {
    let descriptors = taken.withLock { taken in
      defer { taken = [] }
      return taken
    }
    for descriptor in descriptors { close(descriptor) }
    var limit = earlier
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
