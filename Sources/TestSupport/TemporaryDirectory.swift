import Foundation
import Glibc
import Synchronization

/// A directory of a test's own, removed when it is dropped, at the latest when the process ends.
///
/// All of one process lie in `retriever-tests-<pid>` in the temporary directory.
public final class TemporaryDirectory: Sendable {
  /// The directory.
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

  /// Makes an empty directory, readable by this user only.
  public init() throws {
    var path = ""
    // A number may be taken by the program that this process was before it became this one (exec).
    repeat {
      path = "\(Self.root)/\(Self.count.add(1, ordering: .relaxed).newValue)"
      if mkdir(path, 0o700) == 0 { break }
      guard errno == EEXIST else { throw ListeningSocket.failure("No directory at \(path)") }
    } while true
    url = URL(fileURLWithPath: path, isDirectory: true).standardizedFileURL
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  /// The path of a file in it.
  public func path(_ name: String) -> String { url.appendingPathComponent(name).path }

  /// The URL of a file in it.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// Writes a file and returns its URL.
  @discardableResult
  public func write(_ contents: some DataProtocol, to name: String) throws -> URL {
    let file = file(name)
    try Data(contents).write(to: file)
    return file
  }

  /// Removes all directories of a process: one that was killed, or this one at its end.
  public static func removeAll(of process: pid_t) {
    try? FileManager.default.removeItem(
      atPath: NSTemporaryDirectory() + "/\(rootPrefix)\(process)")
  }

  private static func removeRoot() {
    try? FileManager.default.removeItem(atPath: root)
  }
}
