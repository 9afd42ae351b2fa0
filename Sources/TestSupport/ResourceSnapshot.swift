import Foundation
import Glibc

/// The resources that this process holds at one moment. Tests compare two of these to prove that nothing leaks.
public struct ResourceSnapshot: Sendable, CustomStringConvertible {
  /// The open descriptors, and the target of each.
  public var descriptors: [Int32: String]
  /// The number of threads.
  public var threads: Int
  /// Resident memory in bytes.
  public var residentBytes: Int
  /// The names in the temporary directory, without this module's own directory.
  public var temporaryFiles: Set<String>

  /// Returns the current resources.
  public static func take() -> ResourceSnapshot {
    var descriptors: [Int32: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      // The listing's own descriptor is already closed and has no target.
      guard let number = Int32(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      else { continue }
      descriptors[number] = target
    }
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
    let temporary = try? FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())
    return ResourceSnapshot(
      descriptors: descriptors, threads: threads, residentBytes: residentBytes(),
      temporaryFiles: Set(temporary ?? []).subtracting([TemporaryDirectory.rootName]))
  }

  /// The number of sockets among the descriptors.
  public var socketCount: Int { descriptors.values.count { $0.hasPrefix("socket:") } }

  /// Returns the difference from an earlier moment.
  public func since(_ earlier: ResourceSnapshot) -> Delta {
    Delta(
      descriptors: descriptors.count - earlier.descriptors.count,
      sockets: socketCount - earlier.socketCount, threads: threads - earlier.threads,
      residentBytes: residentBytes - earlier.residentBytes,
      newTemporaryFiles: temporaryFiles.subtracting(earlier.temporaryFiles))
  }

  /// The difference between two moments.
  public struct Delta: Sendable {
    /// The change in the number of open descriptors.
    public var descriptors: Int
    /// The change in the number of sockets.
    public var sockets: Int
    /// The change in the number of threads.
    public var threads: Int
    /// The change in resident memory.
    public var residentBytes: Int
    /// The files that did not exist at the earlier moment.
    public var newTemporaryFiles: Set<String>
  }

  /// A one-line summary for failure messages.
  public var description: String {
    "\(descriptors.count) descriptors (\(socketCount) sockets), \(threads) threads, \(residentBytes >> 20) MiB"
  }

  /// Returns the resident memory (VmRSS) of this process in bytes.
  public static func residentBytes() -> Int { statusValue("VmRSS:") }

  /// Whether a sanitizer uses memory in this process, so that memory sizes are meaningless.
  public static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

  /// Returns the peak resident memory (VmHWM) of this process in bytes.
  public static func peakResidentBytes() -> Int { statusValue("VmHWM:") }

  /// Resets the peak resident memory to the current value.
  public static func resetPeak() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  private static func statusValue(_ key: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return 0 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 512)
    while fgets(&line, Int32(line.count), file) != nil {
      let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
      guard text.hasPrefix(key) else { continue }
      return (Int(text.split(whereSeparator: \.isWhitespace).dropFirst().first ?? "") ?? 0) << 10
    }
    return 0
  }
}
