#if !canImport(Darwin)
import Foundation
import HTTPSyntax
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

/// The protocol classes of the library, for `data:` and `file:` URLs.
enum BuiltInProtocols {
  static let all: [URLProtocol.Type] = [DataURLProtocol.self, FileURLProtocol.self]

  /// Returns the class for a URL; nil for the network.
  static func protocolClass(for url: URL) -> URLProtocol.Type? {
    // Most URLs begin with "http", and need no more than a look at that.
    guard let scheme = url.scheme, scheme.utf8.first != UInt8(ascii: "h") else { return nil }
    if ASCII.equalIgnoringCase(scheme, "data") { return DataURLProtocol.self }
    return ASCII.equalIgnoringCase(scheme, "file") ? FileURLProtocol.self : nil
  }
}
#endif
