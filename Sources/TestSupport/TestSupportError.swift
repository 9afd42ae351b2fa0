/// An error while setting up a server or a fixture. Its description says what is missing.
public struct TestSupportError: Error, CustomStringConvertible, Sendable {
  /// The reason for the failure, for the reader of the test output.
  public let description: String

  /// Creates an error with this description.
  public init(_ description: String) {
    self.description = description
  }
}
