import Foundation
import Glibc

/// What this process holds at one moment, so that a test can prove that nothing was left behind.
public struct ResourceCensus: Sendable, CustomStringConvertible {
  /// The open descriptors and what each stands for.
  public var descriptors: [Int32: String]
  /// The number of threads.
  public var threads: Int
  /// Resident memory in bytes.
  public var residentBytes: Int
  /// The names in the temporary directory, without this module's own directory.
  public var temporaryFiles: Set<String>

  /// Counts now.
  public static func take() -> ResourceCensus {
    var descriptors: [Int32: String] = [:]
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      // The listing's own descriptor is closed by now and has no target.
      guard let number = Int32(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")
      else { continue }
      descriptors[number] = target
    }
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task"))?.count ?? 0
    let temporary = try? FileManager.default.contentsOfDirectory(atPath: NSTemporaryDirectory())
    return ResourceCensus(
      descriptors: descriptors, threads: threads, residentBytes: residentBytes(),
      temporaryFiles: Set(temporary ?? []).subtracting([TemporaryDirectory.rootName]))
  }

  /// The sockets among the descriptors.
  public var socketCount: Int { descriptors.values.count { $0.hasPrefix("socket:") } }

  /// What is there now and was not in `earlier`.
  public func since(_ earlier: ResourceCensus) -> Delta {
    Delta(
      descriptors: descriptors.count - earlier.descriptors.count,
      sockets: socketCount - earlier.socketCount, threads: threads - earlier.threads,
      residentBytes: residentBytes - earlier.residentBytes,
      newTemporaryFiles: temporaryFiles.subtracting(earlier.temporaryFiles))
  }

  /// The difference of two counts.
  public struct Delta: Sendable {
    /// More (or fewer) open descriptors.
    public var descriptors: Int
    /// More (or fewer) sockets.
    public var sockets: Int
    /// More (or fewer) threads.
    public var threads: Int
    /// More (or less) resident memory.
    public var residentBytes: Int
    /// Files that were not there.
    public var newTemporaryFiles: Set<String>
  }

  /// One line for a failure's text.
  public var description: String {
    "\(descriptors.count) descriptors (\(socketCount) sockets), \(threads) threads, \(residentBytes >> 20) MiB"
  }

  /// Resident memory (VmRSS) of this process in bytes.
  public static func residentBytes() -> Int { statusValue("VmRSS:") }

  /// Whether a sanitizer keeps books in this process's memory: how much there is then says nothing.
  public static let isSanitized = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil

  /// The largest resident memory (VmHWM) this process has had, in bytes.
  public static func peakResidentBytes() -> Int { statusValue("VmHWM:") }

  /// Makes the largest resident memory begin anew at what it is now.
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
