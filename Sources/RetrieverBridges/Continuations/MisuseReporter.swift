import Foundation
import Synchronization

/// Receives reports of misuses of a bridge that do not require the program to end.
///
/// A bridge without its own reporter uses ``standard``.
///
/// ```swift
/// func stopAtMisuseInDebugBuilds() {
///   MisuseReporter.standard = .fatalInDebug
/// }
/// ```
public struct MisuseReporter: Sendable {
  private static let shared = Mutex(MisuseReporter.standardError)

  private let action: @Sendable (BridgeMisuse) -> Void

  /// Creates a reporter that calls `action` on the thread of the misuse, with no lock held.
  public init(_ action: @escaping @Sendable (BridgeMisuse) -> Void) {
    self.action = action
  }

  /// The reporter of bridges that are created without one (default: ``standardError``).
  ///
  /// A new value applies to bridges that are created afterwards.
  public static var standard: MisuseReporter {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }

  /// Writes one line to standard error.
  public static let standardError = MisuseReporter { misuse in
    FileHandle.standardError.write(Data("RetrieverBridges: \(misuse)\n".utf8))
  }

  /// Stops a debug build with an assertion failure. In a release build, writes to standard error.
  public static let fatalInDebug = MisuseReporter { misuse in
    assertionFailure("\(misuse)")
    standardError(misuse)
  }

  /// Ignores all reports.
  public static let silent = MisuseReporter { _ in }

  /// Reports a misuse.
  public func callAsFunction(_ misuse: BridgeMisuse) {
    action(misuse)
  }
}
