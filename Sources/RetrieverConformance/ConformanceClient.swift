/// A client similar to URLSession that the suite tests.
public protocol ConformanceClient: Sendable {
  /// The name of the client in results.
  var name: String { get }

  /// Creates an ephemeral session, without cookies and credentials.
  ///
  /// - Throws: `NotOffered` if the client does not support an option.
  func makeSession(_ options: SessionOptions) throws -> any ConformanceSession

  /// Returns the feature that the client lacks for all cases of an area; nil if it can run them.
  func missing(in area: Area) -> String?

  /// Performs a scenario with a session of its own, and reports what happened.
  ///
  /// - Parameter origin: The origin of the server, such as `http://127.0.0.1:8080`; empty if there is none.
  /// - Throws: `NotOffered` if the client lacks what the scenario needs.
  func play(_ scenario: Scenario, at origin: String, _ options: SessionOptions) async throws -> [String]
}

extension ConformanceClient {
  /// Returns nil.
  public func missing(in area: Area) -> String? { nil }

  /// Throws `NotOffered`.
  public func play(_ scenario: Scenario, at origin: String, _ options: SessionOptions) async throws
    -> [String]
  {
    throw NotOffered("URLSession's interface")
  }
}

/// One session of a client.
public protocol ConformanceSession: Sendable {
  /// Performs a request until its end. Cancelling the surrounding task must cancel the request.
  func perform(_ request: ExchangeRequest) async -> ExchangeOutcome

  /// Ends the session and all its requests.
  func invalidate()
}

/// An error that reports a feature that the client does not have, so that the case is not counted as tried.
public struct NotOffered: Error, Sendable {
  /// The missing feature.
  public var what: String

  /// Creates an error with the missing feature.
  public init(_ what: String) {
    self.what = what
  }
}
