import Foundation
import Synchronization

/// A misuse of a bridge that does not affect the waiting task but should be reported: a callback that is called
/// again.
public struct BridgeMisuse: Sendable, Hashable, CustomStringConvertible {
  /// The kind of misuse. New kinds may be added, so a `switch` needs a `default` case.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String { case calledAgain }

    private let name: Name

    private init(_ name: Name) {
      self.name = name
    }

    /// The callback was called more than once. The later call has no effect.
    public static let calledAgain = Kind(.calledAgain)

    /// The name of the kind.
    public var description: String { name.rawValue }
  }

  /// The kind of misuse.
  public let kind: Kind
  /// The source line that created the bridge.
  public let site: CallSite

  /// Creates a description of a misuse.
  public init(kind: Kind, site: CallSite) {
    self.kind = kind
    self.site = site
  }

  /// A message that says what was done wrong and where the bridge was created.
  public var description: String {
    "The callback made at \(site) was called more than once; the later call has no effect."
  }
}

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
    // A full disk must not end the program.
    try? FileHandle.standardError.write(contentsOf: Data("RetrieverBridges: \(misuse)\n".utf8))
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
