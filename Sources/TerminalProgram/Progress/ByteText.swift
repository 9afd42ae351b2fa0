import Foundation

/// Formats sizes, rates and durations for people.
public enum ByteText {
  /// Formats a size with three digits and a decimal unit: `12.3 MB`.
  public static func short(_ count: Int64) -> String {
    if count < 1000 { return "\(max(count, 0)) B" }
    var value = Double(count)
    var unit = ""
    for next in ["kB", "MB", "GB", "TB", "PB", "EB"] where value >= 999.5 || unit.isEmpty {
      value /= 1000
      unit = next
    }
    return String(format: value < 9.995 ? "%.2f %@" : value < 99.95 ? "%.1f %@" : "%.0f %@", value, unit)
  }

  /// Formats a size with all its digits: `1 byte`, `12345 bytes`.
  public static func exact(_ count: Int64) -> String { count == 1 ? "1 byte" : "\(count) bytes" }

  /// Formats a rate like ``short(_:)``, per second: `12.3 MB/s`. A negative rate counts as 0.
  public static func rate(_ bytesPerSecond: Double) -> String {
    short(Int64(min(max(bytesPerSecond, 0), 1e18))) + "/s"
  }

  /// `0:07`, `1:02:03`, `3d 04h`.
  public static func time(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds < 1e9 else { return "–:––" }
    let rounded = Int(max(seconds, 0).rounded())
    let (hours, minutes) = (rounded / 3600, rounded / 60 % 60)
    if hours >= 48 { return String(format: "%dd %02dh", hours / 24, hours % 24) }
    return hours > 0
      ? String(format: "%d:%02d:%02d", hours, minutes, rounded % 60)
      : String(format: "%d:%02d", minutes, rounded % 60)
  }

  /// `0.83 s`, `12.4 s`, `3:05`.
  public static func duration(_ seconds: Double) -> String {
    seconds < 10
      ? String(format: "%.2f s", seconds) : seconds < 60 ? String(format: "%.1f s", seconds) : time(seconds)
  }
}

extension Duration {
  /// The duration in seconds, with fractions.
  public var inSeconds: Double { self / .seconds(1) }
}
