/// A URLSession-shaped client that the suite puts to the test.
public protocol ConformanceClient: Sendable {
  /// The name under which results are printed.
  var name: String { get }

  /// Makes a session of its own (ephemeral: cookies and credentials start empty).
  ///
  /// - Throws: `NotOffered` when an option has no counterpart.
  func makeSession(_ options: SessionOptions) throws -> any ConformanceSession

  /// What the client lacks for all cases of an area; nil when it has something to try.
  func missing(in area: Area) -> String?
}

extension ConformanceClient {
  /// Nothing.
  public func missing(in area: Area) -> String? { nil }
}

/// One session of a client.
public protocol ConformanceSession: Sendable {
  /// Carries out a request to its end; cancelling the surrounding task must cancel it.
  func perform(_ request: ExchangeRequest) async -> ExchangeOutcome

  /// Ends the session and all it is doing.
  func invalidate()
}

/// Thrown for what a client does not have, so that a case is not counted as tried.
public struct NotOffered: Error, Sendable {
  /// What is missing.
  public var what: String

  /// An error that names what is missing.
  public init(_ what: String) {
    self.what = what
  }
}
