/// A mistake of the bridged code that harms nobody who waits, but should be known: a callback called again.
public struct BridgeMisuse: Sendable, Hashable, CustomStringConvertible {
  /// The kinds of mistake. New ones may be added: a `switch` needs a `default`.
  public struct Kind: Sendable, Hashable, CustomStringConvertible {
    private enum Name: String { case calledAgain }

    private let name: Name

    private init(_ name: Name) {
      self.name = name
    }

    /// The callback was called although it had been called before. The later call has no effect.
    public static let calledAgain = Kind(.calledAgain)

    /// The name of the kind.
    public var description: String { name.rawValue }
  }

  /// What was done wrong.
  public let kind: Kind
  /// Where the bridge was made.
  public let site: CallSite

  /// A mistake in the use of the bridge made at `site`.
  public init(kind: Kind, site: CallSite) {
    self.kind = kind
    self.site = site
  }

  /// A sentence that says what was done, and where the bridge was made.
  public var description: String {
    "The callback made at \(site) was called more than once; the later call has no effect."
  }
}
