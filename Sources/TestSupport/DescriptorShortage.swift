import Glibc
import Synchronization

/// All descriptors that this process may still open, taken until `end()`. For programs that run one test only.
public final class DescriptorShortage: Sendable {
  private let taken: Mutex<[Int32]>
  private let earlier: rlimit

  /// Takes every descriptor but `spare`.
  public init(leaving spare: Int = 0) throws {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
      throw ListeningSocket.failure("The limit of descriptors is not known")
    }
    earlier = limit
    // Far fewer than usual, so that not a million must be opened.
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

  /// Gives them back.
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
