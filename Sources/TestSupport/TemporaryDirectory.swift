import Foundation
import Glibc
import Synchronization

/// A temporary directory for one test. It is removed when the object is released, or when the process ends.
///
/// The directories of a process are in `retriever-tests-<pid>` in the system's temporary directory.
public final class TemporaryDirectory: Sendable {
  /// The URL of the directory.
  public let url: URL

  private static let root: String = {
    let root = NSTemporaryDirectory() + "/\(rootName)"
    mkdir(root, 0o700)
    atexit { TemporaryDirectory.removeRoot() }
    return root
  }()
  private static let count = Atomic<Int>(0)

  private static let rootPrefix = "retriever-tests-"
  static let rootName = "\(rootPrefix)\(getpid())"

  /// Creates an empty directory that only this user can access.
  public init() throws {
    var path = ""
    // The number may be in use by the program that this process ran before exec.
    repeat {
      path = "\(Self.root)/\(Self.count.add(1, ordering: .relaxed).newValue)"
      if mkdir(path, 0o700) == 0 { break }
      guard errno == EEXIST else { throw ListeningSocket.failure("Could not create the directory \(path)") }
    } while true
    url = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// Returns the path of a file in the directory.
  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// Returns the URL of a file in the directory.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Writes a file and returns its URL.
  @discardableResult
  public func write(_ contents: some DataProtocol, to name: String) throws -> URL {
    let file = file(name)
    try Data(contents).write(to: file)
    return file
  }

  /// Removes all directories of a process, which was killed or is about to end.
  public static func removeAll(of process: pid_t) {
    try? FileManager.default.removeItem(
      atPath: NSTemporaryDirectory() + "/\(rootPrefix)\(process)")
  }

  private static func removeRoot() {
    try? FileManager.default.removeItem(atPath: root)
  }
}
