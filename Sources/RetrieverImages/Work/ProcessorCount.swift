import Foundation

enum ProcessorCount {
  /// How many processors this process may use.
  static let active = ProcessInfo.processInfo.activeProcessorCount
}
