import Foundation

enum ProcessorCount {
  /// The number of processors that this process may use.
  static let active = ProcessInfo.processInfo.activeProcessorCount
}
