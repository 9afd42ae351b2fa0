import Foundation
import Synchronization

/// Is told of mistakes in the use of a bridge that are no reason to end the program.
///
/// A bridge uses the reporter it is given, and ``standard`` when it is given none.
///
/// ```swift
/// func stopAtMisuseInDebugBuilds() {
///   MisuseReporter.standard = .fatalInDebug
/// }
/// ```
public struct MisuseReporter: Sendable {
  private static let shared = Mutex(MisuseReporter.standardError)

  private let action: @Sendable (BridgeMisuse) -> Void

  /// A reporter that calls `action`, on whichever thread the mistake was made and with no lock held.
  public init(_ action: @escaping @Sendable (BridgeMisuse) -> Void) {
    self.action = action
  }

  /// What bridges use that are made without a reporter, at first ``standardError``.
  ///
  /// Setting it concerns the bridges that are made afterwards.
  public static var standard: MisuseReporter {
    get { shared.withLock { $0 } }
    set { shared.withLock { $0 = newValue } }
  }

  /// Writes one line to standard error.
  public static let standardError = MisuseReporter { misuse in
    FileHandle.standardError.write(Data("RetrieverBridges: \(misuse)\n".utf8))
  }

  /// Stops a debug build with an assertion failure; in a release build writes to standard error.
  public static let fatalInDebug = MisuseReporter { misuse in
    assertionFailure("\(misuse)")
    standardError(misuse)
  }

  /// Does nothing.
  public static let silent = MisuseReporter { _ in }

  /// Reports a mistake.
  public func callAsFunction(_ misuse: BridgeMisuse) {
    action(misuse)
  }
}
