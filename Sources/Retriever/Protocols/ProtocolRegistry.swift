#if !canImport(Darwin)
import Synchronization

/// The protocol classes that the program has registered for all sessions.
final class ProtocolRegistry: Sendable {
  static let shared = ProtocolRegistry()

  private let classes = Mutex<[URLProtocol.Type]>([])
  /// Whether there are classes. Most programs register none, and read only this.
  private let isUsed = Atomic<Bool>(false)

  func add(_ protocolClass: URLProtocol.Type) {
    classes.withLock { classes in
      // A class that is registered again is asked first, and only once.
      classes.removeAll { $0 == protocolClass }
      classes.append(protocolClass)
    }
    isUsed.store(true, ordering: .releasing)
  }

  func remove(_ protocolClass: URLProtocol.Type) {
    classes.withLock { classes in classes.removeAll { $0 == protocolClass } }
  }

  /// The classes in the order in which they are asked.
  var inOrder: [URLProtocol.Type] {
    guard isUsed.load(ordering: .acquiring) else { return [] }
    return classes.withLock { $0.reversed() }
  }
}
#endif
