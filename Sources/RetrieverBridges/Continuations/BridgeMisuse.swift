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
