// The result that a client prints: the work, the time, and the resources that it used.
import Foundation
import Glibc

struct Report {
  var requests: Int
  var seconds: Double
  var bytes: Int
  var residentAtStart = 0
  var openFiles: (before: Int, after: Int)?
  /// The time of completion (default: now).
  var finished: Int?
  /// The user and system time of the measured part alone.
  var processorSeconds: Double?
  /// Additional values that only some modes measure.
  var figures: [(name: String, value: Double)] = []

  var json: String {
    var fields: [(String, String)] = [
      ("requests", "\(requests)"), ("seconds", "\(seconds)"), ("bytes", "\(bytes)"),
      ("rss_start_kib", "\(residentAtStart)"), ("rss_kib", "\(Memory.resident)"),
      ("peak_kib", "\(Memory.peak)"), ("threads", "\(entries(of: "/proc/self/task"))"),
      ("finished_ns", "\(finished ?? monotonicNanoseconds())"),
    ]
    if let openFiles {
      fields.append(("files_before", "\(openFiles.before)"))
      fields.append(("files_after", "\(openFiles.after)"))
    }
    if let processorSeconds { fields.append(("cpu_seconds", "\(processorSeconds)")) }
    fields += figures.map { ($0.name, "\($0.value)") }
    return "{" + fields.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
  }
}

enum Memory {
  static var resident: Int { field("VmRSS:") }
  static var peak: Int { field("VmHWM:") }

  /// Resets the peak to the current resident size, so that loading the program does not count.
  static func resetPeak() {
    guard let file = fopen("/proc/self/clear_refs", "w") else { return }
    fputs("5", file)
    fclose(file)
  }

  private static func field(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, Int32(line.count), file) != nil {
      guard strncmp(line, name, name.utf8.count) == 0 else { continue }
      return line.withUnsafeBufferPointer { atol($0.baseAddress! + name.utf8.count) }
    }
    return -1
  }
}

func entries(of folder: String) -> Int {
  (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? -1
}

func monotonicNanoseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// The user and system time of the program so far.
func processorSeconds() -> Double {
  var usage = rusage()
  getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
  return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}
