import Foundation

/// An error of ``HTTPStubs``: requests did not come as expected, or an archive cannot be used.
///
/// Loads fail with `URLError`, not with this error.
public struct StubsError: Error, Sendable {
  /// The code of an error. New codes may be added, so a `switch` needs a `default` case.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Kind: String {
      case unexpectedCount, unexpectedRequest, unusedStub, forgottenRequest, invalidArchive
      case incompleteRecording
    }

    private let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// A request came more or less often than it should.
    public static let unexpectedCount = Code(.unexpectedCount)
    /// A request came for which there is no stub.
    public static let unexpectedRequest = Code(.unexpectedRequest)
    /// No request came for a stub or for an entry of an archive.
    public static let unusedStub = Code(.unusedStub)
    /// The request came so long ago that it is no longer kept.
    public static let forgottenRequest = Code(.forgottenRequest)
    /// A file is not an HTTP archive.
    public static let invalidArchive = Code(.invalidArchive)
    /// A recording lacks parts of a body.
    public static let incompleteRecording = Code(.incompleteRecording)

    /// The name of the code.
    public var description: String { kind.rawValue }
  }

  /// The kind of error.
  public let code: Code

  /// What happened, and what to do.
  public let description: String

  init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension StubsError: CustomStringConvertible, LocalizedError {
  /// The same as ``description``.
  public var errorDescription: String? { description }
}
